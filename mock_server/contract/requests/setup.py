"""The bodies of accounts, API keys, connector accounts and the blocklist (facts §1.5; names after the public API)."""

from __future__ import annotations

import re
from typing import Any, Final

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.base import DROPPED, ECHOED_FREE, KEPT, METADATA, READ_AND_KEPT, FieldPlace, Loaded
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany
from mock_server.contract.kinds.rules import NOT_EMPTY, Cross, ValueRule, is_instant
from mock_server.contract.kinds.texts import CallerId, Choice, Text, country_code, currency_code, web_url
from mock_server.contract.kinds.values import Amount, Anything, Flag, Free, Metadata, Whole
from mock_server.contract.operation import PerDialect
from mock_server.contract.requests.listing import LIMIT, listing
from mock_server.contract.requests.payments.body import EXPERIENCES
from mock_server.contract.requests.payments.methods import brand, category, connector, method_type
from mock_server.contract.requests.payments.stored import stored
from mock_server.contract.requests.profiles import details_of, webhook_details
from mock_server.contract.requests.shapes import Shape, storing
from mock_server.domain import limits
from mock_server.domain.api_keys import NEVER, KeyFields
from mock_server.domain.blocklist import BIN_DIGITS, KINDS_IN, BlockKind
from mock_server.domain.commands import JsonText
from mock_server.domain.hiding import without_numbers
from mock_server.domain.instants import parse
from mock_server.domain.merchant import ACTIVE, INACTIVE, AccountFields, ConnectorFields, ProfileFields
from mock_server.jsontext import canonical

ACCOUNT_OBJECTS: Final = (
    "merchant_details", "routing_algorithm", "payout_routing_algorithm", "frm_routing_algorithm",
    "pm_collect_link_config",
)  # fmt: skip
ACCOUNT_TEXTS: Final = ("parent_merchant_id", "locker_id")
PRODUCTS: Final = ("orchestration", "vault", "recon", "recovery", "cost_observability", "dynamic_routing")
ACCOUNT_KINDS: Final = {"product_type": PRODUCTS, "merchant_account_type": ("standard", "platform", "connected")}
"""The words of each; the first is the default."""

CREDENTIALS: Final = ("connector_account_details", "connector_webhook_details", "connector_wallets_details")
"""Fields in which real scripts send keys of real processors: only their type is stored."""
SORT: Final = "auth_type"
"""The name of that type, the only part of credentials that is not secret."""
CONNECTOR_OBJECTS: Final = (*CREDENTIALS, "pm_auth_config", "additional_merchant_data")
CONNECTOR_LISTS: Final = ("payment_methods_enabled", "frm_configs", "applepay_verified_domains")
CONNECTOR_TEXTS: Final = ("business_country", "business_label", "business_sub_label")


_F: Final = "facts §1.5"
_K: Final = "facts §2.8"
_STORED: Final = "Stored, but has no effect."
_PLACES: Final = "Stored. In the dialect of the public API, a new account gets a profile for each."
_IS_END: Final = ValueRule(
    lambda text: text == "never" or is_instant(text),
    "must be an ISO 8601 timestamp with an offset, or never",
    {"pattern": "^(never|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$"},
)
_TYPES: Final = (
    "payment_processor", "payment_vas", "fin_operations", "fiz_operations", "networks", "banking_entities",
    "non_banking_finance", "payout_processor", "payment_method_auth", "authentication_processor", "tax_processor",
    "surcharge_processor", "billing_processor", "vault_processor",
)  # fmt: skip


class _AccountBody(Body, source=_F):
    """A merchant account. Payment settings apply to its default profile."""

    merchant_id = CallerId("Your own ID. Generated if omitted.", example="mer_shop")
    merchant_name = Text("Name.", example="Example Shop", place=KEPT)
    organization_id = CallerId("ID of the organisation. Generated if omitted.", place=KEPT)
    return_url = web_url("Setting of the default profile.", most=limits.PROFILE_RETURN_URL)
    enable_payment_response_hash = Flag("Setting of the default profile.")
    payment_response_hash_key = Text("Setting of the default profile.", rules=[NOT_EMPTY])
    redirect_to_merchant_with_http_post = Flag("Setting of the default profile.")
    metadata = Metadata(place=METADATA)
    default_profile = CallerId("Profile for payments without a profile ID; a new account gets one.")
    publishable_key = Text("Accepted, but has no effect: the sandbox generates the key.", place=DROPPED)
    network_tokenization_credentials = Free("Credentials. Not stored.", place=DROPPED)


