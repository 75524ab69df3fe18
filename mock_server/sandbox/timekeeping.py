"""Holding a workspace's clock, and letting it go again (decisions "Clock"). Instants in ms."""

from __future__ import annotations

from typing import Final

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.paging import Query
from mock_server.engine import kinds
from mock_server.sandbox import clockwork
from mock_server.sandbox.clockwork import Clockwork
from mock_server.sandbox.workspace import Workspace
from mock_server.store.protocol import Kind, Transaction

KINDS: Final = tuple(kind for kind in vars(kinds).values() if isinstance(kind, Kind))
"""Every kind of record that a workspace can hold."""
_EVERYTHING: Final = Query()


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
