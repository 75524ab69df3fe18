"""A timeline has a payment's events in the order in which they happened, also where much happens at one instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

import pytest

from tests.counts import times
from tests.wire import Reply, Wire, wire

CARDS: Final = ("visa_dispute_fraudulent", "visa_dispute_twice", "visa_refund_pending", "visa_refund_fails_later")
CALLS: Final[Mapping[str, Callable[[Wire], Reply]]] = {
    "capture": lambda api: api.post("/payments/pay_1/capture", {"amount_to_capture": 3000}),
    "refund": lambda api: api.post("/refunds", {"payment_id": "pay_1", "amount": 10}),
    "extend": lambda api: api.post("/payments/pay_1/extend_authorization"),
    "note": lambda api: api.post("/payments/pay_1/update_metadata", {"metadata": {"note": "x"}}),
    "look": lambda api: api.get("/payments/pay_1"),
    "settle": lambda api: api.post("/_sandbox/clock/advance", {"by": "10s"}),
}


@pytest.mark.parametrize("seed", range(times(40, soak=2_000)))
def test_events_are_in_the_order_of_their_numbers(seed: int) -> None:
    """Each event also follows the row of the call that caused it, with no other call between."""
    api, draw = wire(), Random(seed)
    api.post("/_sandbox/clock/freeze")
    api.pay(draw.choice(CARDS), payment_id="pay_1", capture_method=draw.choice(("manual", "manual_multiple")))
    for _ in range(8):
        CALLS[draw.choice(list(CALLS))](api)
    numbers = {one["event_id"]: one["number"] for one in api.get("/_sandbox/webhooks?limit=1000")["data"]}
    kinds = ("/_sandbox/journal?limit=1000", "/_sandbox/journal?limit=1000&operation=control.*")
    lines = [line for path in kinds for line in api.get(path)["data"]]
    makers = {number: line["number"] for line in lines for number in line["events"]}
    rows = api.get("/_sandbox/payments/pay_1/timeline")["data"]
    shown, call = [], None
    for row in rows:
        call = row.get("line", call)
        if row["kind"] == "event":
            shown.append(numbers[row["event_id"]])
            assert makers.get(shown[-1], call) == call
    assert shown == sorted(numbers.values())
