"""Every call that changes something can be repeated with its idempotency key: the same answer, and nothing happens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from tests.api.money_places import PDF
from tests.routes.good import GOOD, Good, as_client, caller
from tests.wire import Reply, Wire, wire

KEYED: Final = {"X-Idempotency-Key": "once"}


def good(api: Wire, row: Operation) -> Good:
    made = GOOD[row.name](api)
    made = as_client(made, row) if row.wants_secret and KeyKind.SECRET not in row.keys else made
    made.headers = {**made.headers, **KEYED}
    return made


def stored(api: Wire) -> dict[str, Any]:
    """The records of the client's workspace, and what is due there."""
    assert api.put("/_sandbox/snapshots/now").status == 200
    found = api.get("/_sandbox/snapshots/now").json["workspace"]
    return {name: found[name] for name in ("records", "due", "counters", "streams")}


def told(reply: Reply) -> tuple[int, bytes, str | None]:
    return reply.status, reply.raw, reply.headers.get("X-Sandbox-Replayed")


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.changes], ids=lambda row: row.name)
def test_a_repeat_gets_the_answer_and_does_nothing(row: Operation) -> None:
    api = wire()
    call, who = good(api, row), caller(api, row)
    first = call.sent(who, row)
    before = stored(api)
    again = call.sent(who, row)
    assert told(first) == (200, first.raw, None)
    assert told(again) == (200, first.raw, "true")
    assert stored(api) == before
    other = another(call).sent(who, row, **({} if call.form else {"description": "another"}))
    assert other.status == (422 if row.reads_body(row.method) or call.form else 200)


OTHERWISE: Final[dict[str, dict[str, Any]]] = {
    "blocklist.toggle": {"query": "?status=false"},
    "analytics.report": {"headers": {**KEYED, "X-Profile-Id": "pro_second"}},
}
"""What else the call could say, beside its path and body."""
BESIDE: Final = [
    route for row in OPERATIONS for route in row.routes if row.changes and (row.query or "/profile/" in route.path)
]


@pytest.mark.parametrize("route", BESIDE, ids=lambda route: route.path)
def test_another_query_or_profile_makes_another_call(route: Operation) -> None:
    api = wire()
    call = good(api, route)
    assert api.post("/payments", {"amount": 1, "currency": "EUR", "profile_id": "pro_second"}).status == 200
    assert told(call.sent(api, route))[::2] == (200, None)
    before = stored(api)
    other = replace(call, **OTHERWISE[route.name]).sent(api, route)
    assert (other.status, other.headers.get("X-Sandbox-Replayed"), stored(api)) == (422, None, before)


def another(call: Good) -> Good:
    """The call with another file, if it has one."""
    if call.form is None:
        return call
    name, content, kind = PDF
    return replace(call, form={**call.form, "file": (name, content + b" ", kind)})
