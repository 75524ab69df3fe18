"""What becomes of an event the moment it is told: nobody hears of it, it is due at once, or as a scenario wants it.

This runs in the transaction that made the event, so what is drawn for the first attempt follows the order of events.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from msgspec import structs

from mock_server.domain.delivery import DELIVER, TARGET, SkipReason
from mock_server.domain.events import Event, EventType
from mock_server.domain.instants import MINUTE_MS
from mock_server.domain.outcomes import Reason
from mock_server.domain.paging import Query
from mock_server.engine.kinds import EVENTS, PROFILES
from mock_server.scenario.model.answers import Deliver
from mock_server.scenario.model.state import WebhookDecision
from mock_server.store.protocol import Transaction
from mock_server.webhooks import orders
from mock_server.webhooks.delivery_context import DeliveryContext
from mock_server.webhooks.moments import moment_of
from mock_server.webhooks.targets import lets_through, target_of

REDIRECT: Final = "redirect"
LONGEST_REDIRECT_MS: Final = MINUTE_MS
"""How long a delivery waits for the customer's page to redirect, in the workspace's time (ours)."""
_AT_ONCE: Final = Deliver()


class CallWords(Protocol):
    """The words of the call that are asked for here."""

    @property
    def scenarios(self) -> tuple[str, ...] | None: ...


class Teller(Protocol):
    """Who tells an event: the engine's desk."""

    now: int
    told: bool
    first: list[str]

    @property
    def words(self) -> CallWords: ...
    def note(self, because: Reason) -> None: ...


class Planner:
    """The plans of one workspace."""

    def __init__(self, place: DeliveryContext) -> None:
        self._place = place

    def fate(self, tx: Transaction, profile_id: str | None, type: EventType, status: str | None) -> SkipReason | None:
        """Why nothing is sent; None: somebody listens. A status of None passes the profile's filter."""
        own, fallback = tx.fact(TARGET), self._place.fallback
        profile = tx.get(PROFILES, profile_id) if profile_id else None
        if target_of(profile, own, fallback) is None:
            return SkipReason.UNHEARD
        return None if lets_through(profile, type, status) else SkipReason.FILTERED

    def hand_in(self, tx: Transaction, desk: Teller, event: Event, before: bytes | None) -> Event:
        """Puts the first attempt in the queue, as a scenario wants it; `before` is the object before this event."""
        scenarios = desk.words.scenarios
        decision = self._place.draw(tx, moment_of(tx, event, desk.now, 1, scenarios))
        desk.told = True
        if decision is None:
            tx.schedule(desk.now, DELIVER, event.event_id)
            kept = None if scenarios is None else orders.DeliveryOrders(scenarios=scenarios).kept()
            return structs.replace(event, next_at=desk.now, orders=kept)
        desk.note(decision.because)
        return self._scheduled(tx, desk, _ordered(event, decision, scenarios, before), decision.rule.deliver)

    def _scheduled(self, tx: Transaction, desk: Teller, event: Event, deliver: Deliver | None) -> Event:
        if event.fate is SkipReason.DROPPED:
            return event
        deliver = deliver or _AT_ONCE
        if deliver.following is not None and not self._was_delivered(tx, event, deliver.following):
            return structs.replace(event, fate=SkipReason.FOLLOWS, waits=deliver.following)
        later = deliver.delay_ms or 0
        if deliver.during_redirect:
            later, event = LONGEST_REDIRECT_MS, structs.replace(event, fate=SkipReason.REDIRECT, waits=REDIRECT)
        if deliver.before_response:
            desk.first.append(event.event_id)
        tx.schedule(desk.now + later, DELIVER, event.event_id)
        return structs.replace(event, next_at=desk.now + later)

    def _was_delivered(self, tx: Transaction, event: Event, type: str) -> bool:
        filters: dict[str, tuple[Any, ...]] = {"event_type": (type,), "is_delivered": (True,)}
        filters["payment_id" if event.payment_id else "object_id"] = (event.group,)
        return tx.count(EVENTS, Query(filters=filters)) > 0


def _ordered(event: Event, decision: WebhookDecision, scenarios: tuple[str, ...] | None, before: bytes | None) -> Event:
    rule, because = decision.rule, decision.because.text
    return structs.replace(
        event,
        because=(because,),
        orders=orders.of_rule(rule, scenarios, because).kept(),
        before=before if rule.stale else None,
        fate=SkipReason.DROPPED if rule.drop else None,
    )
