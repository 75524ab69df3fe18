"""What `tail` prints first is in the order in which it happened, also at a time that stands still or was set back."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from mock_server.cli.following import EventNews
from mock_server.cli.tail import TailEntry, in_order
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, wire

CARDS: Final = (
    "success",
    "visa_insufficient_funds",
    "visa_pending_succeeds",
    "visa_dispute_twice",
    "visa_3ds_required",
)


def rows(api: Wire, path: str) -> list[Any]:
    return list(api.get(f"/_sandbox/{path}?limit=1000")["data"])


def live(draw: random.Random, clock: ManualClock, api: Wire) -> None:
    paid: list[str] = []
    if draw.random() < 0.7:
        for _ in range(draw.randrange(3)):
            api.get("/payments/list")
        api.post("/_sandbox/clock/freeze", draw.choice(({}, {"at": "2025-01-31"})))
    for _ in range(14):
        match draw.choice(("pay", "pay", "refund", "look", "trigger", "advance", "pass")):
            case "pay":
                made = api.pay(draw.choice(CARDS), capture_method=draw.choice(("automatic", "manual")))
                paid.append(made["payment_id"])
            case "refund" if paid:
                api.post("/refunds", {"payment_id": draw.choice(paid), "amount": 1})
            case "look":
                api.get("/payments/list")
            case "trigger" if paid:
                api.post(f"/_sandbox/payments/{draw.choice(paid)}/dispute", {"amount": 1})
            case "advance":
                api.post("/_sandbox/clock/advance", {"by": draw.choice(("0s", "10s", "8d"))})
            case "pass":
                clock.advance(draw.choice((0, 1, 10_000)))


@pytest.mark.parametrize("seed", range(times(12, soak=600)))
def test_calls_and_events_come_in_their_order(seed: int) -> None:
    """A call comes before an event that has the number of one that it caused, or a later one, and after others."""
    draw, clock = random.Random(seed), ManualClock()
    api = wire(clock=clock)
    live(draw, clock, api)
    lines = draw.choice((1, 3, 1000))
    calls = [TailEntry(row["at"], "call", row) for row in rows(api, "journal")[-lines:]]
    news = [EventNews(row, True, row["deliveries"]) for row in rows(api, "webhooks")[-lines:]]
    printed = [one for one in in_order(calls, news) if one.sort in ("call", "event")]
    for sort, all_of in (("call", [one.what for one in calls]), ("event", [one.event for one in news])):
        assert [one.what for one in printed if one.sort == sort] == all_of
    places = {(one.sort, one.what["number"]): place for place, one in enumerate(printed)}
    for call in calls:
        for event in news if call.what["events"] else ():
            is_later = places["event", event.event["number"]] > places["call", call.what["number"]]
            assert is_later is (event.event["number"] >= call.what["events"][0])
