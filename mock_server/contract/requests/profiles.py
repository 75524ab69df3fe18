"""The body of a profile; its stored fields are in the order in which answers return them (facts §2.7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.base import DROPPED, ECHOED_FREE, KEPT, METADATA, OWN, FieldPlace, Loaded
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany
from mock_server.contract.kinds.rules import NOT_EMPTY
from mock_server.contract.kinds.texts import Choice, Text, country_code, web_url
from mock_server.contract.kinds.values import Flag, Free, Metadata, Whole
from mock_server.contract.operation import PerDialect
from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.payments.parts import session_expiry
from mock_server.contract.requests.payments.stored import stored
from mock_server.contract.requests.shapes import Shape
from mock_server.domain import limits
from mock_server.domain.events import OWN_HEADERS
from mock_server.domain.merchant import FILTERED, WALLET_IDENTITIES, ProfileFields, WebhookDetails

OFF_BY_DEFAULT: Final = (
    "is_network_tokenization_enabled", "is_click_to_pay_enabled", "is_tax_connector_enabled", "force_3ds_challenge",
    "use_billing_as_payment_method_billing", "collect_shipping_details_from_wallet_connector",
    "collect_billing_details_from_wallet_connector", "always_collect_shipping_details_from_wallet_connector",
    "always_collect_billing_details_from_wallet_connector", "is_clear_pan_retries_enabled",
    "is_debit_routing_enabled", "is_iframe_redirection_enabled", "is_pre_network_tokenization_enabled",
    "is_l2_l3_enabled",
)  # fmt: skip
"""Switches that are stored; those of wallets and taxes are also shown by the lists of payment methods."""

OBJECTS: Final = (
    "card_testing_guard_config", "routing_algorithm", "frm_routing_algorithm", "payout_routing_algorithm",
    "payment_link_config", "payout_link_config", "authentication_connector_details", "extended_card_info_config",
    "authentication_product_ids", "surcharge_connector_details", "payment_method_blocking",
    "external_vault_connector_details",
)  # fmt: skip
TEXTS: Final = (
    "tax_connector_id", "merchant_business_country", "merchant_category_code", "merchant_country_code",
    "is_external_vault_enabled", "billing_processor_id",
)  # fmt: skip
LISTS: Final = ("applepay_verified_domains", "acquirer_configs")


_F: Final = "facts §2.7"
_STORED: Final = "Stored, but has no effect."
_SHOWN: Final = "Stored, and shown to forms by the lists of payment methods."
_IS_SHOWN: Final = re.compile("_wallet_|_tax_").search
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]{0,1024}")


class WebhookHeaders(Free):
    """Headers by name: valid in HTTP, and none that every webhook has."""

    def turn(self, value: Any) -> Any:
        pairs: Mapping[str, Any] = value
        wrong = {name: [problem] for name, text in pairs.items() if (problem := _problem(name, text))}
        if wrong:
            raise ValidationError(wrong)
        return pairs


def _problem(name: str, text: object) -> str | None:
    if _NAME.fullmatch(name) is None:
        return "must be the name of a header"
    if name.lower() in OWN_HEADERS:
        return "must not be a standard header of webhooks"
    if not isinstance(text, str) or _VALUE.fullmatch(text) is None:
        return "must be a string of printable ASCII characters"
    return None


Readings = Mapping[type, Mapping[str, object]]
"""The engine's status for every word of the dialect, by the enum."""


def webhook_details(readings: Readings, says: str, source: str) -> ObjectOf:
    """The field `webhook_details` in a dialect's words."""
    about = "Statuses for which events are sent. Defaults to all, as does an empty list."
    fields = {
        **{f"webhook_{name}": Text(_STORED, source=_F) for name in ("version", "username", "password")},
        "webhook_url": web_url(
            "URL for events. Without it, no events are sent.", source=_F, example="https://shop.example.com/hooks"
        ),
        **{f"payment_{what}_enabled": Flag(_STORED, source=_F) for what in ("created", "succeeded", "failed")},
        **{
            name: Items(Choice(readings[kind], named=kind.__name__, narrows=True), about, source=_F)
            for name, kind in FILTERED.items()
        },
        "payout_statuses_enabled": Items(Text(), _STORED, source=_F),
    }
    details = type("WebhookDetails", (Body,), fields)
    return ObjectOf(lambda: details, says, source=source)


