"""A payment as answers, webhooks and reports show it, its refunds and disputes (interface §2.1, facts §2.1, §2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from mock_server.contract.answers import payment_parts as parts
from mock_server.contract.answers.failure import ERROR_DETAILS, failed
from mock_server.contract.answers.fields import (
    NOTHING,
    AnswerShape,
    AsJson,
    Beside,
    Constant,
    Field,
    Kind,
    Listed,
    Many,
    each,
    each_sent,
    itself,
    sent,
)
from mock_server.contract.answers.payment_parts import Within
from mock_server.contract.answers.writing import write
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import ANY, FLAG, FREE, INSTANT, TEXT, WHOLE, described, many, ref, words
from mock_server.domain import statuses
from mock_server.domain.dispute import Dispute, EvidenceFile
from mock_server.domain.figures import SUCCESS
from mock_server.domain.methods import categories
from mock_server.domain.payment import Payment, linked
from mock_server.domain.refund import Refund
from mock_server.jsontext import dump

_R = "facts §2.5"

REFUND: Final[AnswerShape[Refund]] = AnswerShape(
    "Refund",
    *each(TEXT, "refund_id", "payment_id", source=_R, nullable=False),
    Field("amount", WHOLE, _R, nullable=False),
    Field("currency", TEXT, _R, nullable=False),
    Field("status", Listed(statuses.RefundStatus), _R, nullable=False),
    Field("reason", TEXT, _R),
    Field("metadata", AsJson(), _R, nullable=False),
    *failed("error_code", "error_message", "unified_code", "unified_message", source=_R),
    *failed("issuer_error_code", "issuer_error_message", source=_R),
    Field("created_at", INSTANT, _R),
    Field("updated_at", INSTANT, _R, of="modified_at"),
    Field("connector", TEXT, _R, nullable=False),
    *each(TEXT, "connector_refund_id", "profile_id", "merchant_connector_id", source=_R),
    Field("split_refunds", AsJson(), _R),
    Field("raw_connector_response", TEXT, _R, of=NOTHING),
    about="A refund, on its own or included in its payment.",
)

_ID = Field("dispute_id", TEXT, _R, nullable=False)
# The only amount of this API that is a string.
_DIGITS = {**TEXT, "pattern": "^[0-9]+$"}
_AMOUNT = Field("amount", _DIGITS, _R, of=lambda dispute: str(dispute.amount), nullable=False, about="In minor units.")
_STAGE = Field("dispute_stage", Listed(statuses.DisputeStage), _R, of="stage", nullable=False)
_STATUS = Field("dispute_status", Listed(statuses.DisputeStatus), _R, of="status", nullable=False)
_AT_THE_CONNECTOR = (
    Field("connector_status", TEXT, _R, of=lambda dispute: dispute.status.removeprefix("dispute_"), nullable=False),
    Field("connector_dispute_id", TEXT, _R, nullable=False),
    Field("connector_reason", TEXT, _R, of="reason"),
    Field("connector_reason_code", TEXT, _R, of="reason_code"),
    Field("challenge_required_by", INSTANT, _R),
    Field("connector_created_at", INSTANT, _R, of="created_at"),
    Field("connector_updated_at", INSTANT, _R, of="modified_at"),
    Field("created_at", INSTANT, _R, nullable=False),
)

DISPUTE: Final[AnswerShape[Dispute]] = AnswerShape(
    "Dispute",
    _ID,
    *each(TEXT, "payment_id", "attempt_id", source=_R, nullable=False),
    _AMOUNT,
    Field("currency", TEXT, _R, nullable=False),
    _STAGE,
    _STATUS,
    Field("connector", TEXT, _R, nullable=False),
    *_AT_THE_CONNECTOR,
    *each(TEXT, "profile_id", "merchant_connector_id", source=_R),
    Field("is_already_refunded", FLAG, _R, nullable=False),
    about="A dispute.",
)

_DISPUTE_IN_PAYMENT: Final[AnswerShape[Dispute]] = AnswerShape(
    "DisputeInPayment",
    _ID, _STAGE, _STATUS, _AMOUNT, *_AT_THE_CONNECTOR,
    like=DISPUTE,
    about="A dispute, as included in its payment.",
)  # fmt: skip

_FILE: Final[AnswerShape[EvidenceFile]] = AnswerShape.inline(
    "File",
    Field("file_id", TEXT, _R, nullable=False),
    Field("file_name", TEXT, _R, of="name"),
    Field("file_size", WHOLE, _R, of="size", nullable=False),
    Field("file_type", TEXT, _R, of="type", nullable=False),
    Field("available", FLAG, _R, nullable=False),
)
FILE_ID: Final[AnswerShape[EvidenceFile]] = AnswerShape("FileId", Field("file_id", TEXT, nullable=False), like=_FILE)
EVIDENCE: Final[AnswerShape[tuple[str, EvidenceFile]]] = AnswerShape(
    "Evidence",
    Field("evidence_type", TEXT, of=lambda pair: pair[0], nullable=False),
    Field("file_metadata_response", _FILE, of=lambda pair: pair[1], nullable=False),
)


class ShownPayment(Struct, frozen=True):
    """A payment with the records that its answer includes, and whether attempts and captures were requested."""

    payment: Payment
    refunds: Sequence[Refund] = ()
    disputes: Sequence[Dispute] = ()
    attempts: bool = False
    captures: bool = False


def payment(shown: ShownPayment, dialect: Dialect) -> object:
    """The payment's fields in their documented order."""
    return write(EXPANDED_PAYMENT if shown.attempts or shown.captures else PAYMENT, shown, dialect)


