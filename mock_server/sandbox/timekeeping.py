"""Freezing, resuming and advancing a workspace's clock (decisions "Clock"). Times in ms."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct

from mock_server.domain.delivery import DELIVER
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.paging import Query
from mock_server.engine import kinds, timeline
from mock_server.engine.context import CallContext
from mock_server.sandbox import clockwork
from mock_server.sandbox.clockwork import Clockwork
from mock_server.sandbox.workspace import Workspace
from mock_server.store.protocol import Due, RecordKind, Transaction

KINDS: Final = tuple(kind for kind in vars(kinds).values() if isinstance(kind, RecordKind))
"""Every kind of record that a workspace can contain."""
_EVERYTHING: Final = Query()
_STATES: Final = tuple(timeline.SORTS)
_LOG: Final = logging.getLogger("mock_server.webhooks")


class Deliveries(Protocol):
    """Sends webhooks while the clock is advanced. Callers hold no lock."""

    def settle(self, workspace: Workspace, timeout_s: float) -> None:
        """Waits for attempts in progress, each up to a limit (real time); later ones count as timed out."""

    def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int:
        """Makes every attempt that is due by a time and waits for its end; gives their number."""


class Fired(Struct, frozen=True):
    """One scheduled event that happened: when, what, and for which subject."""

    at: int
    what: str
    subject: str


class AdvanceResult(Struct, frozen=True):
    """The clock's time now, the events that happened, in order, and the number of deliveries that are still due."""

    now: int
    fired: tuple[Fired, ...]
    left: int = 0


def freeze(workspace: Workspace, at: int | None = None) -> int:
    """Freezes a workspace's clock, now or at a time, and gives that time.

    Refused as `clock_backwards` unless the workspace is empty, and as `advance_running`.
    """
    real_now = workspace.host.clock.now_ms()

    def hold(tx: Transaction) -> int:
        clock = resting(tx)
        now = clock.now(real_now)
        frozen_at = now if at is None else at
        if frozen_at < now and not is_empty(tx):
            raise Refusal(Cause.CLOCK_BACKWARDS, asked_at=frozen_at, now_at=now)
        tx.set_fact(clockwork.FACT, clock.frozen(frozen_at).as_fact())
        return frozen_at

    frozen_at = workspace.space.transact(hold)
    workspace.catch_up()
    return frozen_at


def resume(workspace: Workspace) -> int:
    """Resumes a workspace's clock, and gives its time. Refused as `advance_running`."""
    real_now = workspace.host.clock.now_ms()

    def release(tx: Transaction) -> int:
        clock = resting(tx)
        now = clock.now(real_now)
        tx.set_fact(clockwork.FACT, clock.running_from(now, real_now).as_fact())
        return now

    now = workspace.space.transact(release)
    workspace.host.wake()
    return now


def resting(tx: Transaction) -> Clockwork:
    """The clock, if it is not being advanced. Refused as `advance_running`."""
    clock = clockwork.read(tx.fact(clockwork.FACT))
    if clock.advancing:
        raise Refusal(Cause.ADVANCE_RUNNING)
    return clock


def is_empty(tx: Transaction) -> bool:
    """Whether a workspace has no records and no scheduled events: then its time may be set to any value."""
    return tx.next_due() is None and not any(tx.count(kind, _EVERYTHING) for kind in KINDS)


def advance(
    workspace: Workspace,
    target: Callable[[int], int],
    deliveries: Deliveries | None = None,
    has_left: Callable[[], bool] = lambda: False,
) -> AdvanceResult:
    """Advances the clock to the time that `target` computes from the present one, and applies scheduled events.

    Without `deliveries`, all deliveries stay due; so do the remaining ones after the total time limit for receivers, or
    if the caller `has_left`: the clock still reaches its target. Other calls are served meanwhile, with the clock's
    present time. Refused as `advance_running`, `clock_backwards`, and
    `workspace_gone` after a reset.
    """
    stood, to = _begin(workspace, target)
    try:
        fired = _lead(workspace, to, deliveries, has_left)
    except BaseException:
        _give_back(workspace, stood, None)
        raise
    _give_back(workspace, stood, to)
    return AdvanceResult(to, fired, 0 if deliveries is None else _left(workspace, to))


