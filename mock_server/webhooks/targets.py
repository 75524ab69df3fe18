"""Where an event goes, and what signs it: its profile's address, else the workspace's, else the server's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mock_server.domain.events import EVENTS, EventClass, EventType
from mock_server.domain.profile import Profile


class Target(NamedTuple):
    """A receiver: its address, the key of the signatures, and the headers that the merchant wants besides."""

    url: str
    secret: str
    headers: Mapping[str, str]


class Fallback(NamedTuple):
    """What the server's settings say where workspace and profile say nothing."""

    url: str | None
    secret: str


def target_of(profile: Profile | None, own: Mapping[str, Any] | None, fallback: Fallback) -> Target | None:
    """The receiver of a profile's events; None where nobody listens. `own` is the workspace's target (a fact)."""
    custom = profile.outgoing_webhook_custom_http_headers if profile else {}
    if profile and profile.webhook_details and profile.webhook_details.webhook_url:
        return Target(profile.webhook_details.webhook_url, profile.payment_response_hash_key, custom)
    if own:
        return Target(own["url"], own.get("secret") or fallback.secret, custom)
    return Target(fallback.url, fallback.secret, custom) if fallback.url else None


def secret_of(profile: Profile | None, own: Mapping[str, Any] | None, fallback: Fallback) -> str:
    """What signs a profile's events, whether anybody listens or not."""
    target = target_of(profile, own, fallback)
    return target.secret if target else fallback.secret


def lets_through(profile: Profile | None, type: EventType, status: str | None) -> bool:
    """Whether the profile's filters want to hear of this status (facts §2.7); None passes all of them."""
    details = profile.webhook_details if profile else None
    if details is None or status is None:
        return True
    chosen = {
        EventClass.PAYMENTS: details.payment_statuses_enabled,
        EventClass.REFUNDS: details.refund_statuses_enabled,
    }.get(EVENTS[type].about)
    return not chosen or status in chosen


def host_of(url: str) -> str:
    """The host that an address names, in small letters."""
    return (urlsplit(url).hostname or "").lower()


def is_allowed(url: str, hosts: tuple[str, ...]) -> bool:
    """Whether the server's setting lets events go there; without hosts any may be reached."""
    return not hosts or host_of(url) in hosts