def bare(record: Payment, dialect: Dialect) -> bytes:
    """The payment without other records, as bytes."""
    return dump(write(PAYMENT, ShownPayment(record), dialect))


def _received(record: Payment) -> int | None:
    """The captured amount; null until something was captured (facts §2.1)."""
    return record.captured_amount or (0 if record.status in SUCCESS else None)


def _next_action(record: Payment) -> str | None:
    return record.next_action if record.status is statuses.PaymentStatus.REQUIRES_ACTION else None


def _method_status(record: Payment) -> statuses.MethodStatus:
    """That of the saved method: inactive while its customer acts, if no charge or call saved it before (facts §2.1)."""
    if record.method_deleted:
        return statuses.MethodStatus.REDACTED
    return statuses.MethodStatus.ACTIVE if record.stored or record.method_active else statuses.MethodStatus.INACTIVE


def _error_code(record: Payment) -> str | None:
    """While a payment is held, its error code is the fraud check's status (facts §3.6)."""
    if record.status is statuses.PaymentStatus.REQUIRES_MERCHANT_ACTION:
        return parts.HELD
    return None if record.failure is None else record.failure.error_code


def _error_message(record: Payment) -> str | None:
    rejected = record.failure is not None and record.failure.decline == "rejected_in_review"
    if record.hold and (record.status is statuses.PaymentStatus.REQUIRES_MERCHANT_ACTION or rejected):
        return record.hold.reason
    return None if record.failure is None else record.failure.error_message


ERROR: Final = (
    Field("error_code", TEXT, "facts §2.1", of=_error_code, given=("hold", "failure")),
    Field("error_message", TEXT, "facts §2.1", of=_error_message, given=("hold", "failure")),
)
"""Why a payment failed, or is held."""


def _attempts(shown: ShownPayment) -> list[Within] | None:
    return [Within(shown.payment, attempt) for attempt in shown.payment.attempts] if shown.attempts else None


def _captures(shown: ShownPayment) -> list[Within] | None:
    record = shown.payment
    if not (shown.captures and record.capture_method == "manual_multiple" and record.captures):
        return None
    return [Within(record, capture) for capture in record.captures]


def _where_sent(kind: Kind, *names: str) -> tuple[Field, ...]:
    """Fields of requests: returned if they were sent, and omitted otherwise (decisions: "echoed")."""
    return tuple(sent(name, kind, optional=True, about="Present only if it was sent.") for name in names)


_I, _F = "interface §2.1", "facts §2.1"

