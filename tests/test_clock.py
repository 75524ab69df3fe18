"""The door to time."""

from __future__ import annotations

import time

import pytest

from mock_server.clock import Clock, ManualClock, SystemClock


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