class BusinessPlace(Body, source=_F):
    """A country and a business there, for which the public server makes a profile."""

    country = country_code("Country.", required=True)
    business = Text("Name of the business.", most=60, required=True, rules=[NOT_EMPTY], example="shop")


class KeyUpdate(Body, source=_K):
    """Changes to an API key."""

    name = Text("Name.", most=64, rules=[NOT_EMPTY], example="Test key", place=KEPT)
    description = Text("Description.", most=256, place=KEPT)
    expiration = Text(
        "When the key expires, or `never`.",
        rules=[_IS_END],
        example="never",
        place=FieldPlace(record="expires_at", write=lambda end: None if end == NEVER else parse(end)),
    )


class KeyBody(KeyUpdate, source=_K):
    """A new API key."""

    name = Text("Name.", most=64, rules=[NOT_EMPTY], required=True, example="Test key", place=KEPT)


def _sort_of(credentials: Loaded) -> JsonText:
    """The type of a real processor's credentials, if they name one; nothing else of them is stored."""
    sort = credentials.get(SORT)
    return canonical({SORT: sort} if isinstance(sort, str) else None)


_CREDENTIALS: Final = FieldPlace(echo=True, write=_sort_of)
_ONLY_TYPE: Final = "Credentials. Only their type is stored."


def _accepted(one: Choice) -> ObjectOf:
    kinds = Choice(("enable_only", "disable_only", "all_accepted"), "What the list means.", required=True, source=_F)
    codes = Items(one, "Codes.", source=_F)
    shape = type("Accepted", (Body,), {"__doc__": "What an account accepts.", "type": kinds, "list": codes})
    return ObjectOf(lambda: shape, "Those that are accepted. Defaults to all.")


class EnabledType(Body, source=_F):
    """A type that an account accepts, and its limits."""

    payment_method_type = method_type("Type.", _F, narrows=True, required=True)
    payment_experience = Choice(EXPERIENCES, _STORED)
    card_networks = Items(brand(), "Card networks.")
    accepted_currencies = _accepted(currency_code())
    accepted_countries = _accepted(country_code())
    minimum_amount = Amount("Smallest amount.")
    maximum_amount = Amount("Largest amount.")
    recurring_enabled = Flag(_STORED)
    installment_payment_enabled = Flag(_STORED)


class EnabledMethod(Body, source=_F):
    """A category that an account accepts."""

    payment_method = category("Category.", _F, narrows=True, required=True)
    payment_method_types = Items(ObjectOf(lambda: EnabledType), "Types. Defaults to all of the category.")


class ConnectorUpdate(Body, source=_F):
    """Changes to a connector account."""

    connector_type = Choice(_TYPES, "Type of the connector account.", example="payment_processor", place=READ_AND_KEPT)
    connector_label = Text("Unique for the profile; by default both names joined.", rules=[NOT_EMPTY], place=KEPT)
    status = Choice((INACTIVE, ACTIVE), "Status of the account; a new one is active.", example=ACTIVE, place=KEPT)
    disabled = Flag("Whether the account is disabled; a new one is not.", place=KEPT)
    test_mode = Flag("Whether it is a test account; a new one is.", place=KEPT)
    metadata = Metadata(place=METADATA)
    connector_account_details = Free(_ONLY_TYPE, place=_CREDENTIALS)
    connector_webhook_details = Free(_ONLY_TYPE, place=_CREDENTIALS)
    connector_wallets_details = Free(_ONLY_TYPE, place=_CREDENTIALS)
    pm_auth_config = Free(_STORED, place=ECHOED_FREE)
    additional_merchant_data = Free(_STORED, place=ECHOED_FREE)
    payment_methods_enabled = Items(
        ObjectOf(lambda: EnabledMethod), "Methods that are available and go to this account.", place=ECHOED_FREE
    )
    frm_configs = Items(Anything(), _STORED, place=ECHOED_FREE)
    applepay_verified_domains = Items(Text(), _STORED, place=ECHOED_FREE)
    business_country = country_code(_STORED, place=ECHOED_FREE)
    business_label = Text(_STORED, place=ECHOED_FREE)
    business_sub_label = Text(_STORED, place=ECHOED_FREE)


