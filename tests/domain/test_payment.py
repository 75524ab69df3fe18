"""The payment's arithmetic, and what its answers read from it, over every status and every part of its sum."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from mock_server.domain import declines
from mock_server.domain import payment as payments
from mock_server.domain.payment import Attempt, Failure, KeptCard, Payment
from mock_server.domain.statuses import ATTEMPT_OF, AttemptStatus, PaymentStatus
from tests.domain.records import PAYMENT

P = PaymentStatus
PARTS = ("shipping_cost", "order_tax_amount", "surcharge_amount", "surcharge_tax")
CARD = KeptCard("visa_success", "Visa", "credit", "4242", "424242", "03", "2030", None, "fp")
WHOLE = {P.REQUIRES_PAYMENT_METHOD, P.REQUIRES_CONFIRMATION, P.REQUIRES_ACTION}
REST = {
    *(P.REQUIRES_CAPTURE, P.PARTIALLY_AUTHORIZED, P.PARTIALLY_CAPTURED_AND_CAPTURABLE),
    *(P.REQUIRES_MERCHANT_ACTION, P.PENDING),
}


def having(**changes: Any) -> Payment:
    return structs.replace(PAYMENT, **changes)


@given(st.lists(st.none() | st.integers(0, 10_000), min_size=4, max_size=4))
def test_what_the_customer_pays_is_the_amount_and_its_parts(parts: list[int | None]) -> None:
    paid = having(**dict(zip(PARTS, parts, strict=True)))
    assert paid.net_amount == 1000 + sum(part or 0 for part in parts)


@pytest.mark.parametrize("status", list(P))
@pytest.mark.parametrize(("authorized", "captured", "pending"), [(1100, 0, 0), (1100, 300, 200), (1100, 1100, 500)])
@pytest.mark.parametrize("method", ["automatic", "manual", "manual_multiple"])
def test_what_can_still_be_captured(status: P, method: str, authorized: int, captured: int, pending: int) -> None:
    made = having(
        status=status,
        capture_method=method,
        shipping_cost=100,
        authorized_amount=authorized,
        captured_amount=captured,
        capture_pending_amount=pending,
    )
    rest = max(0, authorized - captured - pending)
    if status is P.PENDING and not (method == "manual_multiple" and pending):
        rest = 0  # a void, or the only capture, is open
    assert made.amount_capturable == (1100 if status in WHOLE else rest if status in REST else 0)


@pytest.mark.parametrize("asked", [None, "three_ds", "no_three_ds"])
@pytest.mark.parametrize("connector", [None, "payment_sandbox"])
def test_the_authentication_that_is_shown(asked: str | None, connector: str | None) -> None:
    shown = having(authentication_type=asked, connector=connector).authentication_shown
    assert shown == (asked or (None if connector is None else "no_three_ds"))


@pytest.mark.parametrize(
    ("card", "stored", "said"),
    [(None, False, None), (None, True, None), (CARD, False, "manual"), (CARD, True, "saved_card")],
)
def test_where_a_card_came_from(card: KeptCard | None, stored: bool, said: str | None) -> None:
    assert having(card=card, stored=stored).card_discovery == said


@pytest.mark.parametrize("status", list(P))
@pytest.mark.parametrize("earlier", [0, 1, 3])
def test_the_current_attempt_is_the_last_and_follows_from_the_payment(status: P, earlier: int) -> None:
    past = tuple(Attempt(number, AttemptStatus.FAILURE, 1000, 0, 0) for number in range(1, earlier + 1))
    told: dict[str, Any] = {
        "payment_method": "card",
        "payment_method_type": "credit",
        "connector": "stripe",
        "connector_transaction_id": "txn_1",
        "failure": Failure("generic_decline"),
        "cancellation_reason": "changed my mind",
        "payment_token": "token_1",
        "mandate_id": "man_1",
    }
    made = having(status=status, past_attempts=past, shipping_cost=5, modified_at=9, attempt_began_at=7, **told)
    assert made.attempts == (*past, made.attempt)
    assert made.attempt_number == earlier + 1
    assert made.attempt_id == f"pay_1_{earlier + 1}"
    assert structs.asdict(made.attempt) == {
        **told,
        "number": earlier + 1,
        "status": ATTEMPT_OF[status],
        "amount": 1005,
        "created_at": 7,
        "modified_at": 9,
        "authentication_type": "no_three_ds",
    }
    for own in AttemptStatus:
        assert structs.replace(made, attempt_state=own).attempt.status is own


@pytest.mark.parametrize(
    ("method", "is_manual"),
    [
        *((None, False), ("automatic", False), ("sequential_automatic", False)),
        *(("manual", True), ("manual_multiple", True), ("scheduled", True)),
    ],
)
def test_an_approval_only_authorizes_if_the_merchant_captures(method: str | None, is_manual: bool) -> None:
    assert having(capture_method=method).is_manual is is_manual


def test_what_a_refund_or_a_dispute_copies() -> None:
    names = {
        *("payment_id", "merchant_id", "profile_id", "currency", "customer_id"),
        *("payment_method", "payment_method_type", "merchant_connector_id"),
    }
    made = having(**{name: f"of {name}" for name in names})
    assert payments.repeated(made) == {"connector": "payment_sandbox", **{name: f"of {name}" for name in names}}
    assert payments.repeated(having(connector="adyen"))["connector"] == "adyen"


@pytest.mark.parametrize(("said", "linked"), [("true", True), ("false", False), (None, False)])
def test_a_payments_link(said: str | None, linked: bool) -> None:
    made = having(echo={} if said is None else {"payment_link": said}, link_base="http://127.0.0.1:8080")
    assert (payments.linked(made) is made) is linked
    assert payments.link_id(made) == "plink_pay_1"
    assert payments.link_to_pay(made) == "http://127.0.0.1:8080/payment_link/mer_1/pay_1"


@pytest.mark.parametrize(("year", "month"), list(itertools.product(("2030", "30"), ("03", "12"))))
def test_a_card_is_valid_until_the_end_of_its_month(year: str, month: str) -> None:
    card = structs.replace(CARD, exp_year=year, exp_month=month)
    begins, after = {"03": (1898553600000, 1901232000000), "12": (1922313600000, 1924992000000)}[month]
    assert not card.has_expired(begins)
    assert not card.has_expired(after - 1)
    assert card.has_expired(after)


@pytest.mark.parametrize("name", ["insufficient_funds", "of_a_scenario"])
@pytest.mark.parametrize(("code", "message"), [(None, None), ("X1", None), (None, "No."), ("X1", "No.")])
def test_a_failure_has_its_own_words_or_the_tables(name: str, code: str | None, message: str | None) -> None:
    failure, row = Failure(name, code, message), declines.find(name) or declines.UNKNOWN
    assert (row is declines.UNKNOWN) is (name == "of_a_scenario")
    assert failure.row is row
    assert (failure.error_code, failure.error_message) == (code or row.error_code, message or row.error_message)
