"""Why a payment ended: one sentence for each way to each end, from the table of transitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import unescape
from typing import Any, Final

import pytest

from mock_server.domain.transitions import PAYMENT_MACHINE, TERMINAL, Trigger
from tests.dashboard.visitor import Visitor, said
from tests.wire import Wire, wire

Made = Callable[[Wire], str]
RETURN: Final = {"return_url": "https://shop.example/back"}
BANK: Final = {"payment_method": "bank_transfer", "payment_method_type": "sepa"}


def paid(card: str = "success", **fields: Any) -> Made:
    return lambda api: str(api.pay(card, **fields)["payment_id"])


def then(make: Made, *calls: tuple[str, Mapping[str, Any]]) -> Made:
    """A payment, and calls with its id in their path (or in the body of a queued outcome)."""

    def made(api: Wire) -> str:
        payment = make(api)
        for path, body in calls:
            answer = api.post(path.format(payment), body)
            assert answer.status == 200, answer.raw
        return payment

    return made


def queued(on: str, outcome: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    return "/_sandbox/next", {"on": on, "then": outcome}


MANUAL: Final = paid(capture_method="manual")
CAPTURE, CANCEL = "/payments/{}/capture", "/payments/{}/cancel"
LATER: Final = ("/_sandbox/clock/advance", {"by": "8d"})
SOON: Final = ("/_sandbox/clock/advance", {"by": "16m"})
PART: Final = (CAPTURE, {"amount_to_capture": 1000})
SETTLE: Final = "/_sandbox/payments/{}/settle"
AUTHENTICATE: Final = "/_sandbox/payments/{}/authenticate"


VOID: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    queued("payments.cancel", {"outcome": "pending"}),
    (CANCEL, {}),
    (SETTLE, {"as": "succeeded"}),
)


def transferred(amount: int) -> Made:
    def make(api: Wire) -> str:
        body: dict[str, Any] = {**BANK, "payment_method_data": {"bank_transfer": {"sepa_bank_transfer": {}}}, **RETURN}
        return str(api.pay(**body, email="ada@example.com")["payment_id"])

    return then(make, (SETTLE, {"as": "pending"}), (SETTLE, {"as": "succeeded", "amount": amount}))


WAYS: Final[Mapping[Trigger, Mapping[str, Made]]] = {
    Trigger.CHARGED: {"Payment succeeded.": paid()},
    Trigger.DECLINED: {"Payment declined: insufficient funds (DC_08).": paid("visa_insufficient_funds")},
    Trigger.CHALLENGE_FAILED: {
        "Payment failed: the customer's authentication failed (AUTHENTICATION_FAILED).": then(
            paid("visa_3ds_required"), (AUTHENTICATE, {"result": "declined"})
        ),
        "Payment failed: the customer cancelled the payment (PAYMENT_CANCELLED_BY_USER).": then(
            paid("visa_3ds_required"), (AUTHENTICATE, {"result": "cancelled"})
        ),
    },
    Trigger.CUSTOMER_TIME_OVER: {
        "Expired: the customer did not finish 3-D Secure in 15 minutes.": then(paid("visa_3ds_required"), SOON),
        "Expired: the customer did not finish 3-D Secure in time.": then(
            paid("visa_3ds_required"), ("/_sandbox/payments/{}/expire", {"what": "customer"})
        ),
    },
    Trigger.AUTHORIZATION_EXPIRED: {
        "Expired: it was authorized, and not captured for 7 days.": then(MANUAL, LATER),
    },
    Trigger.PAID_IN_PART: {"Captured in part: 10.00 of 65.40 USD.": transferred(1000)},
    Trigger.APPROVED_AND_CHARGED: {"Payment succeeded.": then(paid("visa_review"), ("/payments/{}/approve", {}))},
    Trigger.REJECTED: {
        "Payment failed: rejected by the merchant after a review (manual_review).": then(
            paid("visa_review"), ("/payments/{}/reject", {})
        )
    },
    Trigger.CAPTURED_IN_FULL: {"Payment succeeded.": then(MANUAL, (CAPTURE, {}))},
    Trigger.CAPTURED_AND_CLOSED: {"Captured in part: 10.00 of 65.40 USD.": then(MANUAL, PART)},
    Trigger.CAPTURE_FAILED: {
        "Payment failed: the capture failed at the connector (capture_failed).": then(
            MANUAL, queued("payments.capture", {"outcome": "failed"}), (CAPTURE, {})
        )
    },
    Trigger.CANCELLED: {"Cancelled (out of stock).": then(MANUAL, (CANCEL, {"cancellation_reason": "out of stock"}))},
    Trigger.REST_RELEASED: {
        "Captured in part: 10.00 of 65.40 USD.": then(paid(capture_method="manual_multiple"), PART, (CANCEL, {}))
    },
    Trigger.VOIDED: {"Cancelled.": then(MANUAL, *VOID)},
    Trigger.VOIDED_REST: {
        "Captured in part: 10.00 of 65.40 USD.": then(
            paid(capture_method="manual_multiple"), PART, *VOID
        )
    },
    Trigger.VOID_FAILED: {
        "Payment failed: the authorization could not be released (void_failed).": then(
            MANUAL, queued("payments.cancel", {"outcome": "failed"}), (CANCEL, {})
        )
    },
    Trigger.REVERSED: {
        "Reversed after capture: 65.40 USD was returned to the customer.": then(
            paid(), ("/payments/{}/cancel_post_capture", {})
        )
    },
}  # fmt: skip
"""Each trigger that leads to an end, with the sentence for it, and how a payment gets there."""


def test_every_way_to_an_end_has_its_sentence() -> None:
    assert set(WAYS) == {row.what for row in PAYMENT_MACHINE.rows if row.target in TERMINAL}


@pytest.mark.parametrize(
    ("sentence", "make"),
    [
        pytest.param(sentence, make, id=f"{trigger}-{number}")
        for trigger, ways in WAYS.items()
        for number, (sentence, make) in enumerate(ways.items())
    ],
)
def test_the_page_says_why_once(sentence: str, make: Made) -> None:
    api = wire()
    api.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
    payment = make(api)
    page = Visitor(api).read(f"payments/{payment}")
    assert said(page, "headline") == sentence
    summary = unescape(page[page.index('id="summary"') : page.index('id="acts"')])
    assert summary.count(sentence.partition(": ")[2].partition(" (")[0] or sentence) == 1
