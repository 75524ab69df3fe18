"""Where a test tool replaces `os` in every module, as pyfakefs does, a server of the same process still answers."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, NoReturn

import pytest

from mock_server.testing import Sandbox
from tests.running import until

FAKED: Final = ("close", "dup", "dup2", "fstat", "fsync", "ftruncate", "isatty", "lseek", "read", "write")
"""What pyfakefs replaces of the functions that take a descriptor: they know those of its own files only."""


def unknown(*_: Any, **__: Any) -> NoReturn:
    raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def receives(sandbox: Sandbox) -> None:
    seen: list[str] = []

    def shop(environ: Any, start_response: Any) -> list[bytes]:
        seen.append(environ["PATH_INFO"])
        start_response("200 OK", [])
        return [b""]

    sandbox.webhooks.connect(shop, path="/hooks")
    sandbox.client.pay()
    until(lambda: seen == ["/hooks"])


ACTS: Final[dict[str, Callable[[Sandbox], object]]] = {
    "a call": lambda sandbox: sandbox.client.pay(),
    "a page": lambda sandbox: sandbox.client.get("/_sandbox/docs"),
    "a scenario": lambda sandbox: sandbox.scenarios.turn_on("lost_response"),
    "a broken connection": lambda sandbox: sandbox.next("payments.create", fault="empty_response"),
    "a receiver": receives,
    "the clock": lambda sandbox: sandbox.clock.advance(hours=24),
    "a snapshot": lambda sandbox: sandbox.restore(sandbox.snapshot()),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_server_answers_where_os_knows_no_descriptor(
    act: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = SimpleNamespace(**{**vars(os), **dict.fromkeys(FAKED, unknown)})
    for name, module in [*sys.modules.items()]:
        if name.startswith("mock_server.") and vars(module).get("os") is os:
            monkeypatch.setattr(module, "os", fake)
    ACTS[act](sandbox)
    assert sandbox.client.request("GET", "/health").status == 200
