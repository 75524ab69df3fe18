"""The requests of set-up scripts: accounts, api keys, connector accounts (facts §1.5, §2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.metadata import text_of
from mock_server.contract.requests.profiles import Readings, details_of
from mock_server.contract.requests.setup.echo import ACCOUNT_ECHO, CONNECTOR_ECHO, CREDENTIALS, SORT
from mock_server.domain.commands import JsonText
from mock_server.domain.instants import parse
from mock_server.domain.issued_key import KeyFields
from mock_server.domain.merchant_account import AccountFields, ConnectorFields
from mock_server.domain.paging import Query
from mock_server.domain.profile import FILTERED, ProfileFields
from mock_server.jsontext import canonical

Loaded = Mapping[str, Any]
NEVER: Final = "never"
_OF_PROFILE: Final = (
    "return_url",
    "enable_payment_response_hash",
    "payment_response_hash_key",
    "redirect_to_merchant_with_http_post",
)


def _body(name: str) -> Any:
    from mock_server.contract.requests.setup import bodies

    return getattr(bodies, name)()


def account(readings: Readings) -> Shape[AccountFields]:
    """`POST /accounts`, `POST /accounts/{id}`."""

    def schema() -> Any:
        from mock_server.contract.requests.setup.bodies import account_body

        return account_body({name: tuple(readings[kind]) for name, kind in FILTERED.items()})()

    return Shape(schema, partial(_account, readings))


def _account(readings: Readings, loaded: Loaded) -> AccountFields:
    known = {name: value for name, value in loaded.items() if value is not None}
    profile = {name: known[name] for name in _OF_PROFILE if name in known}
    metadata = known.get("metadata")
    return AccountFields(
        merchant_id=known.get("merchant_id"),
        merchant_name=known.get("merchant_name"),
        organization_id=known.get("organization_id"),
        default_profile=known.get("default_profile"),
        metadata=None if metadata is None else text_of(metadata),
        echo={name: canonical(known[name]) for name in ACCOUNT_ECHO if name in known},
        profile=ProfileFields(**profile, webhook_details=details_of(readings, known.get("webhook_details"))),
    )


def _key(loaded: Loaded) -> KeyFields:
    expiration = loaded.get("expiration")
    return KeyFields(
        name=loaded.get("name"),
        description=loaded.get("description"),
        expires_at=None if expiration in (None, NEVER) else parse(str(expiration)),
        never=expiration == NEVER,
    )


def _connector(loaded: Loaded) -> ConnectorFields:
    known = {name: value for name, value in loaded.items() if value is not None}
    echo: dict[str, JsonText] = {
        name: canonical(_shown(name, known.pop(name))) for name in CONNECTOR_ECHO if name in known
    }
    if "merchant_connector_id" in known:
        known["connector_id"] = known.pop("merchant_connector_id")
    if "metadata" in known:
        known["metadata"] = text_of(known["metadata"])
    return ConnectorFields(**known, echo=echo)


def _shown(name: str, value: Any) -> Any:
    """A value as it may be kept: of the credentials of a real processor nothing but their sort, if they have one."""
    if name not in CREDENTIALS:
        return value
    return {SORT: value[SORT]} if isinstance(value.get(SORT), str) else None


KEY: Final[Shape[KeyFields]] = Shape(partial(_body, "KeyBody"), _key)
KEY_UPDATE: Final[Shape[KeyFields]] = Shape(partial(_body, "KeyUpdate"), _key)
CONNECTOR: Final[Shape[ConnectorFields]] = Shape(partial(_body, "ConnectorBody"), _connector)
CONNECTOR_UPDATE: Final[Shape[ConnectorFields]] = Shape(partial(_body, "ConnectorUpdate"), _connector)


def keys_list(names: Mapping[str, str]) -> Shape[Query]:
    """`GET /api_keys/{merchant_id}/list`."""
    return listing(dict, names)


def connectors_list(names: Mapping[str, str]) -> Shape[Query]:
    """`GET /account/{merchant_id}/connectors`."""

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.setup.bodies import connector_filters

        return connector_filters()

    return listing(filters, names)
