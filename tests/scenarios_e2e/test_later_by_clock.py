"""What a rule for the charge plans for later: the clock opens the dispute, fails the refund, ends the authorization.

The table: what is planned × when × with which amount × how often × how the charge is answered at first. The records and
events before and after the instant are computed from the cell alone.
"""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.wire import Wire, wire

AMOUNT: Final = 4200
MS: Final = {"0s": 0, "90s": 90_000, "36h": 129_600_000, "40d": 3_456_000_000}
SETTLING: Final = {"settles": {"after": "5s", "as": "succeeded"}}
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "at once": {},
    "named": {"outcome": "succeeded"},
    "challenged": {"challenge": "approved"},
    "settled": SETTLING,
    "challenged, settled": {"challenge": "approved", **SETTLING},
    "reviewed": {"outcome": "requires_merchant_action", **SETTLING},
}
"""How the bank answers at first; all of them take the money in the end."""


class Cell(NamedTuple):
    """One row of the table. `many`: the rule's `times`; None for each sale, of which chaos declines none."""

    what: str
    after: str
    amount: int | str | None
    many: int | None
    answer: str
    manual: bool

    @property
    def planned(self) -> dict[str, Any]:
        amount = {} if self.amount is None else {"amount": self.amount}
        planned: dict[str, dict[str, Any]] = {
            "dispute": {"dispute": {"after": self.after, "reason": "fraudulent", "respond_within": "3d", **amount}},
            "refund pending": {"later": {"refund": {"settles": {"after": self.after, "as": "failed"}}}},
            "refund back": {
                "later": {"refund": {"outcome": "succeeded", "settles": {"after": self.after, "as": "failed"}}}
            },
            "capture": {
                "later": {
                    "capture": {"settles": {"after": self.after, "as": "failed", "decline": "insufficient_funds"}}
                }
            },
            "expiry": {"expires": self.after},
            "customer": {"expires": self.after},
        }
        return planned[self.what]

    @property
    def disputed(self) -> int:
        if isinstance(self.amount, str):
            return AMOUNT // 2
        return min(self.amount or AMOUNT, AMOUNT)

    @property
    def scenario(self) -> dict[str, Any]:
        rule = {"on": "charge", "then": {**ANSWERS[self.answer], **self.planned}}
        if self.many is None:
            return {"rules": [rule], "chaos": {"decline": {"lost_card": 1}}}
        return {"rules": [{**rule, "times": self.many}]}


def cells() -> list[Cell]:
    """Every cell that makes sense: amounts are the disputes', captures and expiries are of authorizations."""
    rows = [
        *product(["dispute"], MS, (None, 1500, "50%", 9_999_999), (None, 1, 2), ANSWERS, (False, True)),
        *product(["refund pending", "refund back"], MS, (None, 1500), (None, 1, 2), ANSWERS, (False,)),
        *product(["capture"], MS, (None,), (None, 1, 2), ANSWERS, (True,)),
        *product(["expiry"], [when for when in MS if MS[when]], (None,), (None, 1, 2), ANSWERS, (True,)),
        *product(["customer"], [when for when in MS if MS[when]], (None,), (None, 1, 2), ["challenged"], (False,)),
    ]
    # With a challenge, `expires` is the customer's time: the authorization after it has the usual one.
    return [Cell(*row) for row in rows if row[0] != "expiry" or "challenged" not in row[4]]


CELLS: Final = cells()
SHOWN: Final = CELLS if SOAK else Random("later").sample(CELLS, 60)


def sold(api: Wire, cell: Cell) -> str:
    """A sale up to the capture, or for expiries until it waits; its id."""
    manual = {"capture_method": "manual"} if cell.manual else {}
    paid = api.pay("success", amount=AMOUNT, return_url="https://shop.example/back", **manual).json
    payment: str = paid["payment_id"]
    if cell.what == "customer":
        return payment
    if paid["status"] == "requires_action":
        api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"})
    if status(api, payment) in ("pending", "requires_merchant_action", "processing"):
        advance(api, 5_000)
    if cell.manual and cell.what != "expiry":
        assert api.post(f"/payments/{payment}/capture").status == 200
    return payment


def status(api: Wire, payment: str) -> str:
    found: str = api.get(f"/payments/{payment}").json["status"]
    return found


def advance(api: Wire, ms: int) -> None:
    if ms:
        assert api.post("/_sandbox/clock/advance", {"by": f"{ms}ms"}).status == 200


