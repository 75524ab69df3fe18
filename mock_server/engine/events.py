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
    if {"event_id", "object_id"} <= query.filters.keys():
        raise Refusal(Cause.EVENT_FILTERS_EXCLUSIVE)
    oldest = context.now - EVENT_LOOK_BACK_MS if oldest is None else oldest
    since = oldest if query.created_gte is None else query.created_gte
    if since < oldest:
        raise Refusal(Cause.EVENTS_TOO_OLD, days=EVENT_LOOK_BACK_MS // DAY_MS)
    return tx.find(EVENTS, structs.replace(query, created_gte=since))


def of_profile(tx: Transaction, context: CommandContext, profile_id: str, query: Query) -> Page[Event]:
    """The same, of one profile. Refused as `object_unknown` for a profile that is not there."""
    profiles.find(tx, profile_id)
    return page(tx, context, context.merchant_id, query.within("profile_id", profile_id))


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
