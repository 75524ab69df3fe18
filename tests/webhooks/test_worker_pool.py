"""The threads that deliveries are made on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from itertools import count

import pytest

from mock_server.webhooks import worker_pool
from mock_server.webhooks.worker_pool import WorkerPool
from tests.standing import Standing


class Blocked:
    """Work that waits until it is let, and says that it has begun."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.let = threading.Event()

    def __call__(self) -> None:
        self.begun.release()
        self.let.wait()

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            self.begun.acquire()


@pytest.fixture
def blocked() -> Blocked:
    return Blocked()


def test_no_more_than_the_bound_are_at_work_but_urgent_work_never_waits(blocked: Blocked) -> None:
    workers = WorkerPool(most=2, idle_s=0.05)
    later, urgent = threading.Event(), threading.Event()
    for address in ("one", "two"):
        workers.take(blocked, address)
    blocked.wait_for(2)
    workers.take(later.set, "three")
    assert not later.wait(0.05)
    workers.take(urgent.set, urgent=True)
    urgent.wait()
    blocked.let.set()
    later.wait()


def test_a_thread_is_started_for_each_work_wherever_the_earlier_ones_stand() -> None:
    for passed in count():
        workers = WorkerPool(idle_s=0.05)
        with Standing(worker_pool, passed, workers._changed) as standing:

            def work() -> None:
                standing.reached.release()
                standing.goes_on.wait()

            for _ in range(10):
                workers.take(work, urgent=True)
                standing.reached.acquire()
            assert workers._threads == 10, f"after {passed} lines"
        if not standing.has_stood:
            break
    assert passed > 3


def test_an_address_has_its_share_and_no_more(blocked: Blocked) -> None:
    workers = WorkerPool(most=8, share=2, idle_s=0.05)
    third, other = threading.Event(), threading.Event()
    for _ in range(2):
        workers.take(blocked, "hangs")
    blocked.wait_for(2)
    workers.take(third.set, "hangs")
    workers.take(other.set, "answers")
    assert other.wait()
    assert not third.is_set()
    blocked.let.set()
    assert third.wait()


def test_once_half_of_the_threads_are_taken_each_address_has_one(blocked: Blocked) -> None:
    """So however much waits for those that hang, somebody who answers finds a thread."""
    workers = WorkerPool(most=8, share=3, idle_s=0.05)
    for address in ("one", "two", "three"):
        for _ in range(3):
            workers.take(blocked, address)
    blocked.wait_for(5)
    assert not blocked.begun.acquire(timeout=0.05), "four of two addresses, and one of the third"
    answered = threading.Event()
    workers.take(answered.set, "answers")
    assert answered.wait()
    blocked.let.set()
    blocked.wait_for(4)


def test_addresses_take_turns(blocked: Blocked) -> None:
    workers = WorkerPool(most=1, idle_s=0.05)
    order: list[str] = []
    done = threading.Event()
    workers.take(blocked)
    blocked.wait_for(1)
    for address in ("one", "one", "one", "two"):
        workers.take(partial(order.append, address), address)
    workers.take(done.set, "two")
    blocked.let.set()
    assert done.wait()
    assert order[:3] == ["one", "two", "one"]


def test_without_a_new_thread_those_that_are_there_go_on(
    blocked: Blocked, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    workers = WorkerPool(idle_s=0.05)
    later = threading.Event()
    workers.take(blocked)
    blocked.wait_for(1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", _none_left)
        workers.take(later.set)
    assert "no more threads" in caplog.text
    blocked.let.set()
    assert later.wait()


def _none_left(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_work_is_begun_in_its_order(blocked: Blocked) -> None:
    workers = WorkerPool(most=1, idle_s=0.05)
    order: list[int] = []
    done = threading.Event()

    def noted(number: int) -> Callable[[], None]:
        return lambda: order.append(number)

    workers.take(blocked)
    for number in range(5):
        workers.take(noted(number))
    workers.take(done.set)
    blocked.let.set()
    done.wait()
    assert order == [0, 1, 2, 3, 4]


def test_what_breaks_breaks_alone(blocked: Blocked, caplog: pytest.LogCaptureFixture) -> None:
    workers = WorkerPool(most=1, idle_s=0.05)
    done = threading.Event()

    def breaks() -> None:
        raise ZeroDivisionError

    workers.take(breaks)
    workers.take(done.set)
    done.wait()
    assert "a delivery failed" in caplog.text


def test_idle_threads_go(blocked: Blocked) -> None:
    workers = WorkerPool(idle_s=0.01)
    before = set(threading.enumerate())
    workers.take(blocked)
    blocked.wait_for(1)
    (mine,) = set(threading.enumerate()) - before
    blocked.let.set()
    mine.join()
    assert not mine.is_alive()
    assert workers.is_idle


def test_after_the_end_nothing_is_begun(blocked: Blocked) -> None:
    workers = WorkerPool(most=1, idle_s=0.05)
    never = threading.Event()
    workers.take(blocked)
    blocked.wait_for(1)
    workers.take(never.set)
    workers.close()
    workers.take(never.set, urgent=True)
    blocked.let.set()
    assert not never.wait(0.05)
