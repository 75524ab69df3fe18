"""The inbox of events, and where they are sent (decisions "Webhooks")."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.reading import event_shown
from mock_server.control.requests.commands import LookAtInbox, SetTarget
from mock_server.control.waiting import when_enough
from mock_server.domain.delivery import INBOX, TARGET
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.evolving import evolve
from mock_server.domain.paging import Page, Query
from mock_server.domain.profile import Profile, WebhookDetails
from mock_server.engine import profiles
from mock_server.engine.desk import Desk
from mock_server.engine.kinds import EVENTS, PROFILES
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show
from mock_server.sandbox import World
from mock_server.store.protocol import Transaction

views = Control()


@views.view("control.webhooks", query=requests.INBOX)
def inbox(call: Call, command: LookAtInbox) -> Answer:
    query, space = asked(command), call.home.space

    def so_far() -> Answer:
        page = space.transact(lambda tx: tx.find(EVENTS, query))
        return show(_shown(call, page))

    def look() -> Answer | None:
        return so_far() if space.transact(lambda tx: tx.count(EVENTS, query)) >= command.enough else None

    return when_enough(call, INBOX, look, so_far, command.wait_ms / 1000)


def asked(command: LookAtInbox) -> Query:
    """The newest events that match."""
    filters = {"event_type": command.type, "payment_id": command.payment_id}
    return Query(filters={name: (value,) for name, value in filters.items() if value}, limit=command.limit)


def _shown(call: Call, page: Page[Any]) -> dict[str, Any]:
    """The events in the order in which they were told."""
    events = [event_shown(event, call.sandbox.dialect) for event in reversed(page.items)]
    return {"data": events, "total_count": page.total, "dropped": call.home.space.dropped(INBOX)}


@views.view("control.webhook_target")
def get_target(call: Call) -> Answer:
    return show(target_shown(call.home))


@views.view("control.set_webhook_target", requests.TARGET)
def set_target(call: Call, command: SetTarget) -> Answer:
    check_host(command.url, call.sandbox.settings.webhook_hosts)
    if command.profile_id is not None:
        profile = run(call, aim_profile, command)
        details = profile.webhook_details
        url, secret = (details.webhook_url if details else None), profile.payment_response_hash_key
        return show({"url": url, "secret": secret, "profile_id": profile.profile_id, "set_by": "profile"})
    run(call, aim_world, command)
    return show(target_shown(call.home))


def aim_world(tx: Transaction, desk: Desk, command: SetTarget) -> None:
    """Gives every profile that has no address of its own this one."""
    tx.set_fact(TARGET, {"url": command.url, "secret": command.secret} if command.url else None)


def aim_profile(tx: Transaction, desk: Desk, command: SetTarget) -> Profile:
    """Gives one profile this address. Refused as `object_unknown` where profiles are not made on first use."""
    profile = profiles.of(tx, desk, command.profile_id)
    details = evolve(profile.webhook_details or WebhookDetails(), webhook_url=command.url)
    key = command.secret or profile.payment_response_hash_key
    return tx.put(PROFILES, evolve(profile, webhook_details=details, payment_response_hash_key=key))


def target_shown(world: World) -> dict[str, Any]:
    """Where events of profiles without an address go, and what signs them."""
    own = world.space.fact(TARGET)
    url = own["url"] if own else world.policy.webhook_url
    secret = (own.get("secret") if own else None) or world.policy.webhook_secret
    return {"url": url, "secret": secret, "profile_id": None, "set_by": "world" if own else "server" if url else None}


def check_host(url: str | None, allowed: tuple[str, ...]) -> None:
    """Refused as `webhook_host_forbidden` where the server's setting keeps webhooks away from a host."""
    host = (urlsplit(url).hostname or "").lower() if url else ""
    if url and allowed and host not in allowed:
        raise Refusal(Cause.WEBHOOK_HOST_FORBIDDEN, host=host)