class ConnectorBody(ConnectorUpdate, source=_F):
    """A connector account."""

    connector_name = connector("Name of the processor.", rules=[NOT_EMPTY], required=True, example="stripe_test")
    merchant_connector_id = CallerId("Your own ID. Generated if omitted.", place=FieldPlace(command="connector_id"))
    profile_id = CallerId("ID of the profile. Defaults to the default profile.")


def _account(dialect: Dialect) -> Shape[AccountFields]:
    kept: dict[str, Any] = {"says": _STORED, "source": _F, "place": ECHOED_FREE}
    place = ObjectOf(lambda: BusinessPlace) if dialect.rules.get("public") else Anything()
    fields = {
        "webhook_details": webhook_details(dialect.readings, "Setting of the default profile.", _F),
        **{name: stored(name, **kept) for name in ACCOUNT_OBJECTS},
        **{name: Text(**kept) for name in ACCOUNT_TEXTS},
        **{name: Choice(words, **kept) for name, words in ACCOUNT_KINDS.items()},
        "sub_merchants_enabled": Flag(**kept),
        "primary_business_details": Items(place, **{**kept, "says": _PLACES}),
    }
    body: type[Body] = type("Account", (_AccountBody,), fields)
    places = body.places()

    def build(loaded: Loaded) -> AccountFields:
        command, carried, echo = places.in_row_order(loaded)
        return AccountFields(
            merchant_id=command.pop("merchant_id", None),
            default_profile=command.pop("default_profile", None),
            carried=carried,
            echo=echo,
            profile=ProfileFields(
                webhook_details=details_of(dialect.readings, command.pop("webhook_details", None)),
                # Everything else that is read belongs to the default profile, and is stored there.
                carried=command,
            ),
        )

    return Shape(body, build)


ACCOUNT: Final = PerDialect(_account)
"""`POST /accounts`, `POST /accounts/{id}`."""
KEY: Final[Shape[KeyFields]] = storing(KeyBody, KeyFields)
KEY_UPDATE: Final[Shape[KeyFields]] = storing(KeyUpdate, KeyFields)
CONNECTOR: Final[Shape[ConnectorFields]] = storing(ConnectorBody, ConnectorFields, in_row_order=True)
CONNECTOR_UPDATE: Final[Shape[ConnectorFields]] = storing(ConnectorUpdate, ConnectorFields, in_row_order=True)
KEYS: Final = listing("api_keys.list", {})
CONNECTORS: Final = listing(
    "connectors.list",
    {
        "connector_name": OneOrMany(Text(), "Processor.", source="ours", example="stripe_test"),
        "connector_label": OneOrMany(Text(), "Label.", source="ours"),
        "profile_id": OneOrMany(Text(), "ID of the business profile.", source="ours"),
    },
)


_B: Final = "facts §1.6"
_BIN: Final = re.compile(rf"[0-9]{{{BIN_DIGITS}}}")


class BlockBody(Body, source=_B):
    """Entry to block or unblock."""

    crosses = (
        Cross(
            ("type", "data"),
            lambda loaded: loaded["type"] != BlockKind.CARD_BIN or _BIN.fullmatch(loaded["data"]) is not None,
            f"must be the first {BIN_DIGITS} digits of a card number",
            "data",
        ),
        Cross(
            ("data",),
            lambda loaded: without_numbers(loaded["data"]) == loaded["data"],
            "must be a fingerprint of a card, not its number",
            "data",
        ),
    )

    type = Choice(
        tuple(BlockKind),
        "Kind of entry.",
        required=True,
        example=BlockKind.CARD_BIN,
        place=FieldPlace("kind", write=BlockKind),
    )
    data = Text(
        "The first six digits of a card number, or a card's fingerprint.",
        most=limits.IDENTIFIER,
        required=True,
        example="424242",
        place=FieldPlace("value"),
    )


class BlocksQuery(Body, source=_B):
    """Entries to list."""

    data_kind = Choice(
        tuple(KINDS_IN), "Kind of entry.", example=BlockKind.CARD_BIN, place=FieldPlace("kind", write=KINDS_IN.get)
    )
    limit = LIMIT("Number of entries to return. Defaults to 10.", most=limits.LIST_MAX)
    offset = Whole("Number of entries to skip.", least=0, most=limits.JSON_INTEGER, example=0)
    client_secret = Text(place=DROPPED)


class ToggleQuery(Body, source=_B):
    """Whether the blocklist is on."""

    status = Flag("Whether the blocklist is on.", required=True, example=True, place=FieldPlace("on"))
