"""Stopping a clock and letting it go."""

from __future__ import annotations

import pytest

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instants import DAY_MS, HOUR_MS
from mock_server.domain.statuses import PaymentStatus
from mock_server.sandbox import Workspace, timekeeping
from tests.clocks import ManualClock
from tests.sandbox.workspaces import key, pay, sandbox


@pytest.fixture
def workspace(clock: ManualClock) -> Workspace:
    return sandbox(clock).workspace(key())


def test_a_frozen_clock_stands_until_it_is_let_go(workspace: Workspace, clock: ManualClock) -> None:
    stood = timekeeping.freeze(workspace)
    clock.advance(HOUR_MS)
    assert workspace.now() == stood == timekeeping.freeze(workspace)
    assert timekeeping.resume(workspace) == stood
    clock.advance(7)
    assert workspace.now() == stood + 7


def test_letting_go_of_a_clock_that_runs_changes_nothing(workspace: Workspace, clock: ManualClock) -> None:
    assert timekeeping.resume(workspace) == clock.now_ms()


def test_an_empty_workspace_may_begin_at_any_instant(workspace: Workspace) -> None:
    assert timekeeping.freeze(workspace, 0) == workspace.now() == 0
    pay(workspace)
    with pytest.raises(Refusal) as refusal:
        timekeeping.freeze(workspace, -1)
    assert refusal.value.cause is Cause.CLOCK_BACKWARDS
    assert workspace.now() == 0


def test_what_falls_due_on_the_way_is_applied(workspace: Workspace) -> None:
    made = pay(workspace, capture_method="manual")
    timekeeping.freeze(workspace, workspace.now() + 8 * DAY_MS)
    found = workspace.find_payment(made.payment_id)
    assert found is not None
    assert found.status is PaymentStatus.EXPIRED
    assert found.modified_at == made.created_at + 7 * DAY_MS


def test_every_kind_of_record_keeps_a_workspace_from_being_empty() -> None:
    from mock_server.engine import kinds

    assert len(timekeeping.KINDS) == len({kind.name for kind in timekeeping.KINDS}) >= 4
    assert kinds.PAYMENTS in timekeeping.KINDS