class _ProfileBody(Body, source=_F):
    """Settings of one shop. All fields are optional."""

    profile_name = Text(
        "Name; must be unique for the merchant.",
        most=limits.PROFILE_NAME,
        rules=[NOT_EMPTY],
        example="shop",
        place=KEPT,
    )
    return_url = web_url("Return URL for payments that have none.", most=limits.PROFILE_RETURN_URL, place=KEPT)
    enable_payment_response_hash = Flag("Whether the return URL is signed, as it is by default.", place=KEPT)
    payment_response_hash_key = Text("Signs webhooks and URLs; by default a new one.", rules=[NOT_EMPTY], place=KEPT)
    redirect_to_merchant_with_http_post = Flag(
        "Whether the customer returns with a form POST instead of a GET.", place=KEPT
    )
    metadata = Metadata(place=METADATA)
    session_expiry = session_expiry(place=FieldPlace(record="session_expiry_s"))
    intent_fulfillment_time = Whole("Seconds to fulfil a payment. Stored, but has no effect.", least=1, place=KEPT)
    outgoing_webhook_custom_http_headers = WebhookHeaders(
        "Additional headers for webhooks; at most four are recommended.", place=KEPT
    )
    is_manual_retry_enabled = Flag("Whether failed payments can be confirmed again.", place=KEPT)
    is_auto_retries_enabled = Flag("Whether declined charges are retried immediately.", place=KEPT)
    max_auto_retries_enabled = Whole("Maximum number of retries.", least=0, most=10, place=KEPT)
    is_connector_agnostic_mit_enabled = Flag(_STORED, place=KEPT)
    always_enable_overcapture = Flag("Whether every payment allows a capture above the authorized amount.", place=KEPT)
    always_request_extended_authorization = Flag(
        "Whether to request a longer authorization for every payment.", place=KEPT
    )
    wallet_identities = Items(
        Choice(WALLET_IDENTITIES),
        "Wallets with a merchant identity. Defaults to both.",
        source="ours",
        place=FieldPlace(record=OWN, write=lambda words: tuple(dict.fromkeys(words))),
    )


class ToggleBody(Body, source="facts §1.5"):
    """Whether something is on or off."""

    enabled = Flag("On or off.", required=True)


def _profile(dialect: Dialect) -> Shape[ProfileFields]:
    kept: dict[str, Any] = {"says": _STORED, "source": _F, "place": ECHOED_FREE}
    fields = {
        "webhook_details": webhook_details(dialect.readings, "URL for events.", _F),
        **{name: Flag(**{**kept, "says": _SHOWN} if _IS_SHOWN(name) else kept) for name in OFF_BY_DEFAULT},
        **{name: stored(name, **kept) for name in OBJECTS},
        "network_tokenization_credentials": Free("Credentials. Not stored.", source=_F, place=DROPPED),
        **{name: Text(**kept) for name in TEXTS},
        "merchant_business_country": country_code(**kept),
        "is_external_vault_enabled": Choice(("enable", "skip"), **kept),
        "applepay_verified_domains": Items(Text(), **kept),
        "acquirer_configs": Items(Free(), **kept),
        "dispute_polling_interval": Whole(least=0, **kept),
    }
    body: type[Body] = type("Profile", (_ProfileBody,), fields)
    places = body.places()

    def build(loaded: Loaded) -> ProfileFields:
        command, carried, echo = places.in_row_order(loaded)
        return ProfileFields(carried, details_of(dialect.readings, command.get("webhook_details")), echo)

    return Shape(body, build)


def details_of(readings: Readings, details: Mapping[str, Any] | None) -> WebhookDetails | None:
    """Webhook details in the engine's words; those of a dialect for which the engine has no status stay."""
    if details is None:
        return None
    given = {name: value for name, value in details.items() if value is not None}
    for name in given.keys() & {*FILTERED, "payout_statuses_enabled"}:
        known = readings[FILTERED[name]] if name in FILTERED else {}
        given[name] = tuple(dict.fromkeys(str(known.get(word, word)) for word in given[name]))
    return WebhookDetails(**given)


PROFILE: Final = PerDialect(_profile)
"""`POST …/business_profile`, `POST` and `PUT …/business_profile/{id}`."""
LIST: Final = listing("profiles.list", {"profile_name": OneOrMany(Text(), "Name.", source="ours", example="shop")})