def events(api: Wire, payment: str) -> list[str]:
    rows = api.get(f"/_sandbox/webhooks?payment_id={payment}&limit=100").json["data"]
    return [row["event_type"] for row in rows]


def result(api: Wire, cell: Cell, payment: str, refund: str | None) -> tuple[str, ...]:
    """What is seen of a sale: the record's status and figures, and the last event."""
    last = events(api, payment)[-1]
    if cell.what == "dispute":
        rows = [one for one in api.get("/disputes/list").json["data"] if one["payment_id"] == payment]
        return (last, *(f"{one['amount']} {one['dispute_status']} {one['dispute_stage']}" for one in rows))
    if refund is not None:
        return last, api.get(f"/refunds/{refund}").json["status"]
    return last, status(api, payment)


BEFORE: Final = {
    "refund pending": ("payment_succeeded", "pending"),
    "refund back": ("refund_succeeded", "succeeded"),
    "capture": ("payment_processing", "pending"),
    "expiry": ("payment_authorized", "requires_capture"),
    "customer": ("action_required", "requires_action"),
}
AFTER: Final = {
    "refund pending": ("refund_failed", "failed"),
    "refund back": ("refund_failed", "failed"),
    "capture": ("payment_failed", "failed"),
    "expiry": ("payment_expired", "expired"),
    "customer": ("payment_expired", "expired"),
}
UNPLANNED: Final = {
    "dispute": ("payment_succeeded",),
    "refund pending": ("refund_succeeded", "succeeded"),
    "refund back": ("refund_succeeded", "succeeded"),
    "capture": ("payment_succeeded", "succeeded"),
    "expiry": ("payment_authorized", "requires_capture"),
    "customer": ("payment_succeeded", "succeeded"),
}
"""Of a sale that the rule does not answer any more, at the same instant."""


def before(cell: Cell) -> tuple[str, ...]:
    if cell.what == "capture" and "settled" in cell.answer:  # payment_processing was sent, and is sent once
        return "payment_authorized", "pending"
    return UNPLANNED["dispute"] if cell.what == "dispute" else BEFORE[cell.what]


def after(cell: Cell) -> tuple[str, ...]:
    if cell.what == "dispute":
        return "dispute_opened", f"{cell.disputed} dispute_opened dispute"
    return AFTER[cell.what]


@pytest.mark.parametrize("cell", SHOWN, ids=lambda cell: " ".join(map(str, cell)))
def test_what_was_planned_happens_at_its_time_and_only_to_the_sales_that_were_answered(cell: Cell) -> None:
    api = wire(clock=ManualClock())
    api.post("/_sandbox/clock/freeze")
    raw = json.dumps(cell.scenario).encode()
    put = api.call("PUT", "/_sandbox/scenarios/table", raw=raw, headers={"Content-Type": "application/json"})
    assert put.status == 200, put.json
    assert api.post("/_sandbox/scenarios/table/activate").status == 200
    for number in range(3):
        payment = sold(api, cell)
        refund = None
        if cell.what.startswith("refund"):
            asked = {"payment_id": payment, **({} if cell.amount is None else {"amount": cell.amount})}
            refund = api.post("/refunds", asked).json["refund_id"]
        is_planned = cell.many is None or number < cell.many
        ms = MS[cell.after]
        if ms:
            advance(api, ms - 1)
            expected = before(cell) if is_planned else UNPLANNED[cell.what]
            if is_planned or ms < MS["40d"] or cell.what != "expiry":
                assert result(api, cell, payment, refund) == expected
        advance(api, 1)
        if is_planned:
            assert result(api, cell, payment, refund) == after(cell)


@pytest.mark.parametrize("days", [1, 3])
def test_the_time_to_respond_to_a_planned_dispute_is_the_rules(days: int) -> None:
    api = wire(clock=ManualClock())
    api.post("/_sandbox/clock/freeze")
    dispute = {"after": "40d", "reason": "fraudulent", "respond_within": f"{days}d"}
    entry = api.post("/_sandbox/next", {"then": {"dispute": dispute}})
    assert entry.status == 200, entry.json
    api.pay("success", amount=AMOUNT)
    api.post("/_sandbox/clock/advance", {"by": "40d"})
    made = api.get("/disputes/list").json["data"][0]
    advance(api, days * 86_400_000 - 1)
    assert api.get(f"/disputes/{made['dispute_id']}").json["dispute_status"] == "dispute_opened"
    advance(api, 1)
    assert api.get(f"/disputes/{made['dispute_id']}").json["dispute_status"] == "dispute_expired"
