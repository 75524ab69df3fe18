"""Why a payment stands as it does, in full: what was done by hand, and what is scheduled for all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from tests.dashboard.visitor import Visitor
from tests.wire import Wire

Made = Callable[[Wire], tuple[str, str]]
"""Makes a payment; its id, and that of the record that is acted on."""


def paid(card: str = "visa_success", **fields: Any) -> Made:
    def make(api: Wire) -> tuple[str, str]:
        return (made := str(api.pay(card, **fields)["payment_id"])), made

    return make


def refunded(**then: Any) -> Made:
    def make(api: Wire) -> tuple[str, str]:
        payment = str(api.pay()["payment_id"])
        assert api.post("/_sandbox/next", {"on": "refunds.create", "then": then}).status == 200
        return payment, str(api.post("/refunds", {"payment_id": payment, "amount": 100})["refund_id"])

    return make


def disputed(api: Wire) -> tuple[str, str]:
    payment = str(api.pay()["payment_id"])
    return payment, str(api.post(f"/_sandbox/payments/{payment}/dispute", {"amount": 100})["dispute_id"])


SETTLES: Final = {"outcome": "pending", "settles": {"after": "30s", "as": "failed"}}
ACTS: Final[dict[str, tuple[Made, dict[str, Any]]]] = {
    "control.authenticate": (paid("visa_3ds_always"), {"result": "declined"}),
    "control.settle": (paid("visa_pending"), {"as": "failed", "decline": "stolen_card"}),
    "control.fail": (paid("visa_pending"), {"decline": "lost_card"}),
    "control.expire": (paid(confirm=False), {"what": "session"}),
    "control.hold": (paid("visa_pending"), {}),
    "control.dispute": (paid(), {"amount": 100, "reason": "fraudulent"}),
    "control.settle_refund": (refunded(**SETTLES), {"as": "failed"}),
    "control.advance_dispute": (disputed, {"to": "lost"}),
}
PARTS: Final = ("<payment_id>", "<refund_id>", "<dispute_id>")
TRIGGERS: Final = {
    row.name: row.path for row in CONTROL_OPERATIONS if row.method == "POST" and any(part in row.path for part in PARTS)
}


def why(api: Wire, payment: str) -> Any:
    return api.get(f"/_sandbox/payments/{payment}/why")


@pytest.mark.parametrize("operation", TRIGGERS)
def test_what_was_done_by_hand_is_among_the_reasons(api: Wire, operation: str) -> None:
    make, body = ACTS[operation]
    payment, id = make(api)
    path = "/".join(id if part in PARTS else part for part in TRIGGERS[operation].split("/"))
    before = [one["operation"] for one in why(api, payment)["decisions"]]
    assert api.post(path, {**body, "nonsense": 1}).status == 400
    assert [one["operation"] for one in why(api, payment)["decisions"]] == before, "what was refused did nothing"
    assert api.post(path, body).status == 200
    last = why(api, payment)["decisions"][-1]
    assert (last["operation"], last["by"]) == (operation, "hand")
    for value in body.values():
        assert (f"{value / 100:.2f}" if isinstance(value, int) else value) in last["text"]


WAITING: Final[dict[str, Made]] = {
    "authorization": paid(capture_method="manual"),
    "challenge": paid("visa_3ds_always"),
    "settlement": paid("visa_pending_succeeds"),
    "review": paid("visa_review_rejected"),
    "dispute": disputed,
    "refund": refunded(**SETTLES),
    "refund that comes back": refunded(outcome="succeeded", settles={"after": "5d", "as": "failed"}),
    "bank's dispute": paid("visa_dispute_fraudulent"),
}


@pytest.mark.parametrize("waits", WAITING)
def test_what_is_scheduled_next_is_what_the_payment_shows_next(api: Wire, waits: str) -> None:
    """A workspace with one payment: the clock and the payment, with its refunds and disputes, know the same."""
    payment, _ = WAITING[waits](api)
    seen, page = 0, Visitor(api)
    while next_due := api.get("/_sandbox/clock")["next_due"]:
        due = why(api, payment)["due"]
        assert next_due == (due or [None])[0]
        assert due == sorted(due, key=lambda one: str(one["at"]))
        assert page.read(f"payments/{payment}").count('data-testid="due"') == len(due)
        fired = api.post("/_sandbox/clock/advance", {"to": next_due["at"]})["fired"]
        seen += bool(fired)
    assert seen > 0
    assert why(api, payment)["due"] == []
