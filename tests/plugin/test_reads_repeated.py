"""Calls that only read may be repeated: the report of a failing test names none of them as a possible cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.testing import Sandbox, SandboxServer
from mock_server.testing.client import Client
from tests.api.money_places import fine
from tests.counts import times
from tests.routes.good import good
from tests.wire import Reply, Wire

READING: Final = {
    row.route: row
    for row in OPERATIONS
    if not row.changes and row.method != "GET" and row.keys & {KeyKind.SECRET} and not row.name.startswith("analytics.")
}


class Caller(Wire):
    """The merchant's client of a workspace."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Reply:
        answer = self.client.request(method, path, body, headers=more.get("headers"))
        return Reply(answer.status, answer.body, dict(answer.headers))


@pytest.mark.parametrize("route", [*READING][:: times(4, soak=1)])
def test_a_call_that_only_reads_is_no_cause(route: str, inside: SandboxServer) -> None:
    row: Operation = READING[route]
    more = {"limit": 5} if ".list" in row.name or row.name == "events.attempts" else {}
    with Sandbox(server=inside, clock="2026-01-31T12:00:00Z") as sandbox:
        api, came = Caller(sandbox.client), list[int]()
        asked = good(api, row)

        def app(environ: dict[str, object], start_response: Callable[..., object]) -> list[bytes]:
            came.append(fine(asked.sent(api, row, **more)).status)
            start_response("500 Not Now" if len(came) == 1 else "200 OK", [])
            return [b""]

        sandbox.webhooks.connect(app)
        sandbox.client.pay(merchant_order_reference_id="another")
        sandbox.webhooks.wait_for("payment_succeeded")
        sandbox.clock.advance(minutes=2)
        assert len(came) > 1
        assert "goes to" in sandbox.report()
        assert "possible causes" not in sandbox.report()
