"""A payment as every answer, webhook and report shows it (interface §2.1, facts §2.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from mock_server.contract.answers import failure
from mock_server.contract.answers import payment_parts as parts
from mock_server.contract.answers.dispute import dispute_in_payment
from mock_server.contract.answers.fields import Field, Of, Shape, at, free, shown
from mock_server.contract.answers.refund import refund
from mock_server.contract.dialect import Dialect
from mock_server.domain.dispute import Dispute
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.domain.statuses import MethodStatus, PaymentStatus
from mock_server.jsontext import dump, raw


class Shown(Struct, frozen=True):
    """What of a payment is shown: itself, what belongs to it, and how much was asked for."""

    payment: Payment
    refunds: Sequence[Refund] = ()
    disputes: Sequence[Dispute] = ()
    attempts: bool = False
    captures: bool = False


def payment(shown: Shown, dialect: Dialect) -> dict[str, object]:
    """The payment's fields in their documented order."""
    record = shown.payment
    out = PAYMENT.of(record, dialect)
    for name, text in record.echo.items():
        out[name] = raw(text)
    if shown.refunds:
        out["refunds"] = [refund(one, dialect) for one in shown.refunds]
    if shown.disputes:
        out["disputes"] = [dispute_in_payment(one, dialect) for one in shown.disputes]
    if shown.attempts:
        out["attempts"] = [parts.attempt(record, one, dialect) for one in record.attempts]
    if shown.captures and record.capture_method == "manual_multiple" and record.captures:
        out["captures"] = [parts.capture(record, one, dialect) for one in record.captures]
    return out


def bare(record: Payment, dialect: Dialect) -> bytes:
    """The payment with nothing inside it, as bytes."""
    return dump(payment(Shown(record), dialect))


def _failed(read: Callable[..., object]) -> Of:
    """A field that explains a failure."""

    def of(record: Payment, _: Dialect) -> object:
        return None if record.failure is None else read(record.failure)

    return of


def _received(record: Payment, _: Dialect) -> object:
    """Captured so far; null until something was (facts §2.1)."""
    return record.captured_amount or (0 if record.status in _CLOSED else None)


_CLOSED = frozenset({PaymentStatus.SUCCEEDED, PaymentStatus.PARTIALLY_CAPTURED})


def _method_status(record: Payment, dialect: Dialect) -> object:
    """A method is active once something was paid with it; before that it waits for its customer (facts §2.1)."""
    if record.payment_method_id is None:
        return None
    return dialect.status_out(MethodStatus.ACTIVE if record.stored or record.kept else MethodStatus.INACTIVE)


def _next_action(record: Payment, _: Dialect) -> object:
    waits = record.status is PaymentStatus.REQUIRES_ACTION and record.next_action is not None
    return raw(record.next_action) if waits and record.next_action else None


def _error_code(record: Payment, _: Dialect) -> object:
    """While a payment is held its error code is the fraud check's status (facts §3.6)."""
    if record.status is PaymentStatus.REQUIRES_MERCHANT_ACTION:
        return parts.HELD
    return failure.code(record.failure)


def _error_message(record: Payment, _: Dialect) -> object:
    rejected = record.failure is not None and record.failure.decline == "rejected_in_review"
    if record.hold and (record.status is PaymentStatus.REQUIRES_MERCHANT_ACTION or rejected):
        return record.hold.reason
    return failure.message(record.failure)


_I, _F = "interface §2.1", "facts §2.1"
_S, _N, _B, _O, _A = "string", "integer", "boolean", "object", "array"

