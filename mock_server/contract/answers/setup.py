"""Profiles, accounts, API keys and connector accounts (facts §1.5, §2.7, §2.8)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Beside, Constant, Field, Many, each, sent
from mock_server.contract.notation import FLAG, FREE, INSTANT, LIST, TEXT, WHOLE, described, many, words
from mock_server.contract.requests import profiles as of_profiles
from mock_server.contract.requests import setup as echo
from mock_server.domain.api_keys import NEVER, IssuedKey
from mock_server.domain.instants import iso
from mock_server.domain.merchant import FILTERED, Connector, Profile, ShownAccount, WebhookDetails
from mock_server.domain.report import organization_of

_A, _P, _K = "facts §1.5", "facts §2.7", "facts §2.8"
_FULFILMENT_S: Final = 900


# fmt: off
_WEBHOOK_DETAILS: Final[AnswerShape[WebhookDetails]] = AnswerShape(
    "WebhookDetails",
    *each(TEXT, "webhook_version", "webhook_username", "webhook_password", "webhook_url"),
    *each(FLAG, "payment_created_enabled", "payment_succeeded_enabled", "payment_failed_enabled"),
    *(Field(name, Many(kind)) for name, kind in FILTERED.items()),
    Field("payout_statuses_enabled", many(TEXT)),
)

PROFILE: Final[AnswerShape[Profile]] = AnswerShape(
    "Profile",
    *each(TEXT, "merchant_id", "profile_id", "profile_name", source=_P, nullable=False),
    Field("return_url", TEXT, _P),
    Field("enable_payment_response_hash", FLAG, _P, nullable=False),
    Field("payment_response_hash_key", TEXT, _P),
    Field("redirect_to_merchant_with_http_post", FLAG, _P, nullable=False),
    Field("webhook_details", _WEBHOOK_DETAILS, _P),
    Field("metadata", AsJson(), _P, of=lambda profile: profile.metadata or "{}", nullable=False),
    Field("session_expiry", WHOLE, _P, of="session_expiry_s"),
    Field("intent_fulfillment_time", WHOLE, _P, of=lambda profile: profile.intent_fulfillment_time or _FULFILMENT_S),
    Field("outgoing_webhook_custom_http_headers", FREE, _P, of=Profile.shown_headers),
    Field("is_manual_retry_enabled", FLAG, _P),
    Field("is_auto_retries_enabled", FLAG, _P, nullable=False),
    Field("max_auto_retries_enabled", WHOLE, _P),
    *each(FLAG, "is_connector_agnostic_mit_enabled", "always_enable_overcapture", source=_P),
    Field("always_request_extended_authorization", FLAG, _P),
    Field("wallet_identities", many(TEXT), "ours", of=lambda profile: list(profile.wallet_identities), nullable=False),
    *(Field(name, FLAG, _P, of=Constant(False), sent=True) for name in of_profiles.OFF_BY_DEFAULT),
    *(sent(name, FREE, _P) for name in of_profiles.OBJECTS),
    Field("network_tokenization_credentials", FREE, _P, of=NOTHING, about="Never returned."),
    *(sent(name, TEXT, _P) for name in of_profiles.TEXTS),
    *(sent(name, LIST, _P) for name in of_profiles.LISTS),
    sent("dispute_polling_interval", WHOLE, _P),
    about="A business profile.",
)
MIT_SWITCH: Final[AnswerShape[Profile]] = AnswerShape.inline(
    "ConnectorAgnosticMit",
    Field("enabled", FLAG, of="is_connector_agnostic_mit_enabled", nullable=False),
)

ACCOUNT: Final[AnswerShape[ShownAccount]] = AnswerShape(
    "Account",
    Field("merchant_id", TEXT, _A, nullable=False),
    Field("merchant_name", TEXT, _A),
    Field("return_url", TEXT, _A, of=Beside("profile.return_url")),
    Field("enable_payment_response_hash", FLAG, _A, of=Beside("profile.enable_payment_response_hash"), nullable=False),
    Field("payment_response_hash_key", TEXT, _A, of=Beside("profile.payment_response_hash_key")),
    Field("redirect_to_merchant_with_http_post", FLAG, _A, nullable=False,
        of=Beside("profile.redirect_to_merchant_with_http_post")),
    sent("merchant_details", FREE, _A),
    Field("webhook_details", _WEBHOOK_DETAILS, _A, of=Beside("profile.webhook_details")),
    *(sent(name, FREE, _A) for name in echo.ACCOUNT_OBJECTS if name != "merchant_details"),
    *(sent(name, TEXT, _A) for name in echo.ACCOUNT_TEXTS),
    *(
        Field(name, words(known), _A, of=Constant(known[0]), nullable=False, sent=True)
        for name, known in echo.ACCOUNT_KINDS.items()
    ),
    sent("sub_merchants_enabled", FLAG, _A),
    sent("primary_business_details", LIST, _A),
    Field("publishable_key", TEXT, _A),
    Field("metadata", AsJson(), _A, of=lambda account: account.metadata or "{}", nullable=False),
    Field("organization_id", TEXT, _A, nullable=False,
        of=lambda account: organization_of(account.merchant_id, account.organization_id)),
    Field("is_recon_enabled", FLAG, _A, of=Constant(False), nullable=False),
    Field("default_profile", TEXT, _A, of=Beside("default_profile")),
    Field("recon_status", TEXT, _A, of=Constant("not_requested"), nullable=False),
    *each(INSTANT, "created_at", "modified_at", source="ours", nullable=False),
    part="account",
    about="A merchant account.",
)
"""Settings for payments are those of the default profile."""
ACCOUNT_DELETION: Final[AnswerShape[str]] = AnswerShape.inline(
    "AccountDeletion",
    Field("merchant_id", TEXT, of=str, nullable=False),
    Field("deleted", FLAG, of=Constant(True), nullable=False),
)

_KEY_HEAD = (*each(TEXT, "key_id", "merchant_id", "name", source=_K, nullable=False), Field("description", TEXT, _K))
_KEY_TAIL = (
    Field("created", INSTANT, _K, of="created_at", nullable=False),
    Field("expiration", described(TEXT, "An ISO 8601 timestamp, or `never`."), _K, nullable=False,
        of=lambda key: NEVER if key.expires_at is None else iso(key.expires_at)),
)
KEY: Final[AnswerShape[IssuedKey]] = AnswerShape(
    "ApiKey",
    *_KEY_HEAD,
    Field("prefix", TEXT, _K, nullable=False),
    *_KEY_TAIL,
    about="An API key without its value.",
)
NEW_KEY: Final[AnswerShape[IssuedKey]] = AnswerShape(
    "CreatedApiKey",
    *_KEY_HEAD,
    Field("api_key", TEXT, _K, of="secret", nullable=False),
    *_KEY_TAIL,
    like=KEY,
    about="An API key with its value, which is shown only once.",
)
REVOKED_KEY: Final[AnswerShape[IssuedKey]] = AnswerShape.inline(
    "RevokedApiKey",
    *each(TEXT, "merchant_id", "key_id", nullable=False),
    Field("revoked", FLAG, of=Constant(True), nullable=False),
    like=KEY,
)

_CONNECTOR_ID = Field("merchant_connector_id", TEXT, _A, of="connector_id", nullable=False)
CONNECTOR: Final[AnswerShape[Connector]] = AnswerShape(
    "Connector",
    *each(TEXT, "connector_type", "connector_name", source=_A, nullable=False),
    Field("connector_label", TEXT, _A),
    _CONNECTOR_ID,
    Field("profile_id", TEXT, _A, nullable=False),
    *(sent(name, FREE, _A) for name in echo.CONNECTOR_OBJECTS),
    *(sent(name, LIST, _A) for name in echo.CONNECTOR_LISTS),
    *(sent(name, TEXT, _A) for name in echo.CONNECTOR_TEXTS),
    Field("metadata", AsJson(), _A, of=lambda connector: connector.metadata or "{}", nullable=False),
    *each(FLAG, "test_mode", "disabled", source=_A),
    Field("status", TEXT, _A, nullable=False),
    about="A connector account. Its credentials are not stored.",
)
_UNLISTED = (*echo.CREDENTIALS, "additional_merchant_data", "metadata")
LISTED_CONNECTOR: Final[AnswerShape[Connector]] = AnswerShape(
    "ListedConnector",
    *(row for name, row in CONNECTOR.fields.items() if name not in _UNLISTED),
    like=CONNECTOR,
    about="A connector account without its details.",
)
"""A list leaves out what concerns credentials (facts §1.5)."""
CONNECTOR_DELETION: Final[AnswerShape[Connector]] = AnswerShape.inline(
    "ConnectorDeletion",
    Field("merchant_id", TEXT, nullable=False),
    _CONNECTOR_ID._replace(source=""),
    Field("deleted", FLAG, of=Constant(True), nullable=False),
    like=CONNECTOR,
)
# fmt: on
