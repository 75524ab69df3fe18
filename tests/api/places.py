"""A payment in each status, made through the API and the clock as a client would make it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import structs

from mock_server.domain.outcomes import Challenge, OutcomeStatus
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import charge, settle
from mock_server.store.transaction import Transaction
from tests.sandbox.workspaces import carry_out
from tests.wire import Wire, card_payment

Make = Callable[[Wire], str]


def _id(reply: Any) -> str:
    assert reply.status == 200, reply.raw
    return str(reply["payment_id"])


def _without_method(api: Wire) -> str:
    return _id(api.post("/payments", {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}))


def _with_method(api: Wire) -> str:
    return _id(api.post("/payments", card_payment()))


def _authorized(api: Wire, **fields: Any) -> str:
    return _id(api.pay(capture_method="manual", request_incremental_authorization=True, **fields))


def _captured_in_part(api: Wire) -> str:
    payment = _id(api.pay(capture_method="manual_multiple"))
    return _id(api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1000}))


def _cancelled(api: Wire) -> str:
    return _id(api.post(f"/payments/{_authorized(api)}/cancel"))


def _partially_captured(api: Wire) -> str:
    return _id(api.post(f"/payments/{_authorized(api)}/capture", {"amount_to_capture": 1000}))


def _reversed(api: Wire) -> str:
    return _id(api.post(f"/payments/{_id(api.pay())}/cancel_post_capture"))


def _expired(api: Wire) -> str:
    payment = _authorized(api)
    carry_out(workspace(api), settle.expire_authorization, payment)
    return payment


def workspace(api: Wire) -> Any:
    """The workspace of the client's key, for triggers that have no route in this suite."""
    from mock_server.domain.api_keys import ApiKey, parse

    key = parse(api.key)
    assert isinstance(key, ApiKey)
    return api.sandbox.workspace(key)


def copied(api: Wire, payment_id: str, times: int) -> Payment:
    """Copies a payment so often, past the API: fifty thousand calls take too long."""
    known: Payment | None = workspace(api).find_payment(payment_id)
    assert known is not None

    def put(tx: Transaction) -> None:
        for number in range(times):
            tx.put(PAYMENTS, structs.replace(known, payment_id=f"pay_{number}"))

    workspace(api).space.transact(put)
    return known


def authenticate(api: Wire, payment_id: str, result: Challenge = Challenge.APPROVED) -> None:
    """Ends a challenge as a customer or the API twin does."""
    carry_out(workspace(api), charge.authenticate, payment_id, result)


def settles(api: Wire, payment_id: str, word: OutcomeStatus = OutcomeStatus.SUCCEEDED) -> None:
    """Closes an open payment."""
    carry_out(workspace(api), settle.settle, payment_id, word)


PLACES: dict[S, Make] = {
    S.REQUIRES_PAYMENT_METHOD: _without_method,
    S.REQUIRES_CONFIRMATION: _with_method,
    S.REQUIRES_ACTION: lambda api: _id(api.pay("visa_3ds_required")),
    S.REQUIRES_MERCHANT_ACTION: lambda api: _id(api.pay("visa_review")),
    S.REQUIRES_CAPTURE: _authorized,
    S.PENDING: lambda api: _id(api.pay("visa_pending")),
    S.PARTIALLY_CAPTURED_AND_CAPTURABLE: _captured_in_part,
    S.PARTIALLY_AUTHORIZED: lambda api: _id(api.pay("visa_partial_authorization", enable_partial_authorization=True)),
    S.PARTIALLY_CAPTURED: _partially_captured,
    S.SUCCEEDED: lambda api: _id(api.pay()),
    S.FAILED: lambda api: _id(api.pay("visa_generic_decline")),
    S.CANCELLED: _cancelled,
    S.CANCELLED_POST_CAPTURE: _reversed,
    S.EXPIRED: _expired,
}
"""How a payment comes to each status."""
