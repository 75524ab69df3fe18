"""What stands inside a payment as it is shown: objects with fields of their own (interface §2.1, facts §2.1)."""

from __future__ import annotations

from mock_server.contract.answers import failure
from mock_server.contract.answers.fields import instant, renamed
from mock_server.contract.dialect import Dialect
from mock_server.domain.ids import attempt_id, capture_id
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import Attempt, Capture, Increment, KeptCard
from mock_server.jsontext import raw

FRAUD_CHECK = "sandbox_fraud_check"
HELD = "manual_review"


def customer(record: Payment, _: Dialect) -> object:
    """Who pays, as far as the payment knows; null without a customer."""
    if record.customer_id is None:
        return None
    return {
        "id": record.customer_id,
        "name": record.customer_name,
        "email": record.email,
        "phone": record.phone,
        "phone_country_code": record.phone_country_code,
        "customer_document_details": None,
    }


def method_data(record: Payment, dialect: Dialect) -> object:
    """What is kept of the method (interface §2.1, facts §2.2)."""
    if record.card is not None:
        shown: dict[str, object] = {"card": _card(record.card, dialect)}
    elif record.method is not None:
        shown = {record.method.category: {record.payment_method_type or record.method.name: raw(record.method.shown)}}
    else:
        return None
    shown["billing"] = None if record.method_billing is None else raw(record.method_billing)
    return shown


def _card(card: KeptCard, dialect: Dialect) -> dict[str, object]:
    fields = {
        "last4": card.last4,
        "brand": card.brand,
        "exp_month": card.exp_month,
        "exp_year": card.exp_year,
        "holder": card.holder,
        "type": card.type,
        "isin": card.first6,
        "payment_checks": card.checks or None,
    }
    return renamed(fields, dialect.names("card"))


def fraud_check(record: Payment, _: Dialect) -> object:
    """What the fraud check said of a payment that it held (facts §2.1)."""
    if record.hold is None:
        return None
    return {
        "frm_name": FRAUD_CHECK,
        "frm_transaction_id": record.connector_transaction_id,
        "frm_transaction_type": "post_frm",
        "frm_status": HELD,
        "frm_score": record.hold.score,
        "frm_reason": record.hold.reason,
        "frm_error": None,
    }


def after_capture(record: Payment, dialect: Dialect) -> object:
    """What came after the capture (facts §2.1)."""
    if not (record.refunded_amount or record.disputed_amount or record.void):
        return None
    void = record.void
    return {
        "total_refunded_amount": record.refunded_amount or None,
        "total_disputed_amount": record.disputed_amount or None,
        "post_capture_void": None
        if void is None
        else {
            "status": dialect.status_out(void.status),
            "connector_reference_id": void.reference,
            "description": void.description,
            "updated_at": instant(void.updated_at),
        },
    }


def surcharge(record: Payment, _: Dialect) -> object:
    """What is added to the amount, if anything is."""
    if record.surcharge_amount is None:
        return None
    return {"surcharge_amount": record.surcharge_amount, "tax_amount": record.surcharge_tax}


def increments(record: Payment, dialect: Dialect) -> object:
    """The raises of the authorized amount, the oldest first; null while there is none."""
    return [_increment(one, dialect) for one in record.increments] or None


def _increment(one: Increment, dialect: Dialect) -> dict[str, object]:
    return {
        "authorization_id": one.authorization_id,
        "amount": one.amount,
        "status": dialect.status_out(one.status),
        "error_code": failure.code(one.failure),
        "error_message": failure.message(one.failure),
        "previously_authorized_amount": one.previously_authorized,
    }


def attempt(record: Payment, one: Attempt, dialect: Dialect) -> dict[str, object]:
    """One attempt, as `expand_attempts` shows it (facts §2.4)."""
    return {
        "attempt_id": attempt_id(record.payment_id, one.number),
        "status": dialect.status_out(one.status),
        "amount": one.amount,
        "order_tax_amount": record.order_tax_amount,
        "currency": record.currency,
        "connector": one.connector,
        "error_message": failure.message(one.failure),
        "error_code": failure.code(one.failure),
        "unified_code": failure.unified_code(one.failure),
        "unified_message": failure.unified_message(one.failure),
        "error_details": failure.details(one.failure),
        "payment_method": one.payment_method,
        "payment_method_type": one.payment_method_type,
        "payment_experience": None,
        "connector_transaction_id": one.connector_transaction_id,
        "capture_method": record.capture_method,
        "authentication_type": one.authentication_type,
        "created_at": instant(one.created_at),
        "modified_at": instant(one.modified_at),
        "cancellation_reason": one.cancellation_reason,
        "mandate_id": one.mandate_id,
        "payment_token": one.payment_token,
        "connector_metadata": None,
        "reference_id": one.connector_transaction_id,
        "client_source": None,
        "client_version": None,
    }


def capture(record: Payment, one: Capture, dialect: Dialect) -> dict[str, object]:
    """One capture, as `expand_captures` shows it (facts §2.4)."""
    authorized = attempt_id(record.payment_id, one.attempt)
    return {
        "capture_id": capture_id(authorized, one.sequence),
        "status": dialect.status_out(one.status),
        "amount": one.amount,
        "currency": record.currency,
        "connector": record.connector,
        "authorized_attempt_id": authorized,
        "connector_capture_id": one.connector_capture_id,
        "capture_sequence": one.sequence,
        "error_message": failure.message(one.failure),
        "error_code": failure.code(one.failure),
        "error_reason": one.failure.decline if one.failure else None,
        "reference_id": one.connector_capture_id,
    }
