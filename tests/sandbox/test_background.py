"""What falls due while nobody calls."""

from __future__ import annotations

import gc
from threading import Event
from weakref import ref

import pytest

from mock_server.clock import ManualClock
from mock_server.domain.cards import by_name
from mock_server.domain.instants import SECOND_MS
from mock_server.sandbox import Sandbox, World, timekeeping
from mock_server.sandbox.background import Background
from mock_server.store.protocol import NEVER
from tests.sandbox.worlds import key, pay, sandbox, told


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def server(clock: ManualClock) -> Sandbox:
    return sandbox(clock)


def pending() -> str:
    row = by_name("visa_pending_succeeds")
    assert row is not None
    return row.number


def test_it_says_when_to_come_back(server: Sandbox, clock: ManualClock) -> None:
    background = Background(server.worlds, clock)
    assert background.run_once(clock.now_ms()) == NEVER
    pay(server.world(key()), pending())
    pay(server.world(key("snd_other_0123456789")), pending())
    due = clock.now_ms() + 10 * SECOND_MS
    assert background.run_once(clock.now_ms()) == due
    assert background.run_once(due - 1) == due
    assert background.run_once(due) == NEVER
    for world in server.worlds():
        assert [what for _, what, _ in told(world)] == ["payment_processing", "payment_succeeded"]


def test_a_world_whose_time_stands_is_left_alone(server: Sandbox, clock: ManualClock) -> None:
    background = Background(server.worlds, clock)
    world = server.world(key())
    pay(world, pending())
    timekeeping.freeze(world)
    assert background.run_once(clock.now_ms() + 100 * SECOND_MS) == NEVER
    assert len(told(world)) == 1


def test_a_world_ahead_of_real_time_comes_earlier(server: Sandbox, clock: ManualClock) -> None:
    world = server.world(key())
    timekeeping.freeze(world, clock.now_ms() + 1000 * SECOND_MS)
    timekeeping.resume(world)
    pay(world, pending())
    assert Background(server.worlds, clock).run_once(clock.now_ms()) == clock.now_ms() + 10 * SECOND_MS


def test_one_broken_world_is_no_other_worlds_trouble(
    server: Sandbox, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    broken = server.world(key("snd_broken_012345678"))
    broken.space.transact(lambda tx: tx.schedule(0, "payment.settles", "x"))

    class Breaks(World):
        def apply_due(self, until: int) -> int:
            raise RuntimeError("no")

    good = server.world(key())
    pay(good, pending())
    worlds = [Breaks(server, broken.space), good]
    Background(lambda: worlds, clock).run_once(clock.now_ms() + 10 * SECOND_MS)
    assert [what for _, what, _ in told(good)] == ["payment_processing", "payment_succeeded"]
    assert "could not be applied" in caplog.text


def test_the_thread_wakes_for_what_falls_due_sooner(clock: ManualClock) -> None:
    """Between start and stop a payment that is due at once is settled without a call."""
    server = sandbox(clock)
    world = server.world(key())
    settled = Event()
    world.space.on_append("inbox", lambda: settled.set() if len(told(world)) == 2 else None)
    server.start()
    server.start()
    try:
        pay(world, pending())
        clock.advance(10 * SECOND_MS)
        server.wake()
        settled.wait()
    finally:
        server.stop()
    server.stop()


def test_a_world_that_is_reset_is_let_go_with_all_that_lay_ahead_of_it(server: Sandbox, clock: ManualClock) -> None:
    background = Background(server.worlds, clock)
    world = server.world(key())
    pay(world, pending())
    assert background.run_once(clock.now_ms()) != NEVER
    gone = ref(world.space)
    del world
    server.reset(key())
    gc.collect()
    assert gone() is None
