"""Calls that only read, or have their key, may be repeated: the report of a failing test does not blame them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def report_of(sandbox: Sandbox, act: Callable[[], Reply]) -> str:
    """The report after an app has done the same on both deliveries of an event."""
    came: list[int] = []

    def app(environ: dict[str, object], start_response: Callable[..., object]) -> list[bytes]:
        came.append(fine(act()).status)
        start_response("500 Not Now" if len(came) == 1 else "200 OK", [])
        return [b""]

    sandbox.webhooks.connect(app)
    sandbox.client.pay(merchant_order_reference_id="another")
    sandbox.webhooks.wait_for("payment_succeeded")
    sandbox.clock.advance(minutes=2)
    assert len(came) > 1
    return sandbox.report()


@pytest.fixture
def frozen(inside: SandboxServer) -> Iterator[Sandbox]:
    with Sandbox(server=inside, clock="2026-01-31T12:00:00Z") as sandbox:
        yield sandbox


@pytest.mark.parametrize("route", [*READING][:: times(4, soak=1)])
def test_a_call_that_only_reads_is_no_cause(route: str, frozen: Sandbox) -> None:
    row: Operation = READING[route]
    more = {"limit": 5} if ".list" in row.name or row.name == "events.attempts" else {}
    api = Caller(frozen.client)
    asked = good(api, row)
    told = report_of(frozen, lambda: asked.sent(api, row, **more))
    assert "goes to" in told
    assert "possible causes" not in told


@pytest.mark.parametrize("keyed", [True, False])
def test_a_call_that_is_repeated_with_its_key_is_no_cause(keyed: bool, frozen: Sandbox) -> None:
    api, headers = Caller(frozen.client), {"X-Idempotency-Key": "told"} if keyed else {}
    held = frozen.client.pay(merchant_order_reference_id="held", capture_method="manual_multiple")["payment_id"]
    body = {"amount_to_capture": 1}
    told = report_of(frozen, lambda: api.call("POST", f"/payments/{held}/capture", body, headers=headers))
    assert ("the app acted on it each time" in told, "the same request" in told) == (not keyed, not keyed)


ACTS: Final = {
    row.name: row
    for row in OPERATIONS
    if row.changes and row.keys & {KeyKind.SECRET} and row.takes[0] and not row.multipart and row.method != "DELETE"
    if not row.name.startswith("analytics.")
}
UNDATED: Final = frozenset({"updated", "modified"})


def undated(answer: Any) -> Any:
    """An answer without its times."""
    return {name: value for name, value in answer.items() if not name.endswith("_at") and name not in UNDATED}


@pytest.mark.parametrize("name", [*ACTS][:: times(4, soak=1)])
def test_a_call_that_leaves_the_same_was_not_done_twice(name: str, frozen: Sandbox) -> None:
    """Such as an update with the same values: what moves or makes something again has another answer."""
    api = Caller(frozen.client)
    asked = good(api, ACTS[name])
    first, second = (asked.sent(api, ACTS[name]) for _ in range(2))
    told = frozen.report()
    if first.status == second.status == 200 and undated(first.json) == undated(second.json):
        assert "so it was done" not in told
