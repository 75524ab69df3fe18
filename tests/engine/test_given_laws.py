"""A given payment holds what a real one of its status holds: the same fields are set, and the sums are right.

The real ones are made through the API and the clock (`tests.api.places`).
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from msgspec import structs

from mock_server.domain.dispute import HOLDING
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import DisputeStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as S
from tests.api.places import PLACES, workspace
from tests.engine.test_given import AMOUNT, given, payment
from tests.engine.test_given_could_be_made import LEAST
from tests.wire import Wire, wire

PLAIN: Final = {
    *("told", "own", "scenarios", "network_transaction_id", "request_incremental_authorization"),
    *("link_base", "manual_retry_allowed", "past_attempts"),
}
"""What a given payment does not have: nothing was sent for it, and nobody heard of it."""
AT_THE_CONNECTOR: Final = {
    *("connector", "connector_transaction_id", "authorized_amount", "released", "capture_before"),
}
"""What a real payment has that was authorized before it was cancelled or expired; a given one was not."""
PAST: Final = {"capture_before"}


def stored(api: Wire, payment_id: str) -> Payment:
    found = workspace(api).find_payment(payment_id)
    assert isinstance(found, Payment)
    return found


def is_set(record: Payment) -> dict[str, bool]:
    """Which fields are not as in an empty record."""
    return {name: bool(value) for name, value in structs.asdict(record).items() if name not in PLAIN}


@pytest.mark.parametrize("status", list(S))
def test_the_fields_are_those_of_a_real_payment(status: S) -> None:
    api = wire()
    real = stored(api, PLACES[status](api))
    how = {"capture_method": real.capture_method}
    made = stored(given(payments=[payment(status, **how)]), f"pay_{status}")
    without = (
        AT_THE_CONNECTOR if status in (S.CANCELLED, S.EXPIRED) else PAST if status is S.PARTIALLY_CAPTURED else set()
    )
    wanted, has = is_set(real), is_set(made)
    assert {name for name in wanted if wanted[name] != has[name]} - without == set()
    assert made.waiting is None or (real.waiting is not None and made.waiting.kind == real.waiting.kind)


METHODS: Final = ("automatic", "manual", "manual_multiple")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("amount", [1, 2, AMOUNT])
def test_the_sums_are_right(method: str, amount: int) -> None:
    possible = [status for status in S if amount >= LEAST.get(status, 0)]
    api = given(payments=[{**payment(status), "amount": amount, "capture_method": method} for status in possible])
    for status in possible:
        shown = api.get(f"/payments/pay_{status}?expand_captures=true").json
        kept = stored(api, f"pay_{status}")
        captured = sum(one.amount for one in kept.captures if one.status == "charged")
        is_captured_by_hand = method != "automatic" or kept.captured_amount < amount
        assert captured == (kept.captured_amount if is_captured_by_hand else 0), status
        assert (shown["amount_received"] or 0) + shown["amount_capturable"] <= amount
        assert (shown["next_action"] is not None) is (status is S.REQUIRES_ACTION)
        void = (shown["state_metadata"] or {}).get("post_capture_void")
        assert (void is not None) is (status is S.CANCELLED_POST_CAPTURE)
        if status is S.PARTIALLY_AUTHORIZED and amount > 1:
            assert 0 < shown["amount_capturable"] < amount
            rest = api.post(f"/payments/pay_{status}/capture", {"amount_to_capture": shown["amount_capturable"]})
            assert rest["status"] == "succeeded"
        if status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE:
            rest = api.post(f"/payments/pay_{status}/capture", {"amount_to_capture": shown["amount_capturable"]})
            assert (rest["status"], rest["amount_received"]) == ("succeeded", amount)


@pytest.mark.parametrize(("refund", "dispute"), [*product((None, *RefundStatus), (None, *DisputeStatus))])
def test_a_payment_is_no_older_than_what_became_of_it(refund: str | None, dispute: str | None) -> None:
    parts: dict[str, Any] = {}
    if refund:
        parts["refunds"] = [{"amount": 10, "status": refund, "ago": "1h"}]
    if dispute:
        parts["disputes"] = [{"amount": 20, "status": dispute, "ago": "30m"}]
    api = given(payments=[payment(ago="1d", **parts)])
    shown = api.get("/payments/pay_succeeded").json
    times = [one["updated_at"] for one in shown["refunds"] or ()] + [
        one["created_at"] for one in shown["disputes"] or ()
    ]
    assert shown["updated"] == max([shown["created"], *times])
    held = 20 if dispute and DisputeStatus(dispute) in HOLDING else 0
    assert stored(api, "pay_succeeded").disputed_amount == held


def test_a_given_challenge_is_finished_on_its_page() -> None:
    api = given(payments=[payment(S.REQUIRES_ACTION)])
    shown = api.get("/payments/pay_requires_action").json
    page = urlsplit(shown["next_action"]["redirect_to_url"])
    assert page.netloc == "localhost"
    answer = api.as_key(None).get(page.path)
    assert answer.status == 200 and b"<form" in answer.raw
    assert api.post("/_sandbox/payments/pay_requires_action/authenticate", {"result": "approved"}).status == 200
