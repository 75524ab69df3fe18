"""Holding a workspace's clock, letting it go, leading it to a later instant (decisions "Clock"). Instants in ms."""

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
"""Every kind of record that a workspace can hold."""
_EVERYTHING: Final = Query()
_STATES: Final = tuple(timeline.SORTS)
_LOG: Final = logging.getLogger("mock_server.webhooks")


class Deliveries(Protocol):
    """What sends webhooks, as the clock sees it. Nobody holds a lock when these are called."""

    def settle(self, workspace: Workspace, timeout_s: float) -> None:
        """Waits for the attempts in flight, each at most so long (real time); later ones count as timed out."""

    def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int:
        """Makes every attempt that is due by an instant and waits for its end; gives how many there were."""


class Fired(Struct, frozen=True):
    """One thing that fell due: when, what, and to which subject."""

    at: int
    what: str
    subject: str


class AdvanceResult(Struct, frozen=True):
    """Where the clock stands now, what fell due on the way, in order, and how many deliveries were left due."""

    now: int
    fired: tuple[Fired, ...]
    left: int = 0


def freeze(workspace: Workspace, at: int | None = None) -> int:
    """Stops a workspace's clock, now or at an instant, and gives where it stands.

    Refused as `clock_backwards` unless the workspace is empty, and as `advance_running`.
    """
    real_now = workspace.host.clock.now_ms()

    def hold(tx: Transaction) -> int:
        clock = resting(tx)
        now = clock.now(real_now)
        stand = now if at is None else at
        if stand < now and not is_empty(tx):
            raise Refusal(Cause.CLOCK_BACKWARDS, asked_at=stand, now_at=now)
        tx.set_fact(clockwork.FACT, clock.frozen(stand).as_fact())
        return stand

    stand = workspace.space.transact(hold)
    workspace.catch_up()
    return stand


def resume(workspace: Workspace) -> int:
    """Lets a workspace's clock go on from where it stands, and gives its now. Refused as `advance_running`."""
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
    """The clock, if nobody is advancing it. Refused as `advance_running`."""
    clock = clockwork.read(tx.fact(clockwork.FACT))
    if clock.advancing:
        raise Refusal(Cause.ADVANCE_RUNNING)
    return clock


def is_empty(tx: Transaction) -> bool:
    """Whether a workspace holds no record and waits for nothing: then its time may go anywhere."""
    return tx.next_due() is None and not any(tx.count(kind, _EVERYTHING) for kind in KINDS)


def advance(
    workspace: Workspace,
    target: Callable[[int], int],
    deliveries: Deliveries | None = None,
    has_left: Callable[[], bool] = lambda: False,
) -> AdvanceResult:
    """Leads the clock to the instant that `target` makes of the workspace's now, and applies what falls due on the way.

    Without `deliveries` what is to be sent stays due; so does what is left of it once receivers have taken all the time
    they have together, or the caller `has_left`: the clock stands at its target then all the same. Other calls are
    served meanwhile, at the instant where the clock stands. Refused as `advance_running`, `clock_backwards`, and
    `workspace_gone` where a reset came between.
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
    """Takes the clock, which stands from now on; gives whether it stood before, and the instant to lead it to."""
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
                # It is left where it is, and would come first for ever.
                sorts = _STATES
                continue
        fired.append(Fired(entry.at, entry.what, entry.subject))
    return tuple(fired)


def _left(workspace: Workspace, to: int) -> int:
    """How many deliveries were left due."""
    head = workspace.space.transact(lambda tx: tx.next_due((DELIVER,)))
    if head is None or head.at > to:
        return 0
    due = workspace.space.transact(lambda tx: tx.all_due())
    left = sum(entry.what == DELIVER and entry.at <= to for entry in due)
    _LOG.warning("%d deliveries were still due when the clock reached its target", left)
    return left


def _step(workspace: Workspace, to: int, sorts: tuple[str, ...]) -> Due | None:
    """Sets the clock to the next entry's instant; applies the entry, unless it is one to send."""

    def step(tx: Transaction) -> Due | None:
        entry = tx.next_due(sorts)
        if entry is None or entry.at > to:
            return None
        clock = clockwork.read(tx.fact(clockwork.FACT))
        # What was added for an instant that is over is applied where the clock stands.
        stand = max(entry.at, clock.frozen_at or entry.at)
        tx.set_fact(clockwork.FACT, clock.frozen(stand).as_fact())
        if entry.what != DELIVER:
            tx.take_due(entry.at, (entry.what,))
            timeline.apply(tx, workspace.desk(entry.at, CallContext(operation=entry.what)), entry)
        return entry

    if workspace.space.closed:
        raise Refusal(Cause.WORKSPACE_GONE)
    return workspace.space.transact(step)


def _give_back(workspace: Workspace, stood: bool, to: int | None) -> None:
    """Leaves the clock at the target, or where it stands: at rest if it was so before, going on otherwise."""
    real_now = workspace.host.clock.now_ms()

    def give_back(tx: Transaction) -> None:
        clock = clockwork.read(tx.fact(clockwork.FACT))
        at = clock.now(real_now) if to is None else to
        after = Clockwork(clock.offset_ms, at) if stood else clock.running_from(at, real_now)
        tx.set_fact(clockwork.FACT, after.as_fact())

    workspace.space.transact(give_back, ends=True)
    workspace.host.wake()
