"""A server with real threads, and a shop whose door is shut."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

from mock_server.domain.events import ATTEMPTS
from mock_server.sandbox import Workspace
from mock_server.webhooks.worker_pool import WorkerPool
from tests.webhooks.shops import Delivered, Mall, each, mall

PATIENCE_S = None  # the suite's own limit for a test is the only one


class Door:
    """A receiver that answers only when it is let; what came is counted."""

    def __init__(self) -> None:
        self.came: list[Delivered] = []
        self._changed = threading.Condition()
        self._let = threading.Semaphore(0)
        self.is_open = threading.Event()

    def __call__(self, delivered: Delivered) -> int:
        with self._changed:
            self.came.append(delivered)
            self._changed.notify_all()
        while not self.is_open.is_set():
            if self._let.acquire(timeout=0.05):
                break
        return 200

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.came) >= count, PATIENCE_S), len(self.came)

    def let(self, count: int = 1) -> None:
        self._let.release(count)


class Busy:
    """A server with real threads, and one shop whose door is shut."""

    def __init__(self, made: Mall, workers: WorkerPool) -> None:
        self.mall = made
        self.workers = workers
        self.door = Door()
        self.mall.shop.always = self.door

    def look(self) -> int:
        """One round of the server's thread."""
        return self.mall.api.sandbox.run_once(self.mall.clock.now_ms())

    def later(self, ms: int) -> None:
        self.mall.clock.advance(ms)
        self.look()

    def until(self, holds: Any) -> None:
        """Looks after everything until something holds; each attempt that is kept is a reason to look again."""
        while not holds():
            self.look()
            space = self.mall.workspace.space
            heard = threading.Event()
            leave = space.on_append(ATTEMPTS, heard.set)
            heard.wait(0.01)
            leave()

    def delivered(self) -> list[Any]:
        return each(self.mall.events(), "delivered")


def busy_mall(patience_s: float = 3600.0, **settings: Any) -> Busy:
    """One of them; who waits for the shop's answer, an advance or a call, waits so long."""
    workers = WorkerPool(idle_s=0.1)
    waits: dict[str, Any] = {"advance_delivery_timeout": patience_s, "before_response_timeout": patience_s}
    return Busy(mall(workers=workers, **waits, **settings), workers)


def attempts_of(workspace: Workspace) -> int:
    return workspace.space.transact(lambda tx: len(tx.entries(ATTEMPTS)))


def elsewhere(work: Any) -> Future[Any]:
    """Runs something in a thread of its own."""
    result: Future[Any] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as problem:
            result.set_exception(problem)

    threading.Thread(target=run, daemon=True).start()
    return result
