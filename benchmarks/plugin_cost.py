"""What the pytest plugin costs, printed as JSON: a process of its own, so that nothing is imported before."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final

ROUNDS: Final = 300


def took_ms(work: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def unused_ms() -> float:
    """The plugin in a session that does not ask for it: the import, beside a bare interpreter's with pytest."""
    code = "import pytest, time; t = time.time(); import mock_server.testing.plugin; print(time.time() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs) * 1000


def _workspace(sandbox: Any) -> None:
    with sandbox:
        pass


def main() -> None:
    """Measures and prints."""
    from mock_server.testing import Sandbox, SandboxServer

    first = SandboxServer()  # imports
    with Sandbox(server=first):
        pass
    first.stop()
    servers = []
    for _ in range(5):
        began = time.perf_counter()
        server = SandboxServer()
        with Sandbox(server=server):
            pass
        server.stop()
        servers.append((time.perf_counter() - began) * 1000)
    server = SandboxServer()
    begins: dict[str, Any] = {
        "seed": "payment-sandbox",
        "name": "tests/test_shop.py::test_pays",
    }  # as the fixture's workspaces do
    workspaces = [took_ms(lambda: _workspace(Sandbox(server=server, **begins))) for _ in range(ROUNDS)]
    server.stop()
    found = {
        "workspace_ms": statistics.median(workspaces),
        "server_ms": statistics.median(servers),
        "unused_ms": unused_ms(),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
