"""Payments, and what stands inside them."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.payment import PAYMENT
from mock_server.contract.dialect import Dialect
from mock_server.domain.methods import NEXT_ACTIONS, categories
from mock_server.domain.statuses import (
    AttemptStatus,
    CaptureStatus,
    IncrementStatus,
    MerchantDecision,
    MethodStatus,
    PaymentStatus,
    RefundStatus,
)
from mock_server.openapi.notation import (
    FLAG,
    FREE,
    INSTANT,
    NUMBER,
    TEXT,
    WHOLE,
    Json,
    many,
    maybe,
    of_shape,
    record,
    ref,
    spoken,
    told,
    words,
)

_TEXT, _WHOLE = maybe(TEXT), maybe(WHOLE)
_WHEN_SENT: Final[dict[str, Json]] = {
    "routing": FREE,
    "payment_link_config": FREE,
    "payment_link_config_id": TEXT,
    "request_external_three_ds_authentication": FLAG,
    "tax_status": TEXT,
    "discount_amount": WHOLE,
    "shipping_amount_tax": WHOLE,
    "duty_amount": WHOLE,
    "order_date": TEXT,
    "psd2_sca_exemption_type": TEXT,
    "skip_external_tax_calculation": FLAG,
    "external_surcharge_strategy": TEXT,
    "profile_acquirer_id": TEXT,
    "threeds_method_comp_ind": TEXT,
    "three_ds_data": FREE,
    "ctp_service_details": FREE,
    "merchant_connector_details": FREE,
}
_EXPANDED: Final[dict[str, Json]] = {"attempts": many(ref("Attempt")), "captures": many(ref("Capture"))}


def schemas(dialect: Dialect) -> dict[str, Json]:
    """The schemas of a payment, by their names."""
    payment = of_shape(PAYMENT, _kinds(dialect), "A payment, as every answer and webhook shows it.")
    payment["properties"] |= {name: told(kind, "Only where it was sent.") for name, kind in _WHEN_SENT.items()}
    expanded = {**payment, "properties": {**payment["properties"], **_EXPANDED}}
    return {
        "Payment": payment,
        "ExpandedPayment": told(expanded, "A payment with its attempts and captures, where they were asked for."),
        "PaymentStatus": spoken(dialect, PaymentStatus),
        "PaidWith": _paid_with(),
        "PaidCard": _paid_card(dialect),
        "PayingCustomer": _customer(),
        "NextAction": _next_action(),
        "ErrorDetails": _error_details(),
        "Attempt": _attempt(dialect),
        "Capture": _capture(dialect),
        "IncrementalAuthorization": _increment(dialect),
        "StateMetadata": _state(dialect),
        "FraudMessage": _fraud(),
    }


def _kinds(dialect: Dialect) -> dict[str, Json]:
    return {
        "status": ref("PaymentStatus"),
        "payment_method_status": spoken(dialect, MethodStatus),
        "merchant_decision": spoken(dialect, MerchantDecision),
        "customer": ref("PayingCustomer"),
        "payment_method": words(categories()),
        "payment_method_data": ref("PaidWith"),
        "shipping": ref("Contact"),
        "billing": ref("Contact"),
        "order_details": many(ref("OrderLine")),
        "allowed_payment_method_types": many(TEXT),
        "next_action": ref("NextAction"),
        "error_details": ref("ErrorDetails"),
        "refunds": many(ref("Refund")),
        "disputes": many(ref("DisputeInPayment")),
        "state_metadata": ref("StateMetadata"),
        "mandate_data": ref("MandateData"),
        "frm_message": ref("FraudMessage"),
        "surcharge_details": ref("SurchargeDetails"),
        "incremental_authorizations": many(ref("IncrementalAuthorization")),
        "card_discovery": words(("saved_card", "manual")),
        "browser_info": ref("BrowserInfo"),
        "installment_options": {},
        "capture_on": told(TEXT, "As it was sent: an instant or a date."),
    }


def _paid_with() -> Json:
    groups = {name: FREE for name in categories() if name != "card"}
    fields = {"card": ref("PaidCard"), **groups, "billing": maybe(ref("Contact"))}
    return record(fields, optional=("card", *groups), about="What is kept of the method: one of these, and its owner.")


def _paid_card(dialect: Dialect) -> Json:
    names = dialect.names("card")
    fields = {"last4": TEXT, "brand": TEXT, "exp_month": TEXT, "exp_year": TEXT}
    fields |= {"holder": _TEXT, "type": _TEXT, "isin": _TEXT, "payment_checks": maybe(FREE)}
    return record({names.get(name, name): kind for name, kind in fields.items()}, about="Never its number or code.")


def _customer() -> Json:
    rest = dict.fromkeys(("name", "email", "phone", "phone_country_code"), _TEXT)
    return record({"id": TEXT, **rest, "customer_document_details": maybe(FREE)})


def _next_action() -> Json:
    poll = record({"delay_in_secs": WHOLE, "frequency": WHOLE})
    by_type = {
        "redirect_to_url": told(TEXT, "The page that the customer is sent to."),
        "image_data_url": _TEXT,
        "qr_code_url": TEXT,
        "display_from_timestamp": INSTANT,
        "display_to_timestamp": INSTANT,
        "display_text": TEXT,
        "border_color": TEXT,
        "raw_qr_data": TEXT,
        "bank_transfer_steps_and_charges_details": FREE,
        "voucher_details": FREE,
        "sdk_uri": told(TEXT, "Opens the customer's payment app."),
        "poll_config": poll,
    }
    kinds = words(dict.fromkeys(NEXT_ACTIONS.values()))
    return record({"type": kinds, **by_type}, optional=by_type, about="What the customer does next, by its type.")


def _error_details() -> Json:
    unified = ("category", "message", "standardised_code", "description", "user_guidance_message")
    return record(
        {
            "unified_details": record(dict.fromkeys((*unified, "recommended_action"), _TEXT)),
            "issuer_details": record({"code": _TEXT, "message": _TEXT, "network_details": maybe(FREE)}),
            "connector_details": record({"code": _TEXT, "message": _TEXT, "reason": _TEXT}),
        },
        about="Unified, issuer's and connector's view of one failure.",
    )


def _attempt(dialect: Dialect) -> Json:
    return record(
        {
            "attempt_id": TEXT,
            "status": spoken(dialect, AttemptStatus),
            "amount": WHOLE,
            "order_tax_amount": _WHOLE,
            "currency": TEXT,
            "connector": _TEXT,
            "error_message": _TEXT,
            "error_code": _TEXT,
            "unified_code": _TEXT,
            "unified_message": _TEXT,
            "error_details": maybe(ref("ErrorDetails")),
            "payment_method": _TEXT,
            "payment_method_type": _TEXT,
            "payment_experience": _TEXT,
            "connector_transaction_id": _TEXT,
            "capture_method": _TEXT,
            "authentication_type": _TEXT,
            "created_at": INSTANT,
            "modified_at": INSTANT,
            "cancellation_reason": _TEXT,
            "mandate_id": _TEXT,
            "payment_token": _TEXT,
            "connector_metadata": maybe(FREE),
            "reference_id": _TEXT,
            "client_source": _TEXT,
            "client_version": _TEXT,
        },
        about="One attempt to charge, as `expand_attempts` shows it.",
    )


def _capture(dialect: Dialect) -> Json:
    return record(
        {
            "capture_id": TEXT,
            "status": spoken(dialect, CaptureStatus),
            "amount": WHOLE,
            "currency": TEXT,
            "connector": _TEXT,
            "authorized_attempt_id": TEXT,
            "connector_capture_id": _TEXT,
            "capture_sequence": WHOLE,
            "error_message": _TEXT,
            "error_code": _TEXT,
            "error_reason": _TEXT,
            "reference_id": _TEXT,
        },
        about="One capture, as `expand_captures` shows it.",
    )


def _increment(dialect: Dialect) -> Json:
    return record(
        {
            "authorization_id": TEXT,
            "amount": WHOLE,
            "status": spoken(dialect, IncrementStatus),
            "error_code": _TEXT,
            "error_message": _TEXT,
            "previously_authorized_amount": WHOLE,
        }
    )


def _state(dialect: Dialect) -> Json:
    void = record(
        {
            "status": spoken(dialect, RefundStatus),
            "connector_reference_id": _TEXT,
            "description": _TEXT,
            "updated_at": INSTANT,
        }
    )
    return record(
        {"total_refunded_amount": _WHOLE, "total_disputed_amount": _WHOLE, "post_capture_void": maybe(void)},
        about="What came after the capture.",
    )


def _fraud() -> Json:
    texts = dict.fromkeys(("frm_transaction_id", "frm_transaction_type", "frm_status", "frm_reason"), _TEXT)
    return record({"frm_name": TEXT, **texts, "frm_score": maybe(NUMBER), "frm_error": _TEXT})
