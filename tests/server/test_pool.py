from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from mock_server.server import pool as module
from mock_server.server.pool import Pool, start_thread
from tests.running import until
from tests.standing import Standing


@pytest.fixture
def make_pool() -> Iterator[Callable[..., Pool]]:
    pools: list[Pool] = []

    def make(**settings: Any) -> Pool:
        settings.setdefault("on_error", lambda error: pytest.fail(str(error)))
        pools.append(Pool(**settings))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def test_blocked_jobs_get_a_thread_each(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    all_here = threading.Barrier(101)
    for _ in range(100):
        assert pool.submit(lambda: all_here.wait())
    all_here.wait()
    assert pool._threads == 100


def test_short_jobs_share_a_few_threads(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    done = threading.Semaphore(0)
    for _ in range(500):
        pool.submit(done.release)
    for _ in range(500):
        done.acquire()
    assert pool._threads < 100


def test_no_more_than_the_limit_is_taken(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(limit=2)
    go, done = threading.Event(), threading.Semaphore(0)

    def job() -> None:
        go.wait()
        done.release()

    assert [pool.submit(job) for _ in range(3)] == [True, True, False]
    go.set()
    for _ in range(2):
        done.acquire()
    while not pool.submit(done.release):
        pass
    done.acquire()
    assert pool._threads <= 2


def test_the_limit_holds_wherever_a_thread_stands(make_pool: Callable[..., Pool]) -> None:
    for passed in count():
        pool = make_pool(limit=2)
        with Standing(module, passed, pool._wake) as standing:

            def job() -> None:
                standing.reached.release()
                standing.goes_on.wait()

            taken = [pool.submit(job)]
            standing.reached.acquire()
            taken += [pool.submit(job), pool.submit(job)]
        assert taken == [True, True, False], f"after {passed} lines"
        if not standing.has_stood:
            break
    assert passed > 3


@pytest.mark.parametrize("at_once", [1, 2, 20])
def test_idle_threads_end_but_for_one(make_pool: Callable[..., Pool], at_once: int) -> None:
    pool = make_pool(idle_s=0.0)
    threads: set[threading.Thread] = set()
    together = threading.Barrier(at_once + 1)

    def job() -> None:
        threads.add(threading.current_thread())
        together.wait()

    for _ in range(10):  # also a job that comes while a thread is about to end is done
        for _ in range(at_once):
            assert pool.submit(job)
        together.wait()
    until(lambda: sum(thread.is_alive() for thread in threads) == 1)
    assert pool._threads == 1


def test_a_job_that_fails_is_reported_and_its_thread_goes_on(make_pool: Callable[..., Pool]) -> None:
    errors: list[Exception] = []
    pool = make_pool(on_error=errors.append)
    done = threading.Event()
    pool.submit(lambda: [][0])
    pool.submit(done.set)
    done.wait()
    while not errors:
        pass
    assert isinstance(errors[0], IndexError)


def test_a_system_without_threads_takes_no_jobs_but_keeps_those_it_has(make_pool: Callable[..., Pool]) -> None:
    room = threading.Semaphore(0)

    def start(work: Callable[[], None]) -> None:
        if not room.acquire(blocking=False):
            raise RuntimeError("can't start new thread")
        start_thread(work)

    pool = make_pool(start=start)
    done = threading.Semaphore(0)
    assert not pool.submit(done.release)
    room.release()
    for _ in range(20):
        assert pool.submit(done.release)
    for _ in range(20):
        done.acquire()
    assert pool._threads == 1


def test_a_closed_pool_takes_nothing_and_its_threads_end(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool()
    threads: list[threading.Thread] = []
    done = threading.Event()

    def job() -> None:
        threads.append(threading.current_thread())
        done.set()

    pool.submit(job)
    done.wait()
    pool.close()
    assert not pool.submit(done.set)
    threads[0].join()
    assert not threads[0].is_alive()
