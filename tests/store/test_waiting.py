from __future__ import annotations

import logging
from threading import Barrier, Event, Thread

import pytest

from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.counts import times
from tests.store.conftest import nothing
from tests.store.threads import together

LONG = 30.0
"""Seconds that no test ever waits: what it waits for happens."""


@pytest.mark.parametrize("lines", [0, 1, 2, 3, times(20, soak=100)])
def test_the_last_line_is_known(space: Space, lines: int) -> None:
    for number in range(lines):
        space.append("log", number)
        space.transact(lambda tx: tx.append("also", 1))
    assert [space.last(log) for log in ("log", "also", "other")] == [lines, lines, 0]
    space.transact(lambda tx: tx.forget("log"))
    assert space.last("log") == lines, "numbers go on"


@pytest.mark.parametrize("in_transaction", [True, False])
def test_a_wait_ends_with_the_line(space: Space, in_transaction: bool) -> None:
    ready = Barrier(3)

    def waiting() -> bool:
        heard = Event()
        space.on_append("log", heard.set)
        ready.wait()
        return heard.wait(LONG) and space.last("log") == 1

    def writing() -> bool:
        ready.wait()
        space.append("other", 1)
        if in_transaction:
            space.transact(lambda tx: tx.append("log", 1))
        else:
            space.append("log", 1)
        return True

    assert together([waiting, waiting, writing]) == [True, True, True]


def test_a_line_that_was_taken_back_wakes_nobody(space: Space) -> None:
    calls: list[int] = []
    space.on_append("log", lambda: calls.append(1))

    def work(tx: Transaction) -> None:
        tx.append("log", 1)
        raise LookupError

    with pytest.raises(LookupError):
        space.transact(work)
    assert space.last("log") == 0
    assert calls == []


@pytest.mark.parametrize("ends", ["replace", "close"])
def test_a_wait_ends_with_the_space(store: Store, ends: str) -> None:
    space = store.open("a", nothing)
    called = Event()
    space.on_append("log", called.set)
    ender = Thread(target=lambda: store.replace("a", nothing) if ends == "replace" else store.close("a"))
    ender.start()
    assert called.wait(LONG)
    ender.join()
    assert space.closed and space.last("log") == 0


def test_callbacks_are_called_after_each_append_and_once_at_the_close(store: Store) -> None:
    space = store.open("a", nothing)
    calls: list[str] = []
    space.on_append("log", lambda: calls.append("log"))
    leave = space.on_append("log", lambda: calls.append("left"))
    space.on_append("other", lambda: calls.append("other"))
    space.append("log", 1)
    assert calls == ["log", "left"]
    leave()
    leave()
    space.transact(lambda tx: (tx.append("log", 1), tx.append("log", 2)))
    assert calls[2:] == ["log"], "once for all that one transaction kept"
    store.replace("a", nothing)
    assert calls[3:] == ["log", "other"]
    space.append("log", 1)
    store.close("a")
    assert calls[5:] == []


def test_a_callback_finds_the_line_kept_and_may_use_the_space(space: Space) -> None:
    found: list[int] = []
    space.on_append("log", lambda: found.append(len(space.transact(lambda tx: tx.entries("log")))))
    space.append("log", 1)
    space.transact(lambda tx: tx.append("log", 2))
    assert found == [1, 2]


def test_who_comes_after_the_close_is_called_at_once(store: Store) -> None:
    space = store.open("a", nothing)
    store.close("a")
    calls: list[int] = []
    leave = space.on_append("log", lambda: calls.append(1))
    leave()
    assert calls == [1]


def test_one_callback_twice_is_two(space: Space) -> None:
    calls: list[int] = []

    def wake() -> None:
        calls.append(1)

    leave = space.on_append("log", wake)
    space.on_append("log", wake)
    leave()
    space.append("log", 1)
    assert calls == [1]


def test_a_callback_that_fails_is_logged_and_stops_nobody(space: Space, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []

    def fails() -> None:
        raise LookupError("a listener's own matter")

    space.on_append("log", fails)
    space.on_append("log", lambda: calls.append(1))
    with caplog.at_level(logging.ERROR):
        assert space.append("log", 1) == 1
    assert calls == [1]
    assert "a listener's own matter" in caplog.text
