"""Objects within a payment's answer (interface §2.1, facts §2.1, §2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mock_server.contract.answers.failure import ERROR_DETAILS, failed
from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Beside, Constant, Field, Several, each
from mock_server.contract.notation import FREE, INSTANT, NUMBER, TEXT, WHOLE, record, ref, words
from mock_server.domain.ids import part_id
from mock_server.domain.methods import NEXT_ACTIONS, categories
from mock_server.domain.payment import Increment, KeptCard, Payment, Void, link_id, link_to_pay
from mock_server.domain.statuses import AttemptStatus, CaptureStatus, IncrementStatus, RefundStatus
from mock_server.jsontext import Raw

HELD: Final = "manual_review"


class Within(NamedTuple):
    """A part of a payment, such as an attempt, and the payment."""

    payment: Payment
    part: Any


def _other_method(payment: Payment) -> Mapping[str, object]:
    """The stored details of a method other than a card, by its group and type."""
    if payment.card is not None or payment.method is None:
        return {}
    kept = payment.method
    return {kept.category: {payment.payment_method_type or kept.name: Raw(kept.shown)}}


def _authorized(within: Within) -> str:
    return part_id(within.payment.payment_id, within.part.attempt)


PAYING_CUSTOMER: Final[AnswerShape[Payment]] = AnswerShape(
    "PayingCustomer",
    Field("id", TEXT, of="customer_id", nullable=False),
    Field("name", TEXT, of="customer_name"),
    *each(TEXT, "email", "phone", "phone_country_code"),
    Field("customer_document_details", FREE, of=NOTHING),
)

PAID_CARD: Final[AnswerShape[KeptCard]] = AnswerShape(
    "PaidCard",
    *each(TEXT, "last4", "brand", "exp_month", "exp_year", nullable=False),
    Field("card_holder_name", TEXT, of="holder"),
    Field("card_type", TEXT, of="type"),
    Field("card_isin", TEXT, of="first6"),
    Field("payment_checks", FREE, of="checks", given="checks"),
    about="The card number and security code are never returned.",
)

PAID_WITH: Final[AnswerShape[Payment]] = AnswerShape(
    "PaidWith",
    Field("card", PAID_CARD, nullable=False, optional=True),
    Several(tuple(Field(name, FREE, nullable=False) for name in categories(public=True)[1:]), _other_method),
    Field("billing", AsJson(ref("Contact")), of="method_billing"),
    about="Stored details of the method: one of these, and the billing address.",
)

LINK: Final[AnswerShape[Payment]] = AnswerShape(
    "PaymentLink",
    Field("link", TEXT, "facts §2.1", of=link_to_pay, nullable=False),
    Field("secure_link", TEXT, "facts §2.1", of=NOTHING),
    Field("payment_link_id", TEXT, "facts §2.1", of=link_id, nullable=False),
    about="A page on which the customer can pay.",
)

NEXT_ACTION: Final[AnswerShape[Any]] = AnswerShape(
    "NextAction",
    Field("type", words(dict.fromkeys(NEXT_ACTIONS.values())), nullable=False),
    Field("redirect_to_url", TEXT, nullable=False, optional=True, about="The page where the customer continues."),
    Field("image_data_url", TEXT, optional=True),
    Field("qr_code_url", TEXT, nullable=False, optional=True),
    *each(INSTANT, "display_from_timestamp", "display_to_timestamp", nullable=False, optional=True),
    *each(TEXT, "display_text", "border_color", "raw_qr_data", nullable=False, optional=True),
    *each(FREE, "bank_transfer_steps_and_charges_details", "voucher_details", nullable=False, optional=True),
    Field("sdk_uri", TEXT, nullable=False, optional=True, about="Opens the customer's payment app."),
    Field("consent_data_required", TEXT, nullable=False, optional=True),
    Field("poll_config", record({"delay_in_secs": WHOLE, "frequency": WHOLE}), nullable=False, optional=True),
    about="The next action of the customer, by type.",
)
"""The engine makes it, and stores it in this form."""

FRAUD_MESSAGE: Final[AnswerShape[Payment]] = AnswerShape(
    "FraudMessage",
    Field("frm_name", TEXT, of=Constant("sandbox_fraud_check"), nullable=False),
    Field("frm_transaction_id", TEXT, of="connector_transaction_id"),
    Field("frm_transaction_type", TEXT, of=Constant("post_frm")),
    Field("frm_status", TEXT, of=Constant(HELD)),
    Field("frm_score", NUMBER, of="hold.score"),
    Field("frm_reason", TEXT, of="hold.reason"),
    Field("frm_error", TEXT, of=NOTHING),
)

_VOID: Final[AnswerShape[Void]] = AnswerShape.inline(
    "PostCaptureVoid",
    Field("status", RefundStatus, nullable=False),
    Field("connector_reference_id", TEXT, of="reference"),
    Field("description", TEXT),
    Field("updated_at", INSTANT, nullable=False),
)

STATE_METADATA: Final[AnswerShape[Payment]] = AnswerShape(
    "StateMetadata",
    Field("total_refunded_amount", WHOLE, of="refunded_amount", given="refunded_amount"),
    Field("total_disputed_amount", WHOLE, of="disputed_amount", given="disputed_amount"),
    Field("post_capture_void", _VOID, of="void"),
    about="What happened after the capture.",
)

INCREMENT: Final[AnswerShape[Increment]] = AnswerShape(
    "IncrementalAuthorization",
    Field("authorization_id", TEXT, nullable=False),
    Field("amount", WHOLE, nullable=False),
    Field("status", IncrementStatus, nullable=False),
    *failed("error_code", "error_message"),
    Field("previously_authorized_amount", WHOLE, of="previously_authorized", nullable=False),
)

ATTEMPT: Final[AnswerShape[Within]] = AnswerShape(
    "Attempt",
    Field("attempt_id", TEXT, of=Beside(lambda at: part_id(at.payment.payment_id, at.part.number)), nullable=False),
    Field("status", AttemptStatus, nullable=False),
    Field("amount", WHOLE, nullable=False),
    Field("order_tax_amount", WHOLE, of=Beside(lambda both: both.payment.order_tax_amount)),
    Field("currency", TEXT, of=Beside(lambda both: both.payment.currency), nullable=False),
    Field("connector", TEXT),
    *failed("error_message", "error_code", "unified_code", "unified_message"),
    Field("error_details", ERROR_DETAILS, of="failure"),
    *each(TEXT, "payment_method", "payment_method_type"),
    Field("payment_experience", TEXT, of=NOTHING),
    Field("connector_transaction_id", TEXT),
    Field("capture_method", TEXT, of=Beside(lambda both: both.payment.capture_method)),
    Field("authentication_type", TEXT),
    *each(INSTANT, "created_at", "modified_at", nullable=False),
    *each(TEXT, "cancellation_reason", "mandate_id", "payment_token"),
    Field("connector_metadata", FREE, of=NOTHING),
    Field("reference_id", TEXT, of="connector_transaction_id"),
    *each(TEXT, "client_source", "client_version", of=NOTHING),
    part="part",
    about="A payment attempt, as returned with `expand_attempts`.",
)

CAPTURE: Final[AnswerShape[Within]] = AnswerShape(
    "Capture",
    Field("capture_id", TEXT, of=Beside(lambda it: part_id(_authorized(it), it.part.sequence)), nullable=False),
    Field("status", CaptureStatus, nullable=False),
    Field("amount", WHOLE, nullable=False),
    Field("currency", TEXT, of=Beside(lambda both: both.payment.currency), nullable=False),
    Field("connector", TEXT, of=Beside(lambda both: both.payment.connector)),
    Field("authorized_attempt_id", TEXT, of=Beside(_authorized), nullable=False),
    Field("connector_capture_id", TEXT),
    Field("capture_sequence", WHOLE, of="sequence", nullable=False),
    *failed("error_message", "error_code", "error_reason"),
    Field("reference_id", TEXT, of="connector_capture_id"),
    part="part",
    about="A capture, as returned with `expand_captures`.",
)
