"""The fields of a profile that are only given back, in the order in which answers show them (facts §2.7)."""

from __future__ import annotations

from typing import Final

OFF_BY_DEFAULT: Final = (
    "is_network_tokenization_enabled",
    "is_click_to_pay_enabled",
    "is_tax_connector_enabled",
    "force_3ds_challenge",
    "use_billing_as_payment_method_billing",
    "collect_shipping_details_from_wallet_connector",
    "collect_billing_details_from_wallet_connector",
    "always_collect_shipping_details_from_wallet_connector",
    "always_collect_billing_details_from_wallet_connector",
    "is_clear_pan_retries_enabled",
    "is_debit_routing_enabled",
    "is_iframe_redirection_enabled",
    "is_pre_network_tokenization_enabled",
    "is_l2_l3_enabled",
)
"""Switches that are kept; but for what the list of methods says of wallets they change nothing here."""

CREDENTIALS: Final = ("network_tokenization_credentials",)
"""What real scripts fill with keys of others: nothing of it is kept."""

OBJECTS: Final = (
    "card_testing_guard_config",
    "routing_algorithm",
    "frm_routing_algorithm",
    "payout_routing_algorithm",
    "payment_link_config",
    "payout_link_config",
    "authentication_connector_details",
    "extended_card_info_config",
    "authentication_product_ids",
    "surcharge_connector_details",
    "payment_method_blocking",
    "external_vault_connector_details",
)
TEXTS: Final = (
    "tax_connector_id",
    "merchant_business_country",
    "merchant_category_code",
    "merchant_country_code",
    "is_external_vault_enabled",
    "billing_processor_id",
)
LISTS: Final = ("applepay_verified_domains", "acquirer_configs")
NUMBERS: Final = ("dispute_polling_interval",)

ECHOED: Final = (*OFF_BY_DEFAULT, *OBJECTS, *TEXTS, *LISTS, *NUMBERS)
"""Null where they were not sent, and false for a switch."""