# fmt: off
PAYMENT: Shape[Payment] = Shape(
    Field("payment_id", "payment_id", _S, _I, nullable=False),
    Field("merchant_id", "merchant_id", _S, _I, nullable=False),
    Field("processor_merchant_id", "merchant_id", _S, _F, nullable=False),
    Field("status", lambda p, d: d.status_out(p.status), _S, _I, nullable=False),
    Field("amount", "amount", _N, _I, nullable=False),
    Field("net_amount", "net_amount", _N, _F, nullable=False),
    Field("shipping_cost", "shipping_cost", _N, _F),
    Field("amount_capturable", "amount_capturable", _N, _F, nullable=False),
    Field("amount_received", _received, _N, _I),
    Field("order_tax_amount", "order_tax_amount", _N, _F),
    Field("currency", "currency", _S, _I, nullable=False),
    Field("connector", "connector", _S, _F),
    Field("client_secret", "client_secret", _S, _I),
    Field("created", at("created_at"), _S, _I, nullable=False),
    Field("modified_at", at("modified_at"), _S, _F),
    Field("updated", at("modified_at"), _S, _F),
    Field("expires_on", at("expires_at"), _S, _F),
    Field("customer_id", "customer_id", _S, _I),
    Field("customer", parts.customer, _O, _F),
    Field("email", "email", _S, _F),
    Field("name", "customer_name", _S, _F),
    Field("phone", "phone", _S, _F),
    Field("description", None, _S, _I),
    Field("return_url", "return_url", _S, _F),
    Field("setup_future_usage", "setup_future_usage", _S, _F),
    Field("off_session", "off_session", _B, _F),
    Field("capture_method", "capture_method", _S, _I),
    Field("capture_on", None, _S, _F),
    Field("authentication_type", "authentication_shown", _S, _F),
    Field("payment_method", "payment_method", _S, _I),
    Field("payment_method_type", "payment_method_type", _S, _F),
    Field("payment_method_data", parts.method_data, _O, _I),
    Field("payment_method_id", "payment_method_id", _S, _F),
    Field("payment_method_status", _method_status, _S, _F),
    Field("payment_token", "payment_token", _S, _F),
    Field("payment_experience", None, _S, _F),
    Field("allowed_payment_method_types", None, _A, _F),
    Field("shipping", None, _O, _F),
    Field("billing", None, _O, _F),
    Field("order_details", None, _A, _F),
    Field("metadata", free("metadata"), _O, _I, nullable=False),
    Field("connector_metadata", None, _O, _F),
    Field("feature_metadata", None, _O, _F),
    Field("frm_metadata", None, _O, _F),
    Field("statement_descriptor_name", None, _S, _F),
    Field("statement_descriptor_suffix", None, _S, _F),
    Field("billing_descriptor", None, _O, _F),
    Field("merchant_order_reference_id", "merchant_order_reference_id", _S, _F),
    Field("profile_id", "profile_id", _S, _I),
    Field("next_action", _next_action, _O, _F),
    Field("cancellation_reason", "cancellation_reason", _S, _F),
    Field("error_code", _error_code, _S, _F),
    Field("error_message", _error_message, _S, _F),
    Field("unified_code", _failed(failure.unified_code), _S, _F),
    Field("unified_message", _failed(failure.unified_message), _S, _F),
    Field("error_details", _failed(failure.details), _O, _F),
    Field("issuer_error_code", _failed(failure.issuer_code), _S, _F),
    Field("issuer_error_message", _failed(failure.issuer_message), _S, _F),
    Field("network_details", None, _O, _F),
    Field("manual_retry_allowed", "manual_retry_allowed", _B, _F),
    Field("attempt_count", "attempt_number", _N, _F, nullable=False),
    Field("refunds", None, _A, _F),
    Field("disputes", None, _A, _F),
    Field("state_metadata", parts.after_capture, _O, _F),
    Field("connector_transaction_id", "connector_transaction_id", _S, _F),
    Field("reference_id", "connector_transaction_id", _S, _F),
    Field("connector_customer_id", None, _S, _F),
    Field("connector_mandate_id", "connector_mandate_id", _S, _F),
    Field("connector_label", None, _S, _F),
    Field("merchant_connector_id", "merchant_connector_id", _S, _F),
    Field("business_country", None, _S, _F),
    Field("business_label", None, _S, _F),
    Field("business_sub_label", None, _S, _F),
    Field("mandate_id", "mandate_id", _S, _F),
    Field("mandate_data", lambda p, d: p.mandate_data and shown(p.mandate_data.shown), _O, _F),
    Field("network_transaction_id", "network_transaction_id", _S, _F),
    Field("network_transaction_link_id", None, _S, _F),
    Field("merchant_decision", lambda p, d: d.status_out(p.merchant_decision) if p.merchant_decision else None, _S, _F),
    Field("frm_message", parts.fraud_check, _O, _F),
    Field("surcharge_details", parts.surcharge, _O, _F),
    Field("payment_link", None, _O, _F),
    Field("incremental_authorization_allowed", "request_incremental_authorization", _B, _F),
    Field("authorization_count", lambda p, d: len(p.increments) or None, _N, _F),
    Field("incremental_authorizations", parts.increments, _A, _F),
    Field("external_3ds_authentication_attempted", None, _B, _F),
    Field("external_authentication_details", None, _O, _F),
    Field("force_3ds_challenge", None, _B, _F),
    Field("force_3ds_challenge_trigger", None, _B, _F),
    Field("extended_authorization_applied", lambda p, d: True if p.extended_at else None, _B, _F),
    Field("extended_authorization_last_applied_at", at("extended_at"), _S, _F),
    Field("request_extended_authorization", "request_extended_authorization", _B, _F),
    Field("capture_before", at("capture_before"), _S, _F),
    Field("card_discovery", lambda p, d: ("saved_card" if p.stored else "manual") if p.card else None, _S, _F),
    Field("browser_info", None, _O, _F),
    Field("fingerprint", lambda p, d: p.card.fingerprint if p.card else None, _S, _F),
    Field("payment_channel", None, _S, _F),
    Field("split_payments", None, _O, _F),
    Field("connector_response_metadata", None, _O, _F),
    Field("whole_connector_response", None, _S, _F),
    Field("is_iframe_redirection_enabled", None, _B, _F),
    Field("enable_partial_authorization", "enable_partial_authorization", _B, _F),
    Field("enable_overcapture", "enable_overcapture", _B, _F),
    Field("is_overcapture_enabled", "enable_overcapture", _B, _F),
    Field("is_stored_credential", None, _B, _F),
    Field("mit_category", None, _S, _F),
    Field("tokenization", None, _S, _F),
    Field("partner_merchant_identifier_details", None, _O, _F),
    Field("payment_method_tokenization_details", None, _O, _F),
    Field("installment_options", None, _A, _F),
    Field("installment_data", None, _O, _F),
    Field("sender_payment_instrument_id", None, _S, _F),
    Field("initiator", None, _O, _F),
    Field("sdk_authorization", None, _S, _F),
)
# fmt: on
