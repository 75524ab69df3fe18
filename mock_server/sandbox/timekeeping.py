"""Freezing, resuming and advancing a workspace's clock (decisions "Clock"). Times in ms."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct, structs

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.outcomes import CallContext
from mock_server.domain.paging import Query
from mock_server.engine import kinds, timeline
from mock_server.sandbox import clockwork
from mock_server.sandbox.clockwork import Clockwork
from mock_server.sandbox.workspace import Workspace
from mock_server.scenario.deciding import activation
from mock_server.store.protocol import NEVER, Due, RecordKind
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue

KINDS: Final = tuple(kind for kind in vars(kinds).values() if isinstance(kind, RecordKind))
"""Every kind of record that a workspace can contain."""
_LOG: Final = logging.getLogger("mock_server.webhooks")


class Deliveries(Protocol):
    """Sends webhooks while the clock is advanced, as `Delivering` does. Callers hold no lock."""

    def settle(self, workspace: Workspace, timeout_s: float) -> None: ...
    def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int: ...


class AdvanceResult(Struct, frozen=True):
    """The clock's time now, the scheduled events that happened, in order, and how many deliveries are still due."""

    now: int
    fired: tuple[Due, ...]
    left: int = 0


def freeze(workspace: Workspace, at: int | None = None) -> int:
    """Freezes the clock, now or at a time. Refused as `clock_backwards` unless it is empty, and `advance_running`."""

    def hold(tx: Transaction) -> int:
        clock = resting(tx)
        now = clock.now(workspace.host.clock.now_ms())
        frozen_at = now if at is None else at
        if frozen_at < now and not is_empty(tx):
            raise Refusal(Cause.CLOCK_BACKWARDS, asked_at=frozen_at, now_at=now)
        activation.set_back(tx, frozen_at)
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
    return tx.next_due() is None and not any(tx.count(kind, Query()) for kind in KINDS)


def advance(
    workspace: Workspace,
    target: Callable[[int], int],
    deliveries: Deliveries | None = None,
    has_left: Callable[[], bool] = lambda: False,
) -> AdvanceResult:
    """Advances the clock to the time that `target` computes from the present one, and applies scheduled events.

    Without `deliveries`, all deliveries stay due; so do the remaining ones after the total time limit for receivers, or
    if the caller `has_left`: the clock still reaches its target. Other calls are served meanwhile, with the clock's
    present time. Refused as `advance_running`, `clock_backwards`, and `workspace_gone` after a reset.
    """
    _begin(workspace, target)
    fired, told = list[Due](), deliveries is not None
    try:
        while (left := _give_back(workspace, to := _lead(workspace, fired, deliveries, has_left), told)) is None:
            pass  # a receiver raised the target meanwhile
    except BaseException:
        _give_back(workspace, None)
        raise
    if left:
        _LOG.warning("%d deliveries were not made before the advance of the clock ended", left)
    return AdvanceResult(to, tuple(fired), left)


def join(workspace: Workspace, target: Callable[[int], int]) -> AdvanceResult | None:
    """Extends an advance that waits for a receiver, which may be who asks, so nothing is waited for; None without one.

    The clock goes to the target at once. Webhooks that become due until then are sent by the running advance.
    """

    def extend(tx: Transaction) -> int | None:
        clock = clockwork.read(tx.fact(clockwork.FACT))
        if clock.target is None or clock.frozen_at is None:
            return None
        to = max(target(clock.frozen_at), clock.frozen_at)
        tx.set_fact(clockwork.FACT, structs.replace(clock, target=max(clock.target, to)).as_fact())
        return to

    to = workspace.space.transact(extend) if workspace.awaits_receivers else None
    if to is None:
        return None
    return AdvanceResult(to, tuple(iter(lambda: _step(workspace, timeline.SORTS, to)[0], None)))


def _begin(workspace: Workspace, target: Callable[[int], int]) -> None:
    """Starts the advance, during which the clock is frozen."""

    def take(tx: Transaction) -> None:
        clock = resting(tx)
        now = clock.now(workspace.host.clock.now_ms())
        to = target(now)
        if to < now:
            raise Refusal(Cause.CLOCK_BACKWARDS, asked_at=to, now_at=now)
        tx.set_fact(clockwork.FACT, Clockwork(clock.offset_ms, now, True, clock.frozen_at is not None, to).as_fact())

    workspace.space.transact(take)


def _lead(workspace: Workspace, fired: list[Due], deliveries: Deliveries | None, has_left: Callable[[], bool]) -> int:
    """Applies everything up to the target, which receivers can raise meanwhile; gives the target."""
    setting, monotonic = workspace.deciding.setting, workspace.host.clock.monotonic
    timeout_s, until = setting("advance_delivery_timeout"), monotonic() + setting("advance_timeout")
    if deliveries is not None:
        with workspace.awaiting_receivers():
            deliveries.settle(workspace, timeout_s)
    sorts = timeline.SORTS if deliveries is None else (*timeline.SORTS, *delivery_queue.SORTS)
    while True:
        entry, to = _step(workspace, sorts)
        if entry is None:
            return to
        if entry.what in delivery_queue.SORTS and deliveries is not None:
            left_s, made = until - monotonic(), 0
            if left_s > 0 and not has_left():
                with workspace.awaiting_receivers():
                    made = deliveries.run_due(workspace, entry.at, min(timeout_s, left_s))
            if not made:  # it stays due, and would always be first
                sorts = timeline.SORTS
                continue
        fired.append(entry)


def _step(workspace: Workspace, sorts: tuple[str, ...], until: int = NEVER) -> tuple[Due | None, int]:
    """Sets the clock to the next entry's time, and applies the entry, unless it is a delivery; gives the target too.

    With `until`, the clock goes no further, and stands there when nothing is left.
    """

    def step(tx: Transaction) -> tuple[Due | None, int]:
        entry, clock = tx.next_due(sorts), clockwork.read(tx.fact(clockwork.FACT))
        to = min(clock.target or 0, until)
        if entry is None or entry.at > to:
            if until != NEVER and clock.advancing:
                tx.set_fact(clockwork.FACT, clock.frozen(max(to, clock.frozen_at or to)).as_fact())
            return None, to
        # What was added for a past time is applied at the clock's present time.
        tx.set_fact(clockwork.FACT, clock.frozen(max(entry.at, clock.frozen_at or entry.at)).as_fact())
        if entry.what not in delivery_queue.SORTS:
            tx.take_due(entry.at, (entry.what,))
            timeline.HANDLERS[entry.what](tx, workspace.context(entry.at, CallContext(operation=entry.what)), entry)
        return entry, to

    if workspace.space.closed:
        raise Refusal(Cause.WORKSPACE_GONE)
    return workspace.space.transact(step)


def _give_back(workspace: Workspace, to: int | None, counts: bool = False) -> int | None:
    """Ends the advance at its target or now, frozen if it was so before; None if the target was raised: it goes on.

    If it `counts`, gives the number of deliveries that are still due: from then on, they are sent.
    """
    real_now = workspace.host.clock.now_ms()

    def give_back(tx: Transaction) -> int | None:
        clock = clockwork.read(tx.fact(clockwork.FACT))
        if to is not None and clock.target != to:
            return None
        at = clock.now(real_now) if to is None else to
        tx.set_fact(clockwork.FACT, clock.after_advance(at, real_now).as_fact())
        head = tx.next_due(delivery_queue.SORTS)
        if not counts or head is None or head.at > at:
            return 0
        return sum(entry.what in delivery_queue.SORTS and entry.at <= at for entry in tx.all_due())

    left = workspace.space.transact(give_back, ends=True)
    workspace.host.wake()
    return left
