"""Events as a merchant looks them up, and sends one again (facts §1.6, §2.9)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing
from mock_server.domain.events import DeliveryAttempt, Event, SkipReason
from mock_server.domain.instants import DAY_MS
from mock_server.domain.limits import EVENT_LOOK_BACK_MS
from mock_server.domain.paging import Page, Query
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import ATTEMPTS, EVENTS
from mock_server.store.transaction import Transaction

AFTER, BEFORE, OWN, OBJECT = "created_after", "created_before", "event_id", "object_id"
"""Filters that are no index, or that go not together."""


def find(tx: Transaction, context: CommandContext, merchant_id: str, event_id: str) -> Event:
    """The merchant's event of that id. Refused as `object_unknown`."""
    profiles.permit_merchant(context, merchant_id)
    return existing(tx.get(EVENTS, event_id), ObjectKind.EVENT, event_id)


def page(
    tx: Transaction, context: CommandContext, merchant_id: str, query: Query, oldest: int | None = None
) -> Page[Event]:
    """One page of events, newest first, of the last ninety days, or since `oldest` (ms).

    Refused as `object_unknown`, `event_filters_exclusive`, `events_too_old`.
    """
    profiles.permit_merchant(context, merchant_id)
    if OWN in query.filters and OBJECT in query.filters:
        raise Refusal(Cause.EVENT_FILTERS_EXCLUSIVE)
    asked = _within(query, context.now - EVENT_LOOK_BACK_MS if oldest is None else oldest)
    own = query.filters.get(OWN)
    return tx.find(EVENTS, asked) if own is None else _among(tx, asked, own)


def of_profile(tx: Transaction, context: CommandContext, profile_id: str, query: Query) -> Page[Event]:
    """The same, of one profile. Refused as `object_unknown` for a profile that is not there."""
    profiles.find(tx, profile_id)
    own = structs.replace(query, filters={**query.filters, "profile_id": (profile_id,)})
    return page(tx, context, context.merchant_id, own)


def _within(query: Query, oldest: int) -> Query:
    """The query in the words of the indexes, between the instants that it asks for."""
    starts, ends = (
        [at for at in (*query.filters.get(name, ()), bound) if isinstance(at, int)]
        for name, bound in ((AFTER, query.created_gte), (BEFORE, query.created_lte))
    )
    start = max(starts, default=oldest)
    if start < oldest:
        raise Refusal(Cause.EVENTS_TOO_OLD, days=EVENT_LOOK_BACK_MS // DAY_MS)
    filters = {name: values for name, values in query.filters.items() if name not in (AFTER, BEFORE, OWN)}
    return structs.replace(query, filters=filters, created_gte=start, created_lte=min(ends, default=None))


def _among(tx: Transaction, query: Query, event_ids: tuple[object, ...]) -> Page[Event]:
    """The events of these ids that match besides: an id is no index, it is the key."""
    wanted = {name: frozenset(values) for name, values in query.filters.items()}
    matching = [
        event
        for event_id in dict.fromkeys(event_ids)
        if (event := tx.get(EVENTS, str(event_id))) is not None and _matches(event, query, wanted)
    ]
    matching.sort(key=lambda event: (event.created_at, event.number), reverse=True)
    return Page(tuple(matching[query.offset : query.offset + query.limit]), len(matching), query.offset)


def _matches(event: Event, query: Query, wanted: dict[str, frozenset[object]]) -> bool:
    if query.created_gte is not None and event.created_at < query.created_gte:
        return False
    if query.created_lte is not None and event.created_at > query.created_lte:
        return False
    readers = {index.name: index.reader() for index in EVENTS.indexes}
    return all(readers[name](event) in values for name, values in wanted.items())


def attempts(
    tx: Transaction, context: CommandContext, merchant_id: str, event_id: str, query: Query
) -> tuple[Event, Page[DeliveryAttempt]]:
    """One page of an event's attempts, newest first. Refused as `object_unknown`."""
    event = find(tx, context, merchant_id, event_id)
    return event, tx.find(ATTEMPTS, structs.replace(query, filters={"event_id": (event_id,)}))


def sendable(tx: Transaction, context: CommandContext, merchant_id: str, event_id: str) -> Event:
    """The event, if it can be sent once more. Refused as `object_unknown`, `webhook_target_missing`."""
    event = find(tx, context, merchant_id, event_id)
    fate = SkipReason.UNHEARD if context.post is None else context.post.fate(tx, event.profile_id, event.type, None)
    if fate is SkipReason.UNHEARD:
        raise Refusal(Cause.WEBHOOK_TARGET_MISSING)
    return event
