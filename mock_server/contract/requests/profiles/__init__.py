"""The requests of business profiles (facts §1.5, §2.7)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.metadata import text_of
from mock_server.contract.requests.profiles.echo import CREDENTIALS, ECHOED
from mock_server.domain.commands import JsonText
from mock_server.domain.paging import Query
from mock_server.domain.profile import FILTERED, ProfileFields, WebhookDetails
from mock_server.jsontext import canonical

Readings = Mapping[type, Mapping[str, object]]
"""The engine's status for every word of the dialect, by the enum."""


def profile(readings: Readings) -> Shape[ProfileFields]:
    """`POST …/business_profile`, `POST` and `PUT …/business_profile/{id}`."""

    def schema() -> Any:
        from mock_server.contract.requests.profiles.body import profile_body

        return profile_body({name: tuple(readings[kind]) for name, kind in FILTERED.items()})()

    return Shape(schema, partial(_fields, readings))


def _fields(readings: Readings, loaded: Mapping[str, Any]) -> ProfileFields:
    known = {name: value for name, value in loaded.items() if value is not None}
    for name in CREDENTIALS:
        known.pop(name, None)
    echo: dict[str, JsonText] = {name: canonical(known.pop(name)) for name in ECHOED if name in known}
    details = known.pop("webhook_details", None)
    if "session_expiry" in known:
        known["session_expiry_s"] = known.pop("session_expiry")
    if "metadata" in known:
        known["metadata"] = text_of(known["metadata"])
    if "wallet_identities" in known:
        known["wallet_identities"] = tuple(dict.fromkeys(known["wallet_identities"]))
    return ProfileFields(**known, webhook_details=details_of(readings, details), echo=echo)


def details_of(readings: Readings, details: Mapping[str, Any] | None) -> WebhookDetails | None:
    """Webhook details in the engine's words."""
    if details is None:
        return None
    given = {name: value for name, value in details.items() if value is not None}
    for name, kind in FILTERED.items():
        if name in given:
            given[name] = tuple(dict.fromkeys(str(readings[kind][word]) for word in given[name]))
    if "payout_statuses_enabled" in given:
        given["payout_statuses_enabled"] = tuple(given["payout_statuses_enabled"])
    return WebhookDetails(**given)


def profiles_list(names: Mapping[str, str]) -> Shape[Query]:
    """`GET …/business_profile`; `names` gives the wire's name of a parameter by the engine's."""

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.profiles.body import profile_filters

        return profile_filters()

    return listing(filters, names)


def _toggle() -> Any:
    from mock_server.contract.requests.profiles.body import ToggleBody

    return ToggleBody()


TOGGLE: Final[Shape[bool]] = Shape(_toggle, lambda loaded: bool(loaded["enabled"]))
"""`POST …/toggle_connector_agnostic_mit`."""
