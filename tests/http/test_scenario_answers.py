"""A scenario's own answer is sent as it was written, and of what holds keys or files the journal keeps no answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.clocks import ManualClock
from tests.routes.good import caller
from tests.routes.test_every_route import good
from tests.wire import Wire, card_payment, wire


def ruled(then: dict[str, Any], **more: Any) -> Wire:
    api = wire(clock=ManualClock())
    rules = [{"on": "payments.create", "then": then}]
    assert api.put("/_sandbox/scenarios/own", {"name": "own", "rules": rules, **more}).status < 300
    assert api.post("/_sandbox/scenarios/own/activate").status < 300
    return api


@pytest.mark.parametrize(
    ("body", "sent"), [("<p>down</p>", b"<p>down</p>"), ({"a": [1]}, b'{"a":[1]}'), (None, b""), ([], b"[]")]
)
def test_a_text_is_sent_as_it_is_and_a_value_as_json(body: Any, sent: bytes) -> None:
    reply = ruled({"respond": {"status": 503, "body": body}}).post("/payments", card_payment())
    assert (reply.status, reply.raw) == (503, sent)


@pytest.mark.parametrize(("fault", "seen"), [("connection_reset", 0), ("slow_body", 1), (None, 1)])
def test_a_status_is_counted_only_if_the_client_got_it(fault: str | None, seen: int) -> None:
    then = {"fault": fault, "effect": "kept"} if fault else {"headers": {"X-Own": "1"}}
    api = ruled(then, expect=[{"calls": {"on": "payments.create", "http": 200}, "exactly": seen}])
    with suppress(ConnectionResetError):  # as a client sees it
        api.post("/payments", card_payment())
    assert api.post("/_sandbox/scenarios/own/check").json["holds"]


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.holds_keys], ids=lambda row: row.name)
def test_the_journal_keeps_no_answer_that_holds_keys(row: Operation) -> None:
    api = wire(clock=ManualClock())
    call = good(api, row)
    assert call.sent(caller(api, row), row).status < 300
    kept = [one for one in api.get("/_sandbox/journal?limit=100").json["data"] if one["operation"] == row.name]
    assert [one["response"] for one in kept] == [None] * len(kept)
