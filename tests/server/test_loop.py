from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial

import pytest

from mock_server.clock import SystemClock
from mock_server.server.loop import READ, WRITE, Loop, Poller, Wait
from tests.clocks import ManualClock
from tests.server.pollers import MAKERS

pytestmark = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture
def errors() -> list[Exception]:
    return []


@pytest.fixture
def loop(errors: list[Exception], make: Callable[[], Poller]) -> Iterator[Loop]:
    loop = Loop(SystemClock(), errors.append, make)
    yield loop
    loop.close()


def test_callbacks_come_in_order_and_timers_by_their_instant(make: Callable[[], Poller]) -> None:
    called: list[str] = []
    clock = ManualClock()
    loop = Loop(clock, lambda error: pytest.fail(str(error)), make)

    def sooner() -> None:
        called.append("sooner than later")
        clock.advance(2)

    loop.later(0.002, loop.stop)
    loop.later(0.001, lambda: called.append("later"))
    loop.later(0.001, lambda: called.append("never")).cancel()
    loop.soon(lambda: called.append("soon"))
    loop.soon(lambda: loop.soon(sooner))
    loop.run()
    loop.close()
    assert called == ["soon", "sooner than later", "later"]


def test_other_threads_are_heard_while_it_waits(loop: Loop) -> None:
    heard: list[int] = []

    def speak(number: int) -> None:
        loop.soon(lambda: heard.append(number))

    def hear() -> None:
        threads = [threading.Thread(target=speak, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        loop.soon(loop.stop)

    speaker = threading.Thread(target=hear)
    loop.soon(speaker.start)
    loop.run()
    speaker.join()
    assert sorted(heard) == list(range(50))


def test_a_full_waker_does_not_block_the_speaker(loop: Loop) -> None:
    for _ in range(100_000):
        loop._woken = False
        loop.wake()
    heard: list[int] = []
    loop.soon(lambda: heard.append(1))
    loop.soon(loop.stop)
    loop.run()
    assert heard == [1]


def test_a_callback_that_fails_is_reported_and_the_loop_goes_on(loop: Loop, errors: list[Exception]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def fail(mask: int) -> None:
            loop.forget(ours)
            raise LookupError("socket")

        def fail_soon() -> None:
            raise LookupError("soon")

        loop.watch(ours, WRITE, fail)
        loop.soon(fail_soon)
        loop.later(0.001, loop.stop)
        loop.run()
    assert sorted(str(error) for error in errors) == ["socket", "soon"]


def test_interest_can_change(loop: Loop) -> None:
    ours, theirs = socket.socketpair()
    seen: list[int] = []
    with ours, theirs:

        def note(mask: int) -> None:
            seen.append(mask)
            if mask == WRITE:
                loop.watch(ours, READ, note)
                theirs.send(b"x")
            else:
                loop.stop()

        loop.watch(ours, WRITE, note)
        loop.run()
        loop.forget(ours)
    assert seen == [WRITE, READ]


@pytest.mark.parametrize("comes_first", ["future", "time", "cancel"])
def test_a_wait_ends_once(loop: Loop, comes_first: str) -> None:
    ended: list[bool] = []
    future: Future[None] = Future()
    wait = Wait(loop, 0.001 if comes_first == "time" else 3600, ended.append, future)
    if comes_first == "future":
        future.set_result(None)
    if comes_first == "cancel":
        wait.cancel()
    if comes_first == "time":
        loop.later(0.005, partial(future.set_result, None))
    loop.later(0.01, loop.stop)
    loop.run()
    assert ended == {"future": [True], "time": [False], "cancel": []}[comes_first]
