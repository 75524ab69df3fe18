"""Sockets that are ready come a few at a time, each in its turn."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from mock_server.server.loop import READ, WRITE, Poller
from tests.server.pollers import MAKERS

MANY = 5
Pairs = list[tuple[socket.socket, socket.socket]]


@pytest.fixture(params=list(MAKERS))
def poller(request: pytest.FixtureRequest) -> Iterator[Poller]:
    made = MAKERS[request.param]()
    yield made
    made.close()


@pytest.fixture
def pairs() -> Iterator[Pairs]:
    """Ours and theirs, with a byte waiting in each of ours."""
    with ExitStack() as open_ones:
        made = [socket.socketpair() for _ in range(MANY)]
        for ours, theirs in made:
            open_ones.enter_context(ours)
            open_ones.enter_context(theirs).send(b"x")
        yield made


def polled(poller: Poller, most: int, timeout_s: float | None = 0.0) -> int:
    """Calls whom a poll names; gives how many."""
    ready = poller.poll(timeout_s, most)
    for handler, mask in ready:
        handler(mask)
    return len(ready)


def test_each_has_its_turn(poller: Poller, pairs: Pairs) -> None:
    told: list[int] = []
    for number, (ours, _) in enumerate(pairs):
        poller.watch(ours, READ, partial(_note, told, number))
    for _ in range(3):
        assert polled(poller, 2) <= 2
    assert set(told) == set(range(MANY))  # all are ready all the time, and none came twice before the last


def _note(told: list[int], number: int, mask: int) -> None:
    told.append(number)


def test_who_is_not_ready_is_not_told(poller: Poller, pairs: Pairs) -> None:
    told: list[int] = []
    for number, (ours, _) in enumerate(pairs):
        poller.watch(ours, READ, partial(_take, ours, told, number))
    while polled(poller, 2):
        pass
    assert sorted(told) == list(range(MANY))
    pairs[3][1].send(b"x")
    assert polled(poller, 16, None) == 1
    assert told[-1] == 3


def _take(ours: socket.socket, told: list[int], number: int, mask: int) -> None:
    assert mask == READ
    told.append(number)
    ours.recv(1)


def test_what_is_forgotten_or_watched_for_something_else_is_not_told_as_before(poller: Poller, pairs: Pairs) -> None:
    (first, _), (second, theirs), (third, _) = pairs[:3]
    told: list[str] = []

    def leave(mask: int) -> None:
        poller.forget(second)
        poller.watch(third, WRITE, lambda mask: told.append(f"third {mask}"))

    poller.watch(first, READ, leave)
    poller.watch(second, READ, lambda mask: told.append("second"))
    poller.watch(third, READ, lambda mask: told.append("third, read"))
    polled(poller, 1)
    poller.forget(first)
    polled(poller, 16)
    polled(poller, 16)
    assert set(told) == {f"third {WRITE}"}
    theirs.close()
    assert [mask for _, mask in poller.poll(0.0, 16)] == [WRITE]


def test_a_client_that_left_is_told_to_whoever_watches(poller: Poller, pairs: Pairs) -> None:
    ours, theirs = pairs[0]
    poller.watch(ours, READ, lambda mask: None)
    ours.recv(1)
    theirs.close()
    assert [mask for _, mask in poller.poll(1.0, 16)] == [READ]


def test_it_waits_no_longer_than_it_is_told(poller: Poller) -> None:
    assert poller.poll(0.0, 16) == poller.poll(0.001, 16) == []
