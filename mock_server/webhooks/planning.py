"""What happens to a new event: not sent, due at once or as a scenario says; and where it is sent, with which secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import Struct, structs

from mock_server import jsontext
from mock_server.addresses import split
from mock_server.contract.dialect import Dialect
from mock_server.domain.events import DELIVER, TARGET, Event, EventClass, EventType, SkipReason
from mock_server.domain.instants import MINUTE_MS
from mock_server.domain.merchant import Profile
from mock_server.domain.outcomes import CallContext, DecisionRequest
from mock_server.domain.paging import Query
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import DELIVERED, PROFILES
from mock_server.engine.kinds import EVENTS as EVENT_KIND
from mock_server.randomness import Randomness
from mock_server.scenario.conditions.paths import WebhookFacts
from mock_server.scenario.model.answers import Deliver
from mock_server.scenario.model.decision_state import WebhookDecision
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.webhooks.body import OBJECTS, object_kind


class DeliveryOrders(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A rule's instructions for sending; `scenarios` are those that the call named in its header."""

    copies: int = 1
    concurrently: bool = False
    signature: str | None = None
    stale: bool = False
    scenarios: tuple[str, ...] | None = None
    because: str | None = None

    def kept(self) -> str | None:
        """As JSON text; None if there are no instructions."""
        return None if self == USUAL_ORDERS else jsontext.dump(self).decode()


USUAL_ORDERS: Final = DeliveryOrders()
_read: Final = msgspec.json.Decoder(DeliveryOrders).decode


def orders_of(decision: WebhookDecision | None, scenarios: tuple[str, ...] | None) -> DeliveryOrders:
    """The instructions of a decision, if there is one; no copy at all if it drops."""
    if decision is None:
        return DeliveryOrders(scenarios=scenarios)
    rule, because = decision.rule, decision.because.text
    copies = 0 if rule.drop else rule.copies
    return DeliveryOrders(copies, rule.concurrently, rule.signature, rule.stale, scenarios, because)


def read_orders(kept: str | None) -> DeliveryOrders:
    """The instructions that are stored with an event."""
    return USUAL_ORDERS if kept is None else _read(kept)


def request_of(
    tx: Transaction, event: Event, now: int, scenarios: tuple[str, ...] | None, *, again: bool = False
) -> DecisionRequest:
    """The next attempt of an event, with the records that conditions can read."""
    name, kind = f"webhook.{event.type}", object_kind(event)
    records: dict[str, object] = {"event": event, kind.name: tx.get(kind, event.object_id)}
    if event.payment_id and "payment" not in records:
        records["payment"] = tx.get(OBJECTS[EventClass.PAYMENTS], event.payment_id)
    return DecisionRequest(
        names=(name,),
        operation=name,
        now=now,
        call=CallContext(scenarios=scenarios, subject=event.object_id),
        records=records,
        attempt=event.attempts + 1,
        again=again,
        payment_scenarios=getattr(records.get("payment"), "scenarios", None),
    )


REDIRECT: Final = "redirect"
LONGEST_REDIRECT_MS: Final = MINUTE_MS
"""How long a delivery waits for the customer's page to redirect, in the workspace's time (ours)."""


class Planner(Struct, eq=False):
    """The plans of one workspace."""

    _delivery_context: DeliveryContext

    def fate(self, tx: Transaction, profile_id: str | None, type: EventType, status: str | None) -> SkipReason | None:
        """Why nothing is sent; None if there is an endpoint. A status of None passes the profile's filter."""
        own, fallback = tx.fact(TARGET), self._delivery_context.fallback
        profile = tx.get(PROFILES, profile_id) if profile_id else None
        if target_of(profile, own, fallback) is None:
            return SkipReason.UNHEARD
        return None if lets_through(profile, type, status) else SkipReason.FILTERED

    def hand_in(self, tx: Transaction, context: CommandContext, event: Event, before: bytes | None) -> Event:
        """Queues the first attempt, as a scenario says; `before` is the object before this event."""
        scenarios = context.call.scenarios
        decision = self._delivery_context.draw(tx, request_of(tx, event, context.now, scenarios))
        context.has_delivery = True
        orders = orders_of(decision, scenarios).kept()
        if decision is None:
            return self._scheduled(tx, context, structs.replace(event, orders=orders), Deliver())
        context.notes.append(decision.because)
        rule, because = decision.rule, (*event.because, decision.because.text)
        event = structs.replace(event, because=because, orders=orders, before=before if rule.stale else None)
        if rule.drop:
            return structs.replace(event, fate=SkipReason.DROPPED)
        return self._scheduled(tx, context, event, rule.deliver or Deliver())

    def _scheduled(self, tx: Transaction, context: CommandContext, event: Event, deliver: Deliver) -> Event:
        first = deliver.following if deliver.following != event.type else None
        if first is not None and not tx.count(EVENT_KIND, Query(filters={DELIVERED: (f"{event.group} {first}",)})):
            return structs.replace(event, fate=SkipReason.FOLLOWS, waits=first)
        later = deliver.delay or 0
        if deliver.at == "during_redirect":
            later, event = LONGEST_REDIRECT_MS, structs.replace(event, fate=SkipReason.REDIRECT, waits=REDIRECT)
        if deliver.at == "before_response":
            context.first.append(event.event_id)
        tx.schedule(context.now + later, DELIVER, event.event_id)
        return structs.replace(event, next_at=context.now + later)


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
    details = profile.webhook_details if profile else None
    url = (details and details.webhook_url) or (own["url"] if own else fallback.url)
    return Target(url, secret_of(profile, own, fallback), custom) if url else None


def secret_of(profile: Profile | None, own: Mapping[str, Any] | None, fallback: Fallback) -> str:
    """The secret that signs a profile's events, even without an endpoint: its own if it has an endpoint of its own."""
    if profile and profile.webhook_details and profile.webhook_details.webhook_url:
        return profile.payment_response_hash_key
    return (own or {}).get("secret") or fallback.secret


def lets_through(profile: Profile | None, type: EventType, status: str | None) -> bool:
    """Whether the profile's filters allow events of this status (facts §2.7); None passes all of them."""
    details = profile.webhook_details if profile else None
    if details is None or status is None:
        return True
    chosen = {
        EventClass.PAYMENTS: details.payment_statuses_enabled,
        EventClass.REFUNDS: details.refund_statuses_enabled,
    }.get(type.about)
    return not chosen or status in chosen


def host_of(url: str) -> str:
    """The host of an address, in lower case."""
    return (split(url).hostname or "").lower()


def is_allowed(url: str, hosts: tuple[str, ...]) -> bool:
    """Whether the server's setting allows events to this address; without hosts, all are allowed."""
    return not hosts or host_of(url) in hosts


class DeliveryContext(Protocol):
    """One generation of a workspace."""

    @property
    def space(self) -> Space: ...
    @property
    def dialect(self) -> Dialect: ...
    @property
    def fallback(self) -> Fallback: ...
    @property
    def randomness(self) -> Randomness: ...
    def now(self) -> int:
        """The workspace's time, in ms."""

    def real(self, at: int) -> int:
        """The real time (ms) at which the workspace's clock shows this time; `NEVER` while it is frozen."""

    def is_led(self, tx: Transaction) -> bool:
        """Whether a call is advancing the clock: then that call makes the deliveries."""

    def draw(self, tx: Transaction, request: DecisionRequest) -> WebhookDecision | None:
        """What a scenario does to an attempt, or None."""

    def count(self, tx: Transaction, facts: WebhookFacts) -> None:
        """Counts an attempt for these assertions."""
