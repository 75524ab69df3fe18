"""Much that falls due at once, as after a computer has slept: others wait for a few of its events, and not for all."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

import msgspec
import pytest
from flask import Flask

from mock_server.domain.outcomes import DisputePlan
from mock_server.engine import timeline
from mock_server.engine.payments import due
from mock_server.sandbox import Workspace
from mock_server.sandbox.background import Background
from mock_server.sandbox.workspace import AT_ONCE
from mock_server.store.transaction import Transaction
from tests.api.places import workspace as workspace_of
from tests.clocks import ManualClock
from tests.loop import Loop
from tests.sandbox.workspaces import key, pay, sandbox
from tests.wire import Wire, wire

MANY: Final = 5 * AT_ONCE
PLAN: Final = msgspec.json.encode(DisputePlan("fraudulent", amount=1)).decode()


def pile(workspace: Workspace, sort: str, count: int = MANY) -> None:
    """Schedules so many events of a kind for a moment from now: disputes of a payment, or about what is gone."""
    payment, at = pay(workspace), workspace.now() + 1

    def schedule(tx: Transaction) -> None:
        for number in range(count):
            about = (payment.payment_id, PLAN) if sort == due.DISPUTE else (f"gone_{number}", "")
            tx.schedule(at, sort, *about)

    workspace.space.transact(schedule)


def left(workspace: Workspace) -> int:
    """How many events are still to be applied that were due."""
    return sum(entry.at <= workspace.now() for entry in workspace.space.state.due.all())


@pytest.mark.parametrize("sort", timeline.SORTS)
def test_a_call_does_not_apply_a_pile_on_the_loop(sort: str) -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    workspace = workspace_of(api)
    pile(workspace, sort)
    clock.advance(1)
    loop = Loop(api.app, lambda: left(workspace))
    assert Wire(cast(Flask, loop), api.sandbox, api.key).get("/payments/list").status == 200
    assert loop.seen == MANY - AT_ONCE
    assert workspace.space.due_at() > clock.now_ms()


def test_a_workspace_is_not_deleted_on_the_loop_with_its_pile() -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    workspace = workspace_of(api)
    pile(workspace, timeline.SORTS[0])
    clock.advance(1)
    loop = Loop(api.app, lambda: left(workspace))
    own = Wire(cast(Flask, loop), api.sandbox, api.key)
    assert own.delete(f"/accounts/{workspace.merchant_id}").status == 200
    assert loop.seen == MANY - AT_ONCE


@pytest.mark.parametrize("sort", timeline.SORTS)
def test_another_workspaces_event_does_not_wait_for_a_pile(sort: str) -> None:
    clock = ManualClock()
    server = sandbox(clock)
    much, little = server.workspace(key()), server.workspace(key("snd_other_0123456789"))
    pile(much, sort)
    pile(little, sort, 1)
    clock.advance(1)
    background = Background(server.workspaces, clock)
    look = partial(background.run_once, clock.now_ms())
    assert look() <= clock.now_ms()
    assert left(much) == MANY - AT_ONCE
    assert little.space.due_at() > clock.now_ms()
    while look() <= clock.now_ms():
        pass
    assert much.space.due_at() > clock.now_ms()
