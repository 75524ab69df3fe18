"""The bodies that set-up scripts send (facts §1.5, §2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.fields import (
    Anything,
    CallerId,
    Choice,
    Flag,
    Free,
    Items,
    Metadata,
    OneOrMany,
    Part,
    Text,
    web_url,
)
from mock_server.contract.requests.profiles.body import webhook_details
from mock_server.contract.requests.rules import Rule, is_instant
from mock_server.contract.requests.schema import Body
from mock_server.contract.requests.setup import echo
from mock_server.domain.merchant_account import ACTIVE, INACTIVE

_F: Final = "facts §1.5"
_K: Final = "facts §2.8"
_STORED: Final = "Stored only."
_NOT_EMPTY: Final = Rule(str.strip, "must not be empty", {"pattern": r"\S"})
_IS_END: Final = Rule(
    lambda text: text == "never" or is_instant(text),
    "must be an ISO 8601 timestamp with an offset, or never",
    {"pattern": "^(never|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$"},
)
_TYPES: Final = (
    "payment_processor",
    "payment_vas",
    "fin_operations",
    "fiz_operations",
    "networks",
    "banking_entities",
    "non_banking_finance",
    "payout_processor",
    "payment_method_auth",
    "authentication_processor",
    "tax_processor",
)


class _AccountBody(Body):
    """A merchant; what concerns payments goes to its default profile."""

    merchant_id = CallerId("Your own id; generated when absent.", source=_F, example="mer_shop")
    merchant_name = Text("Name.", source=_F, example="Example Shop")
    organization_id = CallerId("Whose merchant it is; generated when absent.", source=_F)
    return_url = web_url("Of the default profile.", source=_F)
    enable_payment_response_hash = Flag("Of the default profile.", source=_F)
    payment_response_hash_key = Text("Of the default profile.", rules=[_NOT_EMPTY], source=_F)
    redirect_to_merchant_with_http_post = Flag("Of the default profile.", source=_F)
    metadata = Metadata("Up to 50 pairs of your own.", source=_F)
    default_profile = CallerId("The profile of payments that name none.", source=_F)
    publishable_key = Text("Taken, and changes nothing: the merchant's is made here.", source=_F)
    network_tokenization_credentials = Free("Credentials; nothing of them is kept.", source=_F)


def account_body(words: Mapping[str, tuple[str, ...]]) -> type[Body]:
    """The shape of an account in a dialect's words."""
    details = webhook_details(words)
    stored: dict[str, Any] = {
        **{name: Free(_STORED, source=_F) for name in echo.ACCOUNT_OBJECTS},
        **{name: Text(_STORED, source=_F) for name in echo.ACCOUNT_TEXTS},
        **{name: Choice(words_, _STORED, source=_F) for name, words_ in echo.ACCOUNT_KINDS.items()},
        **{name: Flag(_STORED, source=_F) for name in echo.ACCOUNT_FLAGS},
        **{name: Items(Anything(), _STORED, source=_F) for name in echo.ACCOUNT_LISTS},
    }
    more = {"webhook_details": Part(lambda: details, "Of the default profile.", source=_F), **stored}
    return type("Account", (_AccountBody,), more)


class KeyUpdate(Body):
    """A change of an api key."""

    name = Text("Name.", most=64, rules=[_NOT_EMPTY], source=_K, example="Test key")
    description = Text("What it is for.", source=_K)
    expiration = Text("When it ends, or `never`.", rules=[_IS_END], source=_K, example="never")


class KeyBody(KeyUpdate):
    """A new api key."""

    name = Text("Name.", most=64, rules=[_NOT_EMPTY], required=True, source=_K, example="Test key")


class ConnectorUpdate(Body):
    """A change of a connector account."""

    connector_type = Choice(_TYPES, "What it is for.", source=_F, example="payment_processor")
    connector_label = Text("Label, the merchant's only one.", rules=[_NOT_EMPTY], source=_F)
    status = Choice((ACTIVE, INACTIVE), "Whether it is in use.", source=_F, example=ACTIVE)
    disabled = Flag("Whether it is switched off.", source=_F)
    test_mode = Flag("Whether it is a test account.", source=_F)
    metadata = Metadata("Up to 50 pairs of your own.", source=_F)
    connector_account_details = Free("Credentials; only their sort is kept.", source=_F)
    connector_webhook_details = Free("Credentials; nothing of them is kept.", source=_F)
    connector_wallets_details = Free("Credentials; nothing of them is kept.", source=_F)
    pm_auth_config = Free(_STORED, source=_F)
    additional_merchant_data = Free(_STORED, source=_F)
    payment_methods_enabled = Items(Anything(), _STORED, source=_F)
    frm_configs = Items(Anything(), _STORED, source=_F)
    applepay_verified_domains = Items(Anything(), _STORED, source=_F)
    business_country = Text(_STORED, source=_F)
    business_label = Text(_STORED, source=_F)
    business_sub_label = Text(_STORED, source=_F)


class ConnectorBody(ConnectorUpdate):
    """A connector account."""

    connector_name = Text("Which processor.", rules=[_NOT_EMPTY], required=True, source=_F, example="stripe_test")
    merchant_connector_id = CallerId("Your own id; generated when absent.", source=_F)
    profile_id = CallerId("For which profile; the default one where it is not said.", source=_F)


def connector_filters() -> Mapping[str, OneOrMany]:
    """What a list of connector accounts can be filtered by."""
    return {
        "connector_name": OneOrMany(Text(), "Processor.", source="ours", example="stripe_test"),
        "connector_label": OneOrMany(Text(), "Label.", source="ours"),
        "profile_id": OneOrMany(Text(), "Business profile.", source="ours"),
    }
