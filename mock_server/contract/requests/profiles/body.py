"""The body of a business profile (facts §2.7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError

from mock_server.contract.requests.fields import (
    Anything,
    Choice,
    Flag,
    Free,
    Items,
    Metadata,
    OneOrMany,
    Part,
    Text,
    Whole,
    web_url,
)
from mock_server.contract.requests.profiles.echo import CREDENTIALS, LISTS, NUMBERS, OBJECTS, OFF_BY_DEFAULT, TEXTS
from mock_server.contract.requests.rules import Rule
from mock_server.contract.requests.schema import Body
from mock_server.domain import limits
from mock_server.domain.profile import WALLET_IDENTITIES

_F: Final = "facts §2.7"
_MOST_RETRIES: Final = 10
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]{0,1024}")
_OURS: Final = frozenset(
    (
        "content-type",
        "content-length",
        "host",
        "user-agent",
        "transfer-encoding",
        "connection",
        "x-webhook-signature-512",
    )
)
_NOT_EMPTY: Final = Rule(str.strip, "must not be empty", {"pattern": r"\S"})


class Headers(Free):
    """Headers by their names: what HTTP can carry, and none that every webhook has."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        pairs = super()._deserialize(value, attr, data, **kwargs)
        wrong = {name: [problem] for name, text in pairs.items() if (problem := _problem(name, text))}
        if wrong:
            raise ValidationError(wrong)
        return pairs


def _problem(name: str, text: object) -> str | None:
    if _NAME.fullmatch(name) is None:
        return "must be a header's name"
    if name.lower() in _OURS:
        return "must not be a header that every webhook has"
    if not isinstance(text, str) or _VALUE.fullmatch(text) is None:
        return "must be a string of printable ASCII characters"
    return None


def webhook_details(words: Mapping[str, tuple[str, ...]]) -> type[Body]:
    """The shape of `webhook_details`; `words` are the dialect's statuses, by filter."""
    about = "Statuses to tell of; all where it is not set."
    filters = {name: Items(Choice(known), about, source=_F) for name, known in words.items()}
    fields = {
        "webhook_version": Text("Stored only.", source=_F),
        "webhook_username": Text("Stored only.", source=_F),
        "webhook_password": Text("Stored only.", source=_F),
        "webhook_url": web_url(
            "Where events go; none without it.", source=_F, example="https://shop.example.com/hooks"
        ),
        "payment_created_enabled": Flag("Stored only.", source=_F),
        "payment_succeeded_enabled": Flag("Stored only.", source=_F),
        "payment_failed_enabled": Flag("Stored only.", source=_F),
        **filters,
        "payout_statuses_enabled": Items(Text(), "Stored only.", source=_F),
    }
    return type("WebhookDetails", (Body,), fields)


class _ProfileBody(Body):
    """How one shop takes payments; everything is optional."""

    profile_name = Text(
        "Name, the merchant's only one.", most=limits.PROFILE_NAME, rules=[_NOT_EMPTY], source=_F, example="shop"
    )
    return_url = web_url(
        "Where customers go back to, where the payment does not say.", most=limits.PROFILE_RETURN_URL, source=_F
    )
    enable_payment_response_hash = Flag("Whether the way back is signed.", source=_F)
    payment_response_hash_key = Text("Signs webhooks and the way back.", rules=[_NOT_EMPTY], source=_F)
    redirect_to_merchant_with_http_post = Flag("Whether the way back is a form.", source=_F)
    metadata = Metadata("Up to 50 pairs of your own.", source=_F)
    session_expiry = Whole(
        "Seconds that a client secret holds.",
        least=int(limits.SESSION_EXPIRY_MIN_S),
        most=int(limits.SESSION_EXPIRY_MAX_S),
        source=_F,
        example=900,
    )
    intent_fulfillment_time = Whole("Seconds to fulfil a payment; stored only.", least=1, source=_F)
    outgoing_webhook_custom_http_headers = Headers("Further headers of webhooks; four at most are advised.", source=_F)
    is_manual_retry_enabled = Flag("Whether failed payments can be confirmed again.", source=_F)
    is_auto_retries_enabled = Flag("Whether declined charges are tried again at once.", source=_F)
    max_auto_retries_enabled = Whole("How often.", least=0, most=_MOST_RETRIES, source=_F)
    is_connector_agnostic_mit_enabled = Flag("Stored only.", source=_F)
    always_enable_overcapture = Flag("Whether every payment may be captured for more.", source=_F)
    always_request_extended_authorization = Flag("Whether every authorization shall hold longer.", source=_F)
    wallet_identities = Items(
        Choice(WALLET_IDENTITIES), "Wallets with a merchant identity; both at first.", source="ours"
    )


def profile_body(words: Mapping[str, tuple[str, ...]]) -> type[Body]:
    """The shape of a profile in a dialect's words."""
    details = webhook_details(words)
    echoed: dict[str, Any] = {
        **{name: Flag("Stored only.", source=_F) for name in OFF_BY_DEFAULT},
        **{name: Free("Stored only.", source=_F) for name in OBJECTS},
        **{name: Free("Credentials; nothing of them is kept.", source=_F) for name in CREDENTIALS},
        **{name: Text("Stored only.", source=_F) for name in TEXTS},
        **{name: Items(Anything(), "Stored only.", source=_F) for name in LISTS},
        **{name: Whole("Stored only.", least=0, source=_F) for name in NUMBERS},
    }
    return type(
        "Profile", (_ProfileBody,), {"webhook_details": Part(lambda: details, "Where events go.", source=_F), **echoed}
    )


def profile_filters() -> Mapping[str, OneOrMany]:
    """What a list of profiles can be filtered by."""
    return {"profile_name": OneOrMany(Text(), "Name.", source="ours", example="shop")}


class ToggleBody(Body):
    """A switch."""

    enabled = Flag("On or off.", required=True, source="facts §1.5")
