"""One merchant's workspace: its store, clock, random streams and rules, and how commands run in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from mock_server.clock import Clock, turn_given_up
from mock_server.contract.dialect import Dialect
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.events import INBOX
from mock_server.domain.faults import leave_loop
from mock_server.domain.instructions import QrImage
from mock_server.domain.limits import WINDOW_MS, Usage, usage
from mock_server.domain.outcomes import CallContext, DecisionRequest
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.engine import customers, kinds, timeline
from mock_server.engine.context import CommandContext, Policy
from mock_server.engine.kinds import PAYMENTS
from mock_server.keyed import Keyed
from mock_server.sandbox import clockwork, identity
from mock_server.sandbox.clockwork import Clockwork
from mock_server.sandbox.deciding import Deciding, Rules, policy_of
from mock_server.sandbox.delivering import Delivering
from mock_server.scenario.conditions.paths import WebhookFacts
from mock_server.scenario.deciding.activation import ACTIVE, QUEUE
from mock_server.scenario.model.decision_state import WebhookDecision
from mock_server.settings import ROWS
from mock_server.store.protocol import NEVER, RecordKind
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.store.waiting import Signal
from mock_server.webhooks.planning import Fallback, Planner

COUNTED: Final = tuple(kind for kind in vars(kinds).values() if isinstance(kind, RecordKind) and kind.sort != INBOX)
"""The kinds that count: all but events and their deliveries, which the inbox limits."""


def _count(tx: Transaction) -> int:
    return sum(tx.count(kind, Query()) for kind in COUNTED)


P = ParamSpec("P")
T = TypeVar("T")

LINES: Final[dict[str, Any]] = {}
"""The types of the lines of other packages' logs, which add them here."""
RATE: Final = "rate"
AT_ONCE: Final = 100
"""How many scheduled events are applied before others have their turn (ours)."""
FOR_GIVEN: Final = CallContext(operation="given")
"""For given records, which can be saved before the rest of the call for which they are made."""
OF_LINKS: Final = "link-"
"""Follows the prefix of a payment link's key, before merchant and signature."""


class ServerContext(Rules, Protocol):
    """The server as its workspaces know it."""

    clock: Clock
    qr_image: QrImage | None
    link_base: str
    post: Delivering
    activity: Signal
    shelf: Signal

    def speaking(self, dialect: str | None) -> Dialect:
        """A dialect by its name, or the server's."""

    def wake(self, workspace: Workspace | None = None) -> None:
        """Notes that something is due earlier than expected: in this workspace, or in any."""


