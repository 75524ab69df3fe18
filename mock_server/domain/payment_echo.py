"""The fields of a payment request that are only given back, in the order in which answers show them (facts §2.1)."""

from __future__ import annotations

from typing import Final

ECHO_FIELDS: Final = (
    "description",
    "capture_on",
    "payment_experience",
    "allowed_payment_method_types",
    "shipping",
    "billing",
    "order_details",
    "connector_metadata",
    "feature_metadata",
    "frm_metadata",
    "statement_descriptor_name",
    "statement_descriptor_suffix",
    "billing_descriptor",
    "business_country",
    "business_label",
    "business_sub_label",
    "surcharge_details",
    "force_3ds_challenge",
    "browser_info",
    "payment_channel",
    "split_payments",
    "is_iframe_redirection_enabled",
    "is_stored_credential",
    "mit_category",
    "tokenization",
    "partner_merchant_identifier_details",
    "installment_options",
    "installment_data",
)
"""Fields of the public API's answer: `null` where they were not sent."""

ECHO_WHEN_SENT: Final = (
    "routing",
    "payment_link_config",
    "payment_link_config_id",
    "request_external_three_ds_authentication",
    "tax_status",
    "discount_amount",
    "shipping_amount_tax",
    "duty_amount",
    "order_date",
    "psd2_sca_exemption_type",
    "skip_external_tax_calculation",
    "external_surcharge_strategy",
    "profile_acquirer_id",
    "threeds_method_comp_ind",
    "three_ds_data",
    "ctp_service_details",
    "merchant_connector_details",
)
"""Fields of the request alone: shown where they were sent, and left out otherwise (decisions: "echoed")."""

ECHOED: Final = frozenset((*ECHO_FIELDS, *ECHO_WHEN_SENT))
