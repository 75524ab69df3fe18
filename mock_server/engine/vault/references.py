"""The method of a payment: a card, another payload, or a reference to a saved method (facts §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from mock_server.domain.commands import PaymentRequest
from mock_server.domain.customer import PaymentMethod
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.machine import apply_transition
from mock_server.domain.payment import KeptMethod, Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import Trigger
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import instrument
from mock_server.engine.vault import mandates, methods
from mock_server.store.transaction import Transaction

Changes = dict[str, Any]

NOTHING: Mapping[str, Any] = {
    "card": None,
    "method": None,
    "method_billing": None,
    "payment_token": None,
    "payment_method_id": None,
    "connector_mandate_id": None,
    "mandate_id": None,
    "stored": False,
    "set_up": False,
}
"""The fields of a payment without a method."""


def names_one(request: PaymentRequest) -> bool:
    """Whether a request refers to a saved method."""
    return bool(request.payment_token or request.mandate_id or request.recurring_details)


def changes(tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest) -> Changes:
    """The fields of a payment from a reference.

    Refused as `payment_token_over`, `object_unknown`, `method_status_forbids`, `method_not_off_session`,
    `data_mismatch`.
    """
    if request.payment_token is not None:
        method_id = methods.redeem(tx, context, request.payment_token, payment.customer_id)
        method = methods.chargeable(tx, method_id, payment.customer_id)
        found = {**_filled(method), "payment_token": request.payment_token}
    elif request.mandate_id is not None:
        found = _by_mandate(tx, context, request.mandate_id)
    else:
        found = _by_details(tx, context, payment, request)
    category = found["payment_method"]
    if request.payment_method not in (None, category):
        raise Refusal(Cause.DATA_MISMATCH, method=request.payment_method, given=f"a saved {category}")
    return {**NOTHING, "stored": True, **found}


def _filled(method: PaymentMethod) -> Changes:
    return {
        "payment_method": method.payment_method,
        "payment_method_type": method.payment_method_type,
        "payment_method_id": method.payment_method_id,
        "connector_mandate_id": method.connector_mandate_id,
        "card": method.card,
        "method": method.method,
        "method_billing": method.billing,
        "set_up": method.set_up,
    }


def _by_mandate(tx: Transaction, context: CommandContext, mandate_id: str) -> Changes:
    """By a mandate; its bounds are checked when the issuer is asked."""
    mandate = mandates.retrieve(tx, context, mandate_id)
    method = methods.find(tx, mandate.payment_method_id)
    return {**_filled(method), "mandate_id": mandate_id}


def _by_details(tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest) -> Changes:
    """By the type of `recurring_details` (facts §8)."""
    details = request.recurring_details
    assert details is not None
    match details.type:
        case "mandate_id":
            return _by_mandate(tx, context, details.data or "")
        case "payment_method_id":
            method = methods.chargeable(tx, details.data or "", payment.customer_id)
            if not method.is_recurring:
                raise Refusal(Cause.METHOD_NOT_OFF_SESSION, payment_method_id=method.payment_method_id)
            return _filled(method)
        case "processor_payment_token":  # it can mean any method
            category = request.payment_method or payment.payment_method or "card"
            return _type(request, category, "credit" if category == "card" else payment.payment_method_type)
        case "network_transaction_id_and_decrypted_wallet_token_details":  # the caller decrypted it
            named = _type(request, "wallet", payment.payment_method_type or "apple_pay")
            return {**named, "method": KeptMethod("wallet", named["payment_method_type"], "{}")}
        case _:  # a card, or the network's token of one, which was authenticated when the network issued it
            assert details.card is not None
            card = instrument.keep_card(tx, context, details.card)
            return {**_type(request, "card", card.type), "card": card, "set_up": True}


def _type(request: PaymentRequest, category: str, default: str | None) -> Changes:
    return {"payment_method": category, "payment_method_type": request.payment_method_type or default}


def given(tx: Transaction, context: CommandContext, request: PaymentRequest) -> Changes:
    """The fields of a new payment from the request's own method."""
    named = {"payment_method": request.payment_method, "payment_method_type": request.payment_method_type}
    if request.payment_method_data is None:
        return named
    changes, _ = Payment.MACHINE.changes(PaymentStatus.REQUIRES_PAYMENT_METHOD, Trigger.METHOD_ATTACHED, context.now)
    return {**changes, **named, **instrument.keep(tx, context, request.payment_method_data)}


def attach(tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest) -> Payment:
    """The payment with the method that the request has or refers to; without one, unchanged."""
    if names_one(request):
        found = changes(tx, context, payment, request)
        moved, _ = apply_transition(payment, Trigger.METHOD_ATTACHED, context.now, **found)
        return moved
    alone = payment.payment_method is None and request.payment_method is not None
    kept_type = None if alone else payment.payment_method_type  # without a method it said nothing
    named = {
        "payment_method": request.payment_method or payment.payment_method,
        "payment_method_type": request.payment_method_type or kept_type,
    }
    given = request.payment_method_data
    if given is None:
        return structs.replace(payment, **named)
    before = NOTHING if payment.payment_method_id or payment.stored else {}
    kept = instrument.keep(tx, context, given)
    moved, _ = apply_transition(payment, Trigger.METHOD_ATTACHED, context.now, **{**before, **named, **kept})
    return moved
