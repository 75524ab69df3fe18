"""A given payment has a value in each field in which a payment has one that calls led to the same status."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.domain.statuses import PaymentStatus as S
from tests.api.money_places import fine
from tests.api.test_filled_fields import filled
from tests.engine.test_given import AMOUNT, given, payment
from tests.wire import Wire, wire

Then = Callable[[Wire, str], Any]


def nothing(api: Wire, path: str) -> None:
    """It is there already."""


def posts(tail: str, body: dict[str, Any]) -> Then:
    return lambda api, path: fine(api.post(f"{path}/{tail}", body))


def captured(amount: int) -> Then:
    return posts("capture", {"amount_to_capture": amount})


def captured_and_voided(api: Wire, path: str) -> None:
    captured(AMOUNT)(api, path)
    voided(api, path)


def voided(api: Wire, path: str) -> None:
    posts("cancel_post_capture", {})(api, path)


def overtaken(api: Wire, path: str) -> None:
    fine(api.post("/_sandbox/clock/advance", {"by": "1h"}))


MANUAL, MULTIPLE = {"capture_method": "manual"}, {"capture_method": "manual_multiple"}
AUTOMATIC: Final = {"capture_method": "automatic"}
PART: Final = {"enable_partial_authorization": True}
LIVES: Final[tuple[tuple[S, dict[str, Any], str, Then], ...]] = (
    (S.REQUIRES_CONFIRMATION, {"confirm": False}, "success", nothing),
    (S.CANCELLED, {"confirm": False}, "success", posts("cancel", {})),
    *((S.REQUIRES_ACTION, by, "visa_3ds_required", nothing) for by in (AUTOMATIC, MANUAL, MULTIPLE)),
    *((S.EXPIRED, by, "visa_3ds_required", overtaken) for by in (AUTOMATIC, MANUAL)),
    *((S.PENDING, by, "visa_pending_succeeds", nothing) for by in (AUTOMATIC, MANUAL, MULTIPLE)),
    *((S.REQUIRES_MERCHANT_ACTION, by, "visa_review_approved", nothing) for by in (AUTOMATIC, MANUAL, MULTIPLE)),
    *((S.FAILED, by, "visa_generic_decline", nothing) for by in (AUTOMATIC, MANUAL, MULTIPLE)),
    *((S.REQUIRES_CAPTURE, by, "success", nothing) for by in (MANUAL, MULTIPLE)),
    *((S.PARTIALLY_AUTHORIZED, {**by, **PART}, "visa_partial_authorization", nothing) for by in (MANUAL, MULTIPLE)),
    (S.PARTIALLY_CAPTURED, MANUAL, "success", captured(AMOUNT // 2)),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, MULTIPLE, "success", captured(AMOUNT // 2)),
    (S.SUCCEEDED, AUTOMATIC, "success", nothing),
    *((S.SUCCEEDED, by, "success", captured(AMOUNT)) for by in (MANUAL, MULTIPLE)),
    (S.CANCELLED_POST_CAPTURE, AUTOMATIC, "success", voided),
    *((S.CANCELLED_POST_CAPTURE, by, "success", captured_and_voided) for by in (MANUAL, MULTIPLE)),
)  # fmt: skip
"""A status, how the payment is asked for, its card, and what is done then."""


def named(part: object) -> str | None:
    return str(part["capture_method"]) if isinstance(part, dict) and "capture_method" in part else None


@pytest.mark.parametrize(("status", "asked", "card", "then"), LIVES, ids=named)
def test_the_same_fields_have_values(status: S, asked: dict[str, Any], card: str, then: Then) -> None:
    api = wire()
    fine(api.post("/_sandbox/clock/freeze"))
    made = fine(api.pay(card, amount=AMOUNT, currency="EUR", **asked))
    then(api, f"/payments/{made['payment_id']}")
    whole = "?expand_attempts=true&expand_captures=true"
    called = fine(api.get(f"/payments/{made['payment_id']}{whole}")).json
    assert called["status"] == status
    by = {name: value for name, value in asked.items() if name == "capture_method"}
    shown = fine(given(payments=[payment(status, **by)]).get(f"/payments/pay_{status}{whole}")).json
    assert {*filled(shown)} == {*filled(called)}