class Workspace:
    """The view of one generation of a workspace; all its state is in the store."""

    def __init__(self, host: ServerContext, space: Space) -> None:
        self.host = host
        self.space = space
        self.identity = identity.Identity(**space.fact(identity.FACT))
        self.merchant_id = self.identity.merchant_id
        self.randomness = self.identity.randomness()
        self.dialect: Dialect = host.speaking(space.fact(identity.DIALECT))
        """The dialect of its calls, webhooks and reports: its own, or the server's."""
        self.deciding = Deciding(host, space, self.identity)
        self._policy = policy_of(host.settings, self.identity.webhook_secret, self.dialect)
        self.fallback = Fallback(host.settings.webhook_url, self.identity.webhook_secret)
        self.steered = Signal()
        """Rung after changes that are in no log: scenarios, the one-shot queue, the webhook endpoint."""
        self.used = 0
        """The number of the last activity here, counted over all workspaces; 0 without any."""
        self.awaits_receivers = False
        """Whether an advance of the clock waits for the answer of a receiver."""

    @contextmanager
    def awaiting_receivers(self) -> Iterator[None]:
        """The time in which an advance of the clock waits for receivers."""
        self.awaits_receivers = True
        try:
            with turn_given_up():
                yield
        finally:
            self.awaits_receivers = False

    @property
    def policy(self) -> Policy:
        """The workspace's rules: the server's settings, overridden by active scenarios."""
        own = self.deciding.scenario_settings()
        if not own:
            return self._policy
        return policy_of(replace(self.host.settings, **own), self.identity.webhook_secret, self.dialect)

    def speak(self, dialect: str) -> None:
        """Sets the workspace's dialect, which snapshots contain; a reset returns to the server's."""

        def begin(tx: Transaction) -> None:  # of two calls at once the last one begins it, too
            tx.set_fact(identity.DIALECT, dialect)
            self.dialect = self.host.speaking(dialect)
            self._policy = policy_of(self.host.settings, self.identity.webhook_secret, self.dialect)

        self.space.transact(begin)

    @cached_property
    def requests(self) -> Keyed:
        """The digests for comparing request bodies."""
        return Keyed(self.randomness.sha_key("request_digest"))

    @cached_property
    def fingerprints(self) -> Keyed:
        """The fingerprints of cards; no route shows their key."""
        return Keyed(self.randomness.sha_key("card_fingerprint"))

    @cached_property
    def link_key(self) -> ApiKey:
        """The publishable key for pages of payment links: derived, so not stored, and without a secret key."""
        proof = self.randomness.sha_key("payment_links").hex()[:40]
        return ApiKey(KeyKind.PUBLISHABLE, f"{OF_LINKS}{self.merchant_id}-{proof}")

    def issued(self, key: ApiKey) -> bool:
        """Whether this workspace issued an ephemeral key."""
        return self.space.transact(lambda tx: customers.by_digest(tx, key.digest)) is not None

    @property
    def clock(self) -> Clockwork:
        return clockwork.read(self.space.fact(clockwork.FACT))

    def now(self) -> int:
        return self.clock.now(self.host.clock.now_ms())

    def catch_up(self, environ: Mapping[str, Any] | None = None) -> int:
        """Applies what is due, where that is much on a thread, and gives the time: a call sees the present state."""
        kept, now = self.space.fact(clockwork.FACT), self.host.clock.now_ms()
        if kept:
            now = clockwork.read(kept).now(now)
        while self.space.due_at() <= now and self.apply_due(now) == AT_ONCE:
            leave_loop(environ or {})
        return now

    def attend(self, real_now: int) -> int:
        """Applies what is due by a real time, or a part; gives the real time of the next change, `NEVER` if frozen."""
        clock = self.clock
        now = clock.now(real_now)
        if self.space.due_at() <= now and self.apply_due(now) == AT_ONCE:
            return real_now
        head = self.space.transact(lambda tx: tx.next_due(timeline.SORTS))
        return NEVER if head is None else clock.real(head.at)

    def apply_due(self, until: int) -> int:
        """Applies the first state changes that are due by a time, each at its own time; gives their number."""
        applied = 0
        while applied < AT_ONCE and (context := self.space.transact(partial(self._apply_one, until), apart=True)):
            applied += 1
            if context.has_delivery:
                self._send_or_schedule(context)
        if applied:
            self.happened()
        return applied

    def _apply_one(self, until: int, tx: Transaction) -> CommandContext | None:
        entry = tx.take_due(until, timeline.SORTS)
        if entry is None:
            return None
        context = self.context(entry.at, CallContext(operation=entry.what))
        timeline.HANDLERS[entry.what](tx, context, entry)
        return context

    def _send_or_schedule(self, context: CommandContext) -> None:
        """Sends what a scenario sends at once, and schedules the rest."""
        if context.first:
            context.held = self.host.post.send_first(self, context.first)
        self.host.wake(self)

    # deliveries, which know it as a `DeliveryContext`

    def real(self, at: int) -> int:
        return self.clock.real(at)

    def is_led(self, tx: Transaction) -> bool:
        return clockwork.read(tx.fact(clockwork.FACT)).advancing

    def draw(self, tx: Transaction, request: DecisionRequest) -> WebhookDecision | None:
        if not (request.call.scenarios or request.payment_scenarios or tx.fact(ACTIVE) or tx.fact(QUEUE)):
            return None
        from mock_server.scenario.deciding.queue_and_scenarios import webhook

        return webhook(request, self.deciding.state(tx))

    def count(self, tx: Transaction, facts: WebhookFacts) -> None:
        """Counts an attempt for the assertions of active scenarios."""
        from mock_server.scenario.expectations import count_webhook

        count_webhook(facts, tx, self.deciding.state(tx).find)

    def context(self, now: int, call: CallContext, link_base: str | None = None) -> CommandContext:
        """The context of a command at this time."""
        return CommandContext(  # by position: it is made for every call
            now,
            self.identity.merchant_id,
            self.randomness,
            self.policy if self.space.fact(ACTIVE) else self._policy,
            self.deciding.decide,
            self.deciding.recognise,
            link_base or self.host.link_base,
            self.fingerprints,
            Planner(self),
            call,
            self.host.qr_image,
        )

    def work(
        self,
        now: int,
        call: CallContext,
        link_base: str | None,
        command: Callable[Concatenate[Transaction, CommandContext, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> tuple[T, CommandContext]:
        """Runs a command of the engine in one transaction, with a new context for each run.

        Refused as `records_full` if it makes more records than are allowed.
        """
        context: CommandContext

        def once(tx: Transaction) -> T:
            nonlocal context
            moved = self.now() if space.fact(clockwork.FACT) else now  # another call can have moved it meanwhile
            due = tx.next_due(timeline.SORTS) if moved > now else None  # then this one comes before that
            context = self.context(now if due and due.at <= moved else max(now, moved), call, link_base)
            if not most:
                return command(tx, context, *args, **kwargs)
            before = _count(tx)
            result = command(tx, context, *args, **kwargs)
            if _count(tx) > max(before, most):
                raise Refusal(Cause.RECORDS_FULL, limit=most)
            return result

        space, most = self.space, self.host.settings.max_records
        before = space.due_at()
        result = space.transact(once, apart=call is FOR_GIVEN)
        if context.has_delivery:
            self._send_or_schedule(context)
        if space.due_at() < before:
            self.host.wake(self)
        return result, context

    # calls

    def count_call(self, now: int, calls: int = 1) -> Usage:
        """Counts a call in the rate limit's window of a minute; with no calls, it is only read."""
        space = self.space
        own = self.deciding.scenario_settings().get("rate_limit") if space.fact(ACTIVE) else None
        limit = self.host.settings.rate_limit if own is None else int(own)  # 0: none
        kept = space.fact(clockwork.FACT)
        frozen = bool(kept) and kept.get("frozen_at") is not None
        # The default does not apply while the clock is frozen, because then its window never ends.
        refuses = bool(limit) and (own is not None or limit != RATE_DEFAULT or not frozen)
        real_now = self.host.clock.now_ms() if kept else now
        return usage(limit or UNLIMITED, space.hit(RATE, now // WINDOW_MS, calls), now, real_now, refuses, frozen)

    def happened(self) -> None:
        """Notifies listeners for all workspaces that something happened in this one."""
        self.host.activity.ring()
        self.used = self.host.activity.number

    def find_payment(self, payment_id: str) -> Payment | None:
        """A payment, without a check of permissions (pages, control API)."""
        return self.space.transact(lambda tx: tx.get(PAYMENTS, payment_id))


RATE_DEFAULT: Final = ROWS["rate_limit"].default
UNLIMITED: Final = 1_000_000_000
"""The value of the limit's header without a limit (ours)."""
