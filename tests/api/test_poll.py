"""What a browser asks while its customer is with the bank (facts §1.6)."""

from __future__ import annotations

from mock_server.domain.statuses import PaymentStatus as Status
from tests.api.places import PLACES
from tests.wire import Wire


def status_of(api: Wire, payment: str) -> object:
    shown = api.page().get(f"/poll/status/external_authentication_{payment}")
    assert shown["poll_id"] == f"external_authentication_{payment}"
    return shown["status"]


def test_a_poll_waits_as_long_as_the_customer_is_with_the_bank(api: Wire) -> None:
    payment = PLACES[Status.REQUIRES_ACTION](api)
    assert status_of(api, payment) == "pending"
    assert api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"}).status == 200
    assert status_of(api, payment) == "completed"


def test_a_poll_of_no_payment_or_of_anothers_is_not_found(api: Wire) -> None:
    assert status_of(api, "pay_nobody") == "not_found"
    payment = PLACES[Status.REQUIRES_ACTION](api)
    stranger = api.as_key("snd_somebody_else")
    assert stranger.get("/payments/list").status == 200
    assert status_of(stranger, payment) == "not_found"
