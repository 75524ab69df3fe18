"""A business profile as answers show it (facts §2.7)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, plain
from mock_server.contract.dialect import Dialect
from mock_server.contract.requests.profiles import CREDENTIALS, LISTS, NUMBERS, OBJECTS, OFF_BY_DEFAULT, TEXTS
from mock_server.domain.profile import FILTERED, Profile, WebhookDetails
from mock_server.jsontext import raw

_F = "facts §2.7"
_S, _N, _B, _O, _A = "string", "integer", "boolean", "object", "array"
_FULFILMENT_S = 900


def profile(record: Profile, dialect: Dialect) -> dict[str, object]:
    """The profile's fields in their documented order."""
    out = PROFILE.of(record, dialect)
    for name, text in record.echo.items():
        out[name] = raw(text)
    return out


def _headers(record: Profile, _: Dialect) -> object:
    """Their values can be secrets of the receiver's."""
    return {name: masked(value) for name, value in record.outgoing_webhook_custom_http_headers.items()} or None


def masked(value: str) -> str:
    """Enough of a value to know it by (`lo***rs`), and of a short one nothing."""
    return f"{value[:2]}***{value[-2:]}" if len(value) > _SHORT else "***"


_SHORT = 4


def _webhooks(record: Profile, dialect: Dialect) -> object:
    return None if record.webhook_details is None else webhooks(record.webhook_details, dialect)


def webhooks(details: WebhookDetails, dialect: Dialect) -> dict[str, object]:
    """Where and of what a profile is told, in the dialect's words."""
    shown: dict[str, object] = {name: getattr(details, name) for name in _DETAILS}
    for name, kind in FILTERED.items():
        chosen = getattr(details, name)
        shown[name] = None if chosen is None else [dialect.status_out(kind(status)) for status in chosen]
    return shown


_DETAILS = (
    "webhook_version",
    "webhook_username",
    "webhook_password",
    "webhook_url",
    "payment_created_enabled",
    "payment_succeeded_enabled",
    "payment_failed_enabled",
    "payment_statuses_enabled",
    "refund_statuses_enabled",
    "payout_statuses_enabled",
)

# fmt: off
PROFILE: Shape[Profile] = Shape(
    Field("merchant_id", plain("merchant_id"), _S, _F, nullable=False),
    Field("profile_id", plain("profile_id"), _S, _F, nullable=False),
    Field("profile_name", plain("profile_name"), _S, _F, nullable=False),
    Field("return_url", plain("return_url"), _S, _F),
    Field("enable_payment_response_hash", plain("enable_payment_response_hash"), _B, _F, nullable=False),
    Field("payment_response_hash_key", plain("payment_response_hash_key"), _S, _F),
    Field("redirect_to_merchant_with_http_post", plain("redirect_to_merchant_with_http_post"), _B, _F, nullable=False),
    Field("webhook_details", _webhooks, _O, _F),
    Field("metadata", lambda p, d: raw(p.metadata or "{}"), _O, _F, nullable=False),
    Field("session_expiry", plain("session_expiry_s"), _N, _F),
    Field("intent_fulfillment_time", lambda p, d: p.intent_fulfillment_time or _FULFILMENT_S, _N, _F),
    Field("outgoing_webhook_custom_http_headers", _headers, _O, _F),
    Field("is_manual_retry_enabled", plain("is_manual_retry_enabled"), _B, _F),
    Field("is_auto_retries_enabled", plain("is_auto_retries_enabled"), _B, _F, nullable=False),
    Field("max_auto_retries_enabled", plain("max_auto_retries_enabled"), _N, _F),
    Field("is_connector_agnostic_mit_enabled", plain("is_connector_agnostic_mit_enabled"), _B, _F),
    Field("always_enable_overcapture", plain("always_enable_overcapture"), _B, _F),
    Field("always_request_extended_authorization", plain("always_request_extended_authorization"), _B, _F),
    Field("wallet_identities", lambda p, d: list(p.wallet_identities), _A, "ours", nullable=False),
    *(Field(name, lambda p, d: False, _B, _F) for name in OFF_BY_DEFAULT),
    *(Field(name, None, _O, _F) for name in OBJECTS),
    *(Field(name, None, _O, _F, about="Never shown.") for name in CREDENTIALS),
    *(Field(name, None, _S, _F) for name in TEXTS),
    *(Field(name, None, _A, _F) for name in LISTS),
    *(Field(name, None, _N, _F) for name in NUMBERS),
)
# fmt: on
