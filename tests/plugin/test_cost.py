"""Who does not use it pays nothing, and who does waits for nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.architecture.sources import modules
from tests.plugin.in_a_process import pytest_in_a_process
from tests.running import seconds, until

LIST: Final = "import pytest, sys; before = set(sys.modules); import {module}; print(sorted(set(sys.modules) - before))"
STOP_S: Final = 0.05
REWRITTEN: Final = """
import sys
from importlib.machinery import NamespaceLoader, SourceFileLoader

LOADED_FIRST = {"mock_server", "mock_server.testing", "mock_server.testing.plugin"}

def test_shop(payment_sandbox):
    ours = {name: one.__spec__.loader for name, one in sys.modules.items() if name.startswith("mock_server")}
    others = {name for name, loader in ours.items() if not isinstance(loader, SourceFileLoader | NamespaceLoader)}
    assert len(ours) > 200 and others <= LOADED_FIRST
"""


def test_loading_the_plugin_imports_nothing_else() -> None:
    code = LIST.format(module="mock_server.testing.plugin")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(["mock_server", "mock_server.testing", "mock_server.testing.plugin"])


def test_pytest_rewrites_no_assertion_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "test_rewritten.py").write_text(REWRITTEN, "utf-8")
    assert "1 passed" in pytest_in_a_process(tmp_path)


@pytest.mark.parametrize("name", ["sandbox", "control", "report"])
def test_the_client_knows_nothing_of_the_server(name: str) -> None:
    code = LIST.format(module=f"mock_server.testing.{name}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = ("flask", "werkzeug", "marshmallow", "msgspec", "mock_server.sandbox", "mock_server.control'", "urllib3")
    assert [one for one in heavy if one in done.stdout] == []


def test_parts_speak_http_alone() -> None:
    """Only what starts a server, or receives from one, knows more of the package than its tables."""
    may = {"servers", "receivers"}
    own = ("testing", "verdict")
    shared = ("domain", "contract", "settings", "clock", "randomness", "addresses", "connections", "guesses")
    # It speaks HTTP alone too, for a story; texts that are not read; a table; a body's names; an outcome's words.
    names = ("scenario.conditions.on", "scenario.conditions.fields", "scenario.loading.checks")
    language = (
        "scenario.story.settling",
        "scenario.loading.sources",
        *names,
        "scenario.deciding.decide",
        "scenario.model.answers",
    )
    tables = tuple(f"mock_server.{room}" for room in (*own, *shared, *language))
    found = [
        f"{module.name}:{line} imports {name}"
        for module in modules("mock_server/testing")
        if module.name.rpartition(".")[2] not in may
        for name, line in module.imports(for_types=False)
        if name.startswith("mock_server") and not name.startswith(tables)
    ]
    assert found == []


def test_a_server_stops_at_once() -> None:
    def app(environ: object, start_response: Callable[..., object]) -> list[bytes]:
        start_response("200 OK", [])
        return [b""]

    def used() -> SandboxServer:
        server = SandboxServer()
        with Sandbox(server=server) as sandbox:
            sandbox.webhooks.connect(app)
            sandbox.client.pay()
            sandbox.webhooks.wait_for("payment_succeeded")
        return server

    until(lambda: seconds(used().stop) < STOP_S)