def _begin(workspace: Workspace, target: Callable[[int], int]) -> tuple[bool, int]:
    """Starts the advance, during which the clock is frozen; gives whether it was frozen before, and the target."""
    real_now = workspace.host.clock.now_ms()

    def take(tx: Transaction) -> tuple[bool, int]:
        clock = resting(tx)
        now = clock.now(real_now)
        to = target(now)
        if to < now:
            raise Refusal(Cause.CLOCK_BACKWARDS, asked_at=to, now_at=now)
        tx.set_fact(clockwork.FACT, Clockwork(clock.offset_ms, now, True, clock.frozen_at is not None).as_fact())
        return clock.frozen_at is not None, to

    return workspace.space.transact(take)


def _lead(
    workspace: Workspace, to: int, deliveries: Deliveries | None, has_left: Callable[[], bool]
) -> tuple[Fired, ...]:
    setting, monotonic = workspace.deciding.setting, workspace.host.clock.monotonic
    timeout_s, until = setting("advance_delivery_timeout"), monotonic() + setting("advance_timeout")
    if deliveries is not None:
        deliveries.settle(workspace, timeout_s)
    sorts = _STATES if deliveries is None else (*_STATES, DELIVER)
    fired: list[Fired] = []
    while (entry := _step(workspace, to, sorts)) is not None:
        if entry.what == DELIVER and deliveries is not None:
            left_s = until - monotonic()
            is_over = left_s <= 0 or has_left()
            if is_over or not deliveries.run_due(workspace, entry.at, min(timeout_s, left_s)):
                # It stays due, and would always be first.
                sorts = _STATES
                continue
        fired.append(Fired(entry.at, entry.what, entry.subject))
    return tuple(fired)


def _left(workspace: Workspace, to: int) -> int:
    """The number of deliveries that are still due."""
    head = workspace.space.transact(lambda tx: tx.next_due((DELIVER,)))
    if head is None or head.at > to:
        return 0
    due = workspace.space.transact(lambda tx: tx.all_due())
    left = sum(entry.what == DELIVER and entry.at <= to for entry in due)
    _LOG.warning("%d deliveries were still due when the clock reached its target", left)
    return left


def _step(workspace: Workspace, to: int, sorts: tuple[str, ...]) -> Due | None:
    """Sets the clock to the next entry's time; applies the entry, unless it is a delivery."""

    def step(tx: Transaction) -> Due | None:
        entry = tx.next_due(sorts)
        if entry is None or entry.at > to:
            return None
        clock = clockwork.read(tx.fact(clockwork.FACT))
        # What was added for a past time is applied at the clock's present time.
        now = max(entry.at, clock.frozen_at or entry.at)
        tx.set_fact(clockwork.FACT, clock.frozen(now).as_fact())
        if entry.what != DELIVER:
            tx.take_due(entry.at, (entry.what,))
            timeline.apply(tx, workspace.desk(entry.at, CallContext(operation=entry.what)), entry)
        return entry

    if workspace.space.closed:
        raise Refusal(Cause.WORKSPACE_GONE)
    return workspace.space.transact(step)


def _give_back(workspace: Workspace, stood: bool, to: int | None) -> None:
    """Ends the advance at the target or the present time: frozen if it was so before, running otherwise."""
    real_now = workspace.host.clock.now_ms()

    def give_back(tx: Transaction) -> None:
        clock = clockwork.read(tx.fact(clockwork.FACT))
        at = clock.now(real_now) if to is None else to
        after = Clockwork(clock.offset_ms, at) if stood else clock.running_from(at, real_now)
        tx.set_fact(clockwork.FACT, after.as_fact())

    workspace.space.transact(give_back, ends=True)
    workspace.host.wake()
