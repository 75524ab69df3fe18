"""Where an event is sent, and its signing secret: those of the profile, else of the workspace, else of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mock_server.domain.events import EVENTS, EventClass, EventType
from mock_server.domain.merchant import Profile


class Target(NamedTuple):
    """A receiver: its address, the signing secret, and the merchant's custom headers."""

    url: str
    secret: str
    headers: Mapping[str, str]


class Fallback(NamedTuple):
    """The endpoint from the server's settings, if workspace and profile have none."""

    url: str | None
    secret: str


def target_of(profile: Profile | None, own: Mapping[str, Any] | None, fallback: Fallback) -> Target | None:
    """The receiver of a profile's events, or None. `own` is the workspace's endpoint (a fact)."""
    custom = profile.outgoing_webhook_custom_http_headers if profile else {}
    if profile and profile.webhook_details and profile.webhook_details.webhook_url:
        return Target(profile.webhook_details.webhook_url, profile.payment_response_hash_key, custom)
    if own:
        return Target(own["url"], own.get("secret") or fallback.secret, custom)
    return Target(fallback.url, fallback.secret, custom) if fallback.url else None


def secret_of(profile: Profile | None, own: Mapping[str, Any] | None, fallback: Fallback) -> str:
    """The secret that signs a profile's events, even without an endpoint."""
    target = target_of(profile, own, fallback)
    return target.secret if target else fallback.secret


def lets_through(profile: Profile | None, type: EventType, status: str | None) -> bool:
    """Whether the profile's filters allow events of this status (facts §2.7); None passes all of them."""
    details = profile.webhook_details if profile else None
    if details is None or status is None:
        return True
    chosen = {
        EventClass.PAYMENTS: details.payment_statuses_enabled,
        EventClass.REFUNDS: details.refund_statuses_enabled,
    }.get(EVENTS[type].about)
    return not chosen or status in chosen


def host_of(url: str) -> str:
    """The host of an address, in lower case."""
    return (urlsplit(url).hostname or "").lower()


def is_allowed(url: str, hosts: tuple[str, ...]) -> bool:
    """Whether the server's setting allows events to this address; without hosts, all are allowed."""
    return not hosts or host_of(url) in hosts
