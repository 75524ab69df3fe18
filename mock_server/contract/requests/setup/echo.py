"""The fields of accounts and connector accounts that are only given back (facts §1.5; names after the public API)."""

from __future__ import annotations

from typing import Final

ACCOUNT_OBJECTS: Final = (
    "merchant_details",
    "routing_algorithm",
    "payout_routing_algorithm",
    "frm_routing_algorithm",
    "pm_collect_link_config",
)
ACCOUNT_TEXTS: Final = ("parent_merchant_id", "locker_id")
PRODUCTS: Final = ("orchestration", "vault", "recon", "recovery", "cost_observability", "dynamic_routing")
ACCOUNT_TYPES: Final = ("standard", "platform", "connected")
ACCOUNT_KINDS: Final = {"product_type": PRODUCTS, "merchant_account_type": ACCOUNT_TYPES}
"""The words of each; the first is what an account is that says nothing."""
ACCOUNT_FLAGS: Final = ("sub_merchants_enabled",)
ACCOUNT_LISTS: Final = ("primary_business_details",)
ACCOUNT_ECHO: Final = (*ACCOUNT_OBJECTS, *ACCOUNT_TEXTS, *ACCOUNT_KINDS, *ACCOUNT_FLAGS, *ACCOUNT_LISTS)

CREDENTIALS: Final = ("connector_account_details", "connector_webhook_details", "connector_wallets_details")
"""What real scripts fill with the keys of real processors: nothing of it is kept but its sort."""
SORT: Final = "auth_type"
"""The one word of credentials that is no secret."""
CONNECTOR_OBJECTS: Final = (*CREDENTIALS, "pm_auth_config", "additional_merchant_data")
CONNECTOR_LISTS: Final = ("payment_methods_enabled", "frm_configs", "applepay_verified_domains")
CONNECTOR_TEXTS: Final = ("business_country", "business_label", "business_sub_label")
CONNECTOR_ECHO: Final = (*CONNECTOR_OBJECTS, *CONNECTOR_LISTS, *CONNECTOR_TEXTS)
