"""Stopping a clock and letting it go."""

from __future__ import annotations

import pytest

from mock_server.clock import ManualClock
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instants import DAY_MS, HOUR_MS
from mock_server.domain.statuses import PaymentStatus
from mock_server.sandbox import World, timekeeping
from tests.sandbox.worlds import key, pay, sandbox


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def world(clock: ManualClock) -> World:
    return sandbox(clock).world(key())


def test_a_frozen_clock_stands_until_it_is_let_go(world: World, clock: ManualClock) -> None:
    stood = timekeeping.freeze(world)
    clock.advance(HOUR_MS)
    assert world.now() == stood == timekeeping.freeze(world)
    assert timekeeping.resume(world) == stood
    clock.advance(7)
    assert world.now() == stood + 7


def test_letting_go_of_a_clock_that_runs_changes_nothing(world: World, clock: ManualClock) -> None:
    assert timekeeping.resume(world) == clock.now_ms()


def test_an_empty_world_may_begin_at_any_instant(world: World) -> None:
    assert timekeeping.freeze(world, 0) == world.now() == 0
    pay(world)
    with pytest.raises(Refusal) as refusal:
        timekeeping.freeze(world, -1)
    assert refusal.value.cause is Cause.CLOCK_BACKWARDS
    assert world.now() == 0


def test_what_falls_due_on_the_way_is_applied(world: World) -> None:
    made = pay(world, capture_method="manual")
    timekeeping.freeze(world, world.now() + 8 * DAY_MS)
    found = world.find_payment(made.payment_id)
    assert found is not None
    assert found.status is PaymentStatus.EXPIRED
    assert found.modified_at == made.created_at + 7 * DAY_MS


def test_every_kind_of_record_keeps_a_world_from_being_empty() -> None:
    from mock_server.engine import kinds

    assert len(timekeeping.KINDS) == len({kind.name for kind in timekeeping.KINDS}) >= 4
    assert kinds.PAYMENTS in timekeeping.KINDS
