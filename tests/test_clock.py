"""The door to time."""

from __future__ import annotations

import gc
import random
import time
from contextlib import AbstractContextManager

import pytest

from mock_server.clock import Clock, SystemClock, uncollected
from tests.clocks import ManualClock
from tests.counts import times


def test_the_system_clock_tells_the_machines_time_in_milliseconds() -> None:
    before = time.time() * 1000
    now = SystemClock().now_ms()
    assert before - 1 <= now <= time.time() * 1000


def test_the_system_clock_never_runs_backwards() -> None:
    clock = SystemClock()
    readings = [clock.monotonic() for _ in range(100)]
    assert readings == sorted(readings)


def test_the_manual_clock_stands_until_it_is_moved() -> None:
    clock = ManualClock(now_ms=1_000)
    assert (clock.now_ms(), clock.monotonic()) == (1_000, 0.0)
    clock.advance(2_500)
    assert (clock.now_ms(), clock.monotonic()) == (3_500, 2.5)


def test_the_manual_clock_refuses_to_run_backwards() -> None:
    with pytest.raises(ValueError, match="backwards"):
        ManualClock().advance(-1)


def test_both_are_clocks() -> None:
    clocks: list[Clock] = [SystemClock(), ManualClock()]
    assert all(isinstance(clock.now_ms(), int) for clock in clocks)


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_is_collected_again_when_the_last_of_several_is_done(is_on: bool) -> None:
    """In whatever order they begin and end."""
    dice, before = random.Random(9), gc.isenabled()
    try:
        for _ in range(times(50, soak=5_000)):
            (gc.enable if is_on else gc.disable)()
            waiting = [uncollected() for _ in range(dice.randrange(1, 5))]
            at_work: list[AbstractContextManager[None]] = []
            while waiting or at_work:
                if waiting and (not at_work or dice.random() < 0.5):
                    at_work.append(waiting.pop())
                    at_work[-1].__enter__()
                else:
                    at_work.pop(dice.randrange(len(at_work))).__exit__(None, None, None)
                assert gc.isenabled() is (is_on and not at_work)
    finally:
        (gc.enable if before else gc.disable)()
