"""Apps that leave plans for the line, and how a test sees that an answer waits."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import pytest

from mock_server.domain.faults import CARRIED_OUT, LINE, PARKED, LinePlan, Parked
from mock_server.server import Server
from mock_server.server.connection import Connection
from mock_server.server.service import ConnectionState
from tests.server.wire import App, Wire, settle

BODY = json.dumps({"id": "pay_1", "amount": 4200, "filler": "x" * 400}).encode()


@dataclass(frozen=True)
class Answer:
    """A whole answer, made elsewhere."""

    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=lambda: [("X-From", "elsewhere")])
    body: bytes = b"late"


def planned(plan: LinePlan | Parked, body: bytes | None = BODY) -> App:
    """Make an app that leaves the plan for /plan and for /slow/plan; with no body, a lazy one."""

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        assert environ[CARRIED_OUT] is True
        if environ["PATH_INFO"].endswith("plan"):
            environ[LINE if isinstance(plan, LinePlan) else PARKED] = plan
        start_response("200 OK", [("Content-Type", "application/json")])
        return [body] if body is not None else iter([b"la", b"zy"])

    return app


def assert_nothing_comes(server: Server, wire: Wire) -> None:
    settle(server)
    wire.sock.setblocking(False)
    with pytest.raises(BlockingIOError):
        wire.sock.recv(1)
    wire.sock.settimeout(None)


def until_held(server: Server, count: int = 1) -> None:
    """Return when so many answers wait for something that is not the client."""

    def is_waiting(guest: object) -> bool:
        return isinstance(guest, Connection) and guest._state in waiting

    waiting = {ConnectionState.HELD, ConnectionState.HANGING}
    while sum(map(is_waiting, tuple(server._service.connections))) < count:
        os.sched_yield()
