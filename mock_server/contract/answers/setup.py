"""Accounts, api keys and connector accounts as answers show them (facts §1.5, §2.8)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, at, instant, plain
from mock_server.contract.answers.profile import webhooks
from mock_server.contract.dialect import Dialect
from mock_server.contract.requests.setup import echo
from mock_server.domain.issued_key import IssuedKey
from mock_server.domain.merchant_account import Connector, ShownAccount
from mock_server.domain.report import organization_of
from mock_server.jsontext import raw

_F, _K = "facts §1.5", "facts §2.8"
_S, _B, _O, _A = "string", "boolean", "object", "array"
NEVER = "never"


def account(record: ShownAccount, dialect: Dialect) -> dict[str, object]:
    """An account's fields; what concerns payments is its default profile's."""
    out = ACCOUNT.of(record, dialect)
    for name, text in record.account.echo.items():
        out[name] = raw(text)
    return out


def _webhooks(record: ShownAccount, dialect: Dialect) -> object:
    details = record.profile.webhook_details
    return None if details is None else webhooks(details, dialect)


def _organization(record: ShownAccount, _: Dialect) -> object:
    return organization_of(record.account.merchant_id, record.account.organization_id)


def _with_post(record: ShownAccount, _: Dialect) -> object:
    return record.profile.redirect_to_merchant_with_http_post


# fmt: off
ACCOUNT: Shape[ShownAccount] = Shape(
    Field("merchant_id", lambda a, d: a.account.merchant_id, _S, _F, nullable=False),
    Field("merchant_name", lambda a, d: a.account.merchant_name, _S, _F),
    Field("return_url", lambda a, d: a.profile.return_url, _S, _F),
    Field("enable_payment_response_hash", lambda a, d: a.profile.enable_payment_response_hash, _B, _F, nullable=False),
    Field("payment_response_hash_key", lambda a, d: a.profile.payment_response_hash_key, _S, _F),
    Field("redirect_to_merchant_with_http_post", _with_post, _B, _F, nullable=False),
    Field("merchant_details", None, _O, _F),
    Field("webhook_details", _webhooks, _O, _F),
    *(Field(name, None, _O, _F) for name in echo.ACCOUNT_OBJECTS if name != "merchant_details"),
    *(Field(name, None, _S, _F) for name in echo.ACCOUNT_TEXTS),
    Field("product_type", lambda a, d: echo.PRODUCTS[0], _S, _F, nullable=False),
    Field("merchant_account_type", lambda a, d: echo.ACCOUNT_TYPES[0], _S, _F, nullable=False),
    *(Field(name, None, _B, _F) for name in echo.ACCOUNT_FLAGS),
    *(Field(name, None, _A, _F) for name in echo.ACCOUNT_LISTS),
    Field("publishable_key", lambda a, d: a.account.publishable_key, _S, _F),
    Field("metadata", lambda a, d: raw(a.account.metadata or "{}"), _O, _F, nullable=False),
    Field("organization_id", _organization, _S, _F, nullable=False),
    Field("is_recon_enabled", lambda a, d: False, _B, _F, nullable=False),
    Field("default_profile", lambda a, d: a.profile.profile_id, _S, _F),
    Field("recon_status", lambda a, d: "not_requested", _S, _F, nullable=False),
    Field("created_at", lambda a, d: instant(a.account.created_at), _S, "ours", nullable=False),
    Field("modified_at", lambda a, d: instant(a.account.modified_at), _S, "ours", nullable=False),
)

_KEY_HEAD = (
    Field("key_id", plain("key_id"), _S, _K, nullable=False),
    Field("merchant_id", plain("merchant_id"), _S, _K, nullable=False),
    Field("name", plain("name"), _S, _K, nullable=False),
    Field("description", plain("description"), _S, _K),
)
_KEY_TAIL = (
    Field("created", at("created_at"), _S, _K, nullable=False),
    Field("expiration", lambda k, d: NEVER if k.expires_at is None else instant(k.expires_at), _S, _K, nullable=False),
)

NEW_KEY: Shape[IssuedKey] = Shape(*_KEY_HEAD, Field("api_key", plain("secret"), _S, _K, nullable=False), *_KEY_TAIL)
KEY: Shape[IssuedKey] = Shape(*_KEY_HEAD, Field("prefix", plain("prefix"), _S, _K, nullable=False), *_KEY_TAIL)

CONNECTOR: Shape[Connector] = Shape(
    Field("connector_type", plain("connector_type"), _S, _F, nullable=False),
    Field("connector_name", plain("connector_name"), _S, _F, nullable=False),
    Field("connector_label", plain("connector_label"), _S, _F),
    Field("merchant_connector_id", plain("connector_id"), _S, _F, nullable=False),
    Field("profile_id", plain("profile_id"), _S, _F, nullable=False),
    *(Field(name, None, _O, _F) for name in echo.CONNECTOR_OBJECTS),
    *(Field(name, None, _A, _F) for name in echo.CONNECTOR_LISTS),
    *(Field(name, None, _S, _F) for name in echo.CONNECTOR_TEXTS),
    Field("metadata", lambda c, d: raw(c.metadata or "{}"), _O, _F, nullable=False),
    Field("test_mode", plain("test_mode"), _B, _F),
    Field("disabled", plain("disabled"), _B, _F),
    Field("status", plain("status"), _S, _F, nullable=False),
)

_UNLISTED = (*echo.CREDENTIALS, "additional_merchant_data", "metadata")
LISTED_CONNECTOR: Shape[Connector] = Shape(*(field for field in CONNECTOR.fields if field.name not in _UNLISTED))
"""A list leaves out what concerns credentials (facts §1.5)."""
# fmt: on


def key(record: IssuedKey, dialect: Dialect) -> dict[str, object]:
    """An api key without its text."""
    return KEY.of(record, dialect)


def connector(record: Connector, dialect: Dialect) -> dict[str, object]:
    """A connector account's fields."""
    out = CONNECTOR.of(record, dialect)
    for name, text in record.echo.items():
        out[name] = raw(text)
    return out


def listed_connector(record: Connector, dialect: Dialect) -> dict[str, object]:
    """A connector account in a list."""
    out = LISTED_CONNECTOR.of(record, dialect)
    for name in out.keys() & record.echo.keys():
        out[name] = raw(record.echo[name])
    return out
