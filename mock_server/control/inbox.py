"""The inbox of a workspace: every event, what a receiver gets of it, and how its deliveries went."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Final

from mock_server import jsontext
from mock_server.control.answers.webhooks import Received
from mock_server.control.requests.webhooks import LookAtInbox, ResendEvents
from mock_server.domain.delivery import INBOX, TARGET, DeliveryAttempt
from mock_server.domain.events import Event
from mock_server.domain.paging import Query
from mock_server.engine.kinds import ATTEMPTS, EVENTS, PROFILES
from mock_server.sandbox import Workspace
from mock_server.store.protocol import Transaction
from mock_server.webhooks import signing
from mock_server.webhooks.body import body
from mock_server.webhooks.targets import secret_of

_MANY: Final = 1_000
"""More attempts than are ever kept of one event."""


class Inbox:
    """One look at a workspace's inbox; it may be asked again as events come."""

    def __init__(self, workspace: Workspace, command: LookAtInbox) -> None:
        self._workspace = workspace
        self._command = command
        self._filters = filters_of(command)

    def count(self) -> int:
        """How many events match by now."""
        return self._workspace.space.transact(self._count)

    def page(self) -> dict[str, Any]:
        """The events that match, in the order in which they were told: the last ones, or those after a number."""
        total, events = self._workspace.space.transact(lambda tx: (self._count(tx), self._events(tx)))
        dropped = self._workspace.space.dropped(INBOX)
        return {
            "data": [event_shown(self._workspace, event) for event in events],
            "total_count": total,
            "dropped": dropped,
        }

    def _count(self, tx: Transaction) -> int:
        if self._command.after is not None:
            return len(self._beyond(tx))
        return tx.count(EVENTS, Query(filters=self._filters))

    def _events(self, tx: Transaction) -> list[Event]:
        limit = self._command.limit
        if self._command.after is not None:
            return self._beyond(tx)[:limit]
        query = Query(filters=self._filters, limit=limit, offset=self._command.offset)
        return list(reversed(tx.find(EVENTS, query).items))

    def _beyond(self, tx: Transaction) -> list[Event]:
        """Everything after a number, the oldest first."""
        after = self._command.after or 0
        newest_first = tx.scan(EVENTS, Query(filters=self._filters))
        return list(takewhile(lambda event: number_of(event) > after, newest_first))[::-1]


def filters_of(command: LookAtInbox | ResendEvents) -> dict[str, tuple[str | bool, ...]]:
    asked = {"event_type": command.type, "payment_id": command.payment_id, "is_delivered": command.delivered}
    return {name: (value,) for name, value in asked.items() if value is not None}


def number_of(event: Event) -> int:
    """Which event of its workspace it is, from 1."""
    return event.number + 1


def event_shown(workspace: Workspace, event: Event) -> Received:
    """One event: what its receiver gets, to the byte, and how its deliveries went."""
    stale = '"stale":true' in (event.orders or "")
    payload = body(event, workspace.dialect, stale=stale)
    attempts, headers = workspace.space.transact(lambda tx: _deliveries(tx, workspace, event, payload))
    return Received(event, headers, payload.decode(), attempts)


def _deliveries(
    tx: Transaction, workspace: Workspace, event: Event, payload: bytes
) -> tuple[tuple[DeliveryAttempt, ...], str]:
    """The attempts, and the headers of the last one or those that the first one would have."""
    mine = Query(filters={"event_id": (event.event_id,)}, limit=_MANY, ascending=True)
    attempts = tx.find(ATTEMPTS, mine).items
    if attempts:
        return attempts, attempts[-1].headers
    profile = tx.get(PROFILES, event.profile_id) if event.profile_id else None
    secret = secret_of(profile, tx.fact(TARGET), workspace.fallback)
    custom = profile.outgoing_webhook_custom_http_headers if profile else {}
    return attempts, jsontext.dump([list(pair) for pair in signing.headers(payload, secret, custom)]).decode()
