"""Refunds, disputes and their files, customers, saved methods and mandates, the blocklist."""

from __future__ import annotations

from mock_server.contract.answers import block, customer, dispute, ephemeral_key, mandate, payment_method, refund
from mock_server.contract.dialect import Dialect
from mock_server.domain.blocklist import SHOWN_AS
from mock_server.domain.statuses import (
    DisputeStage,
    DisputeStatus,
    MandateStatus,
    MethodStatus,
    RefundStatus,
)
from mock_server.openapi.notation import (
    FLAG,
    FREE,
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

_TEXT = maybe(TEXT)


def schemas(dialect: Dialect) -> dict[str, Json]:
    """The schemas of what stands around payments, by their names."""
    return {**_refunds(dialect), **_disputes(dialect), **_customers(dialect), **_small()}


def _refunds(dialect: Dialect) -> dict[str, Json]:
    about = "A refund, alone and inside its payment."
    return {
        "Refund": of_shape(refund.REFUND, {"status": ref("RefundStatus")}, about),
        "RefundStatus": spoken(dialect, RefundStatus),
    }


def _disputes(dialect: Dialect) -> dict[str, Json]:
    kinds = {
        "amount": {"type": "string", "pattern": "^[0-9]+$"},
        "dispute_stage": ref("DisputeStage"),
        "dispute_status": ref("DisputeStatus"),
    }
    return {
        "Dispute": of_shape(dispute.DISPUTE, kinds, "A dispute."),
        "DisputeInPayment": of_shape(dispute.DISPUTE_IN_PAYMENT, kinds, "A dispute as its payment shows it."),
        "DisputeStage": spoken(dialect, DisputeStage),
        "DisputeStatus": spoken(dialect, DisputeStatus),
        "Evidence": record({"evidence_type": TEXT, "file_metadata_response": of_shape(dispute.FILE, {})}),
        "FileId": record({"file_id": TEXT}),
    }


def _customers(dialect: Dialect) -> dict[str, Json]:
    status = spoken(dialect, MethodStatus)
    saved = {"card": ref("SavedCard"), "payment_experience": many(TEXT)}
    return {
        "Customer": of_shape(customer.CUSTOMER, {"address": ref("Address")}, "A customer."),
        "NewCustomer": of_shape(
            customer.NEW_CUSTOMER,
            {"address": ref("Address"), "ephemeral_key": ref("EphemeralKey")},
            "A customer just made, with a key for the browser.",
        ),
        "CustomerDeletion": of_shape(customer.DELETION, {}),
        "PaymentMethod": of_shape(
            payment_method.METHOD, {**saved, "payment_method_status": status}, "A saved payment method."
        ),
        "OfferedPaymentMethod": of_shape(payment_method.OFFERED, {**saved, "billing": ref("Contact")}),
        "OfferedPaymentMethods": record(
            {"customer_payment_methods": many(ref("OfferedPaymentMethod")), "is_guest_customer": maybe(FLAG)}
        ),
        "DefaultPaymentMethod": record(
            {
                "default_payment_method_id": _TEXT,
                "customer_id": TEXT,
                "payment_method_type": _TEXT,
                "payment_method": _TEXT,
            }
        ),
        "SavedCard": _saved_card(),
        "Mandate": of_shape(mandate.MANDATE, _of_mandate(dialect), "A mandate."),
        "RevokedMandate": of_shape(mandate.REVOKED, {"status": spoken(dialect, MandateStatus)}),
    }


def _of_mandate(dialect: Dialect) -> dict[str, Json]:
    return {
        "status": spoken(dialect, MandateStatus),
        "card": ref("SavedCard"),
        "customer_acceptance": ref("CustomerAcceptance"),
    }


def _saved_card() -> Json:
    names = (
        "scheme", "issuer_country", "last4_digits", "expiry_month", "expiry_year", "card_token", "card_holder_name",
        "card_fingerprint", "nick_name", "card_network", "card_isin", "card_issuer", "card_type",
    )  # fmt: skip
    fields = {**dict.fromkeys(names, _TEXT), "saved_to_locker": FLAG}
    return record(fields, about="What is shown of a saved card; never its number or code.")


def _small() -> dict[str, Json]:
    kinds = {"data_kind": words(SHOWN_AS.values())}
    return {
        "BlocklistEntry": of_shape(block.BLOCK, kinds),
        "BlocklistSwitch": record({"blocklist_guard_status": words(("enabled", "disabled"))}),
        "EphemeralKey": of_shape(ephemeral_key.EPHEMERAL_KEY, {"created_at": WHOLE, "expires": WHOLE}),
        "SessionTokens": record(
            {
                "payment_id": TEXT,
                "client_secret": _TEXT,
                "session_token": many(
                    told(
                        {**record({"wallet_name": TEXT, "connector": _TEXT}), "additionalProperties": True},
                        "After each wallet's own documents.",
                    )
                ),
            }
        ),
        "MethodsOnOffer": _on_offer(),
    }


def _on_offer() -> Json:
    of_type = {
        "payment_method_type": TEXT,
        "payment_experience": maybe(many(record({"payment_experience_type": TEXT}))),
        "card_networks": maybe(many(record({"card_network": TEXT, "surcharge_details": maybe(FREE)}))),
        **{name: maybe(many(FREE)) for name in ("bank_names", "bank_debits", "bank_transfers")},
        "required_fields": FREE,
        "surcharge_details": maybe(FREE),
        "pm_auth_connector": _TEXT,
    }
    method = {"payment_method": TEXT, "payment_method_types": many(record(of_type))}
    return record(
        {
            "redirect_url": _TEXT,
            "currency": _TEXT,
            "payment_methods": many(record(method)),
            "mandate_payment": maybe(FREE),
            "merchant_name": _TEXT,
            "show_surcharge_breakup_screen": FLAG,
            "payment_type": words(("normal", "new_mandate", "setup_mandate")),
            "request_external_three_ds_authentication": FLAG,
            "collect_shipping_details_from_wallets": FLAG,
            "collect_billing_details_from_wallets": FLAG,
            "is_tax_calculation_enabled": FLAG,
            "sdk_next_action": record({"next_action": TEXT}),
            "is_guest_customer": FLAG,
        }
    )
