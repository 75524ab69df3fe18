"""A timeline says over how much a payment was created, and not over how much it is now.

Random lives of a payment whose amount changes: by updates, increments and confirmations, with a clock that stands and
one that runs, and with a journal that has forgotten. The oracle is the answer to the call that created the payment.
Of a payment that a scenario gave it is said until something changes that.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from mock_server.domain.money import format_amount
from tests.counts import times
from tests.wire import Wire, card_payment, wire


def change(api: Wire, payment: dict[str, Any], draw: Random) -> None:
    """One call that may change the amount; it is refused where the payment's status does not allow it."""
    amount, path = draw.randrange(100, 99_999), f"/payments/{payment['payment_id']}"
    calls: list[tuple[str, dict[str, Any]]] = [
        (path, {"amount": amount}),
        (path, {"description": "another"}),
        (f"{path}/incremental_authorization", {"amount": amount}),
        (f"{path}/confirm", {"payment_method": "card", "payment_method_data": card_payment()["payment_method_data"]}),
        (f"{path}/capture", {"amount_to_capture": draw.randrange(1, 100)}),
        ("/_sandbox/clock/advance", {"by": "1s"}),
    ]
    api.post(*draw.choice(calls))


def created(api: Wire, payment_id: str) -> tuple[Any, str]:
    """The amount in the row of the creation, and that row as text."""
    path = f"/_sandbox/payments/{payment_id}/timeline"
    first = next(row for row in api.get(path).json["data"] if row["kind"] == "created")
    text = api.get(f"{path}?format=text").raw.decode()
    return first["amount"], next(line for line in text.splitlines() if line.endswith(" created"))


@pytest.mark.parametrize("seed", range(times(5, soak=600)))
def test_it_is_that_of_the_call_which_created_it(seed: int) -> None:
    draw, api = Random(seed), wire()
    if draw.random() < 0.5:
        api.post("/_sandbox/clock/freeze")
    body = {**card_payment(), "confirm": draw.random() < 0.5, "capture_method": draw.choice(["manual", "automatic"])}
    body |= {"amount": draw.randrange(100, 99_999), "request_incremental_authorization": True}
    if draw.random() < 0.5:  # some look first whether an id of their own is free
        body |= {"payment_id": "pay_own_order_1"}
        api.get("/payments/pay_own_order_1")
    payment = api.post("/payments", body).json
    for _ in range(draw.randrange(1, 7)):
        change(api, payment, draw)
    amount, line = created(api, payment["payment_id"])
    assert amount == payment["amount"] == body["amount"]
    assert format_amount(payment["amount"], payment["currency"]) in line
    api.call("DELETE", "/_sandbox/journal")
    change(api, payment, draw)
    amount, line = created(api, payment["payment_id"])
    assert amount in (None, payment["amount"]), "what nobody remembers is not said"
    assert amount or line.endswith("  Payment created")


def test_that_of_a_given_payment_is_said_until_something_changes_it() -> None:
    api = wire()
    payment = {"amount": 1234, "currency": "USD", "status": "requires_confirmation"}
    api.put("/_sandbox/scenarios/given", {"version": 1, "name": "given", "given": {"payments": [payment]}})
    api.post("/_sandbox/scenarios/given/activate")
    (given,) = api.get("/payments/list")["data"]
    assert created(api, given["payment_id"])[0] == 1234
    assert api.post(f"/payments/{given['payment_id']}", {"amount": 4321})["amount"] == 4321
    assert created(api, given["payment_id"])[0] is None
