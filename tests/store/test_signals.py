"""Who waits for a line or a change hears of each, once, until the end."""

from __future__ import annotations

import logging

import pytest

from mock_server.store.waiting import LogWaiters, Signal


def test_a_listener_hears_of_its_own_log_until_it_leaves() -> None:
    waiters, heard = LogWaiters(), list[str]()
    leave = waiters.on_append("a", lambda: heard.append("first"))
    again = waiters.on_append("a", lambda: heard.append("second"))
    waiters.on_append("b", lambda: heard.append("other"))
    waiters.wake(["a"])
    assert heard == ["first", "second"]
    leave()
    leave()
    waiters.wake(["a", "b", "c"])
    assert heard == ["first", "second", "second", "other"]
    again()
    waiters.wake(["a"])
    waiters.close()
    waiters.close()
    assert heard == ["first", "second", "second", "other", "other"]


def test_who_comes_after_the_close_is_told_at_once() -> None:
    waiters, heard = LogWaiters(), list[str]()
    waiters.close()
    waiters.on_append("a", lambda: heard.append("late"))()
    waiters.wake(["a"])
    assert heard == ["late"]
    assert waiters.closed


def test_the_last_line_of_each_log_is_known_until_after_the_end() -> None:
    waiters = LogWaiters()
    for last in (0, 1, 2):
        waiters.published({"a": last})
        assert waiters.last == {"a": last}
    waiters.published({"b": 1})
    waiters.close()
    assert waiters.last == {"a": 2, "b": 1}


def test_a_listener_that_fails_keeps_no_other_from_hearing(caplog: pytest.LogCaptureFixture) -> None:
    waiters, signal, heard = LogWaiters(), Signal(), list[str]()

    def fails() -> None:
        raise LookupError

    for register in (lambda wake: waiters.on_append("a", wake), signal.on_ring):
        register(fails)
        register(lambda: heard.append("heard"))
    with caplog.at_level(logging.ERROR):
        waiters.wake(["a"])
        signal.ring()
    assert heard == ["heard", "heard"]
    assert [line.getMessage() for line in caplog.records] == ["a listener failed"] * 2


def test_each_ring_has_a_number_of_its_own() -> None:
    signal, heard = Signal(), list[int]()
    leave = signal.on_ring(lambda: heard.append(signal.number))
    numbers = [signal.number]
    for _ in range(3):
        signal.ring()
        numbers.append(signal.number)
    leave()
    leave()
    signal.ring()
    assert numbers == [0, 1, 2, 3]
    assert heard == [1, 2, 3]