ECHOED: Final = (
    *_where_sent(FREE, "routing", "payment_link_config"),
    *_where_sent(TEXT, "payment_link_config_id"),
    *_where_sent(FLAG, "request_external_three_ds_authentication"),
    *_where_sent(TEXT, "tax_status"),
    *_where_sent(WHOLE, "discount_amount", "shipping_amount_tax", "duty_amount"),
    *_where_sent(TEXT, "order_date", "psd2_sca_exemption_type"),
    *_where_sent(FLAG, "skip_external_tax_calculation"),
    *_where_sent(TEXT, "external_surcharge_strategy", "profile_acquirer_id", "threeds_method_comp_ind"),
    *_where_sent(FREE, "three_ds_data", "ctp_service_details", "merchant_connector_details"),
    *_where_sent(TEXT, "retry_action"),
)
"""Fields that are returned only if they were sent."""

PAYMENT: Final[AnswerShape[ShownPayment]] = AnswerShape(
    "Payment",
    *each(TEXT, "payment_id", "merchant_id", source=_I, nullable=False),
    Field("processor_merchant_id", TEXT, _F, of="merchant_id", nullable=False),
    Field("status", Listed(statuses.PaymentStatus), _I, nullable=False),
    Field("amount", WHOLE, _I, nullable=False),
    Field("net_amount", WHOLE, _F, nullable=False),
    Field("shipping_cost", WHOLE, _F),
    Field("amount_capturable", WHOLE, _F, nullable=False),
    Field("amount_received", WHOLE, _I, of=_received),
    Field("order_tax_amount", WHOLE, _F),
    Field("currency", TEXT, _I, nullable=False),
    Field("connector", TEXT, _F),
    Field("client_secret", TEXT, _I),
    Field("created", INSTANT, _I, of="created_at", nullable=False),
    Field("modified_at", INSTANT, _F),
    Field("updated", INSTANT, _F, of="modified_at"),
    Field("expires_on", INSTANT, _F, of="expires_at"),
    Field("customer_id", TEXT, _I),
    Field("customer", parts.PAYING_CUSTOMER, _F, of=itself, given="customer_id"),
    Field("email", TEXT, _F),
    Field("name", TEXT, _F, of="customer_name"),
    Field("phone", TEXT, _F),
    sent("description", TEXT, _I),
    *each(TEXT, "return_url", "setup_future_usage", source=_F),
    Field("off_session", FLAG, _F),
    Field("capture_method", TEXT, _I),
    sent("capture_on", described(TEXT, "As it was sent: a timestamp or a date."), _F),
    Field("authentication_type", TEXT, _F, of="authentication_shown"),
    Field("payment_method", words(categories(public=True)), _I),
    Field("payment_method_type", TEXT, _F),
    Field("payment_method_data", parts.PAID_WITH, _I, of=itself, given=("card", "method", "method_billing")),
    Field("payment_method_id", TEXT, _F),
    Field("payment_method_status", statuses.MethodStatus, _F, of=_method_status, given="payment_method_id"),
    Field("payment_token", TEXT, _F),
    sent("payment_experience", TEXT, _F),
    sent("allowed_payment_method_types", many(TEXT), _F),
    *each_sent(ref("Contact"), "shipping", "billing", source=_F),
    sent("order_details", many(ref("OrderLine")), _F),
    Field("metadata", AsJson(), _I, nullable=False),
    *each_sent(FREE, "connector_metadata", "feature_metadata", "frm_metadata", source=_F),
    *each_sent(TEXT, "statement_descriptor_name", "statement_descriptor_suffix", source=_F),
    sent("billing_descriptor", FREE, _F),
    Field("merchant_order_reference_id", TEXT, _F),
    Field("profile_id", TEXT, _I),
    Field("next_action", AsJson(parts.NEXT_ACTION), _F, of=_next_action, given="next_action"),
    Field("cancellation_reason", TEXT, _F),
    *ERROR,
    *failed("unified_code", "unified_message", source=_F),
    Field("error_details", ERROR_DETAILS, _F, of="failure"),
    *failed("issuer_error_code", "issuer_error_message", source=_F),
    Field("network_details", FREE, _F, of=NOTHING),
    Field("manual_retry_allowed", FLAG, _F, about="Of a failed payment: whether it can be confirmed again now."),
    Field("attempt_count", WHOLE, _F, of="attempt_number", nullable=False),
    Field("refunds", Many(REFUND, filled=True), _F, of=Beside("refunds")),
    Field("disputes", Many(_DISPUTE_IN_PAYMENT, filled=True), _F, of=Beside("disputes")),
    Field("state_metadata", parts.STATE_METADATA, _F, of=itself, given=("refunded_amount", "disputed_amount", "void")),
    Field("connector_transaction_id", TEXT, _F),
    Field("reference_id", TEXT, _F, of="connector_transaction_id"),
    Field("connector_customer_id", TEXT, _F, of=NOTHING),
    Field("connector_mandate_id", TEXT, _F),
    Field("connector_label", TEXT, _F, of=NOTHING),
    Field("merchant_connector_id", TEXT, _F),
    *each_sent(TEXT, "business_country", "business_label", "business_sub_label", source=_F),
    Field("mandate_id", TEXT, _F),
    Field("mandate_data", AsJson(ref("MandateData")), _F, of="mandate_data.shown", given="mandate_data"),
    Field("network_transaction_id", TEXT, _F),
    Field("network_transaction_link_id", TEXT, _F, of=NOTHING),
    Field("merchant_decision", statuses.MerchantDecision, _F),
    Field("frm_message", parts.FRAUD_MESSAGE, _F, of=itself, given="hold"),
    sent("surcharge_details", ref("SurchargeDetails"), _F),
    Field("payment_link", parts.LINK, _F, of=linked),
    Field("incremental_authorization_allowed", FLAG, _F, of="request_incremental_authorization"),
    Field("authorization_count", WHOLE, _F, of=lambda payment: len(payment.increments), given="increments"),
    Field("incremental_authorizations", Many(parts.INCREMENT, filled=True), _F, of="increments"),
    Field("external_3ds_authentication_attempted", FLAG, _F, of=NOTHING),
    Field("external_authentication_details", FREE, _F, of=NOTHING),
    sent("force_3ds_challenge", FLAG, _F),
    Field("force_3ds_challenge_trigger", FLAG, _F, of=NOTHING),
    Field("extended_authorization_applied", FLAG, _F, of=Constant(True), given="extended_at"),
    Field("extended_authorization_last_applied_at", INSTANT, _F, of="extended_at"),
    Field("request_extended_authorization", FLAG, _F),
    Field("capture_before", INSTANT, _F),
    Field("card_discovery", words(("saved_card", "manual")), _F),
    sent("browser_info", ref("BrowserInfo"), _F),
    Field("fingerprint", TEXT, _F, of="card.fingerprint", given="card"),
    sent("payment_channel", ANY, _F),
    sent("split_payments", FREE, _F),
    Field("connector_response_metadata", FREE, _F, of=NOTHING),
    Field("whole_connector_response", TEXT, _F, of=NOTHING),
    sent("is_iframe_redirection_enabled", FLAG, _F),
    *each(FLAG, "enable_partial_authorization", "enable_overcapture", source=_F),
    Field("is_overcapture_enabled", FLAG, _F, given="enable_overcapture"),
    sent("is_stored_credential", FLAG, _F),
    *each_sent(TEXT, "mit_category", "tokenization", source=_F),
    sent("partner_merchant_identifier_details", FREE, _F),
    Field("payment_method_tokenization_details", FREE, _F, of=NOTHING),
    sent("installment_options", ANY, _F),
    sent("installment_data", FREE, _F),
    Field("sender_payment_instrument_id", TEXT, _F, of=NOTHING),
    Field("initiator", FREE, _F, of=NOTHING),
    Field("sdk_authorization", TEXT, _F, of=NOTHING),
    *ECHOED,
    part="payment",
    about="A payment, as in all answers and webhooks.",
)

EXPANDED_PAYMENT: Final[AnswerShape[ShownPayment]] = AnswerShape(
    "ExpandedPayment",
    *PAYMENT.rows,
    Field("attempts", Many(parts.ATTEMPT), of=Beside(_attempts), nullable=False, optional=True),
    Field("captures", Many(parts.CAPTURE), of=Beside(_captures), nullable=False, optional=True),
    like=PAYMENT,
    part="payment",
    about="A payment with its attempts and captures, if requested.",
)
