"""When the clock changed a payment is known from the numbers of events, whatever times the calls around it show."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.verdict.evidence import read
from mock_server.verdict.rules import judge
from tests.counts import times
from tests.verdict.clients import broken
from tests.verdict.clients_by_kind import Client
from tests.verdict.conftest import Left
from tests.verdict.test_growth import CLIENTS

CHANGED: Final = (broken.captured_after_expiry, broken.pending_never_looked, broken.challenge_not_followed)
"""Clients that miss what the clock changes."""
ALL: Final = (*CHANGED, *(client for client in CLIENTS if client not in CHANGED))
EARLIER: Final = 40
"""The number of calls before anything is created."""
SET_BACK_FROM: Final = "2099-01-01T00:00:00.000Z"


def with_calls_before(evidence: dict[str, Any], at: str) -> dict[str, Any]:
    """The evidence after calls that changed nothing, and had this time."""
    calls = evidence["journal"]["data"]
    look = {"method": "GET", "path": "/payments/list", "operation": "payments.list", "status": 200, "response": {}}
    look |= {"payment_id": None, "events": [], "idempotency": None, "headers": {}, "at": at}
    first = min(call["began_us"] for call in calls) - 3_600_000_000
    before = [{**calls[0], **look, "number": place - EARLIER, "began_us": first + place} for place in range(EARLIER)]
    return {**evidence, "journal": {"data": [*before, *calls]}}


def at_once(evidence: dict[str, Any]) -> dict[str, Any]:
    """The evidence, as if what the clock changes had been due at the very instant of the call before it."""
    caused = {number: call["at"] for call in evidence["journal"]["data"] for number in call["events"]}
    for event in sorted(evidence["webhooks"]["data"], key=lambda one: int(one["number"])):
        earlier = [at for number, at in caused.items() if number < event["number"]]
        if event["number"] not in caused and earlier:
            event["created"] = caused[event["number"]] = max(earlier)
    return evidence


def found(evidence: dict[str, Any]) -> dict[str, Any]:
    return {one.rule.id: (one.state, one.reason, one.seen) for one in judge(read(evidence)).results}


@pytest.mark.parametrize("client", ALL[: times(len(CHANGED), soak=len(ALL))], ids=lambda one: one.__name__)
def test_calls_before_the_clock_was_set_back_change_nothing(left: Left, client: Client) -> None:
    evidence = left(client)
    earliest = min((call["at"] for call in evidence["journal"]["data"]), default=SET_BACK_FROM)
    assert found(with_calls_before(evidence, SET_BACK_FROM)) == found(with_calls_before(evidence, earliest))


@pytest.mark.parametrize("client", ALL[: times(len(CHANGED), soak=len(ALL))], ids=lambda one: one.__name__)
def test_what_is_due_at_once_came_after_its_call(left: Left, client: Client) -> None:
    assert found(at_once(left(client))) == found(left(client))
