"""The contract over a store whose file is closed and opened again between the steps of a test.

Whatever a test does next, it does with what was read back. Only what ends with a process keeps it open: a claim whose
owner is at work, calls counted for rate limits, somebody who waits, another thread, and a space that is no more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from mock_server.clock import SystemClock
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.facts import SharedSpace
from mock_server.lasting.postgres import Lease, PostgresRows
from mock_server.lasting.replicas import ReplicaStore
from mock_server.lasting.store import LastingStore
from mock_server.store.memory import Store
from mock_server.store.protocol import RecordKind
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.things import HEAVY, NAMES, NOTES, THINGS

KINDS: tuple[RecordKind[Any], ...] = (THINGS, NOTES, HEAVY, NAMES)
_OURS = ("store-sweeper", "sandbox-reading", "sandbox-lease", "sandbox-writing")


def opened(path: Path, **options: Any) -> LastingStore:
    """A store over a file, with the kinds of the store's own tests."""
    return LastingStore(DataFile(str(path)), KINDS, SystemClock(), **options)


def claiming(url: str, address: str | None = None, **options: Any) -> ReplicaStore:
    """The same over a database, as a replica of some address."""
    database, clock = PostgresRows(url), SystemClock()
    lease = Lease(database, address, clock)
    return ReplicaStore(database, lease, KINDS, clock, lambda state: SharedSpace(url, state, clock), **options)


class ReopeningStore(Store):
    """A store that is closed and opened between any two calls, or between two of `every` so many."""

    def __init__(self, opened: Callable[[], LastingStore], every: int = 1) -> None:
        self._before = set(threading.enumerate())
        self._opened = opened
        self._inner = opened()
        self._every = every
        self._steps = 0
        self.pinned = 0
        """How many things there are that end with a process."""
        self.reopened = 0

    def end(self) -> None:
        self._inner.end()

    def step(self) -> LastingStore:
        """The store, opened anew where nothing speaks against it."""
        others = [one for one in threading.enumerate() if one not in self._before and one.name not in _OURS]
        if self.pinned or others:
            return self._inner
        self._steps += 1
        if self._steps % self._every == 0:
            self._inner.end()
            self._inner = self._opened()
            self.reopened += 1
        return self._inner

    def space(self, name: str) -> Space | None:
        found = self.step().space(name)
        return None if found is None else self._wrapped(found)

    def open(self, name: str, first: Callable[[Transaction], object]) -> Space:
        store = self.step()
        return self._wrapped(self.within(lambda: store.open(name, first)))

    def replace(
        self, name: str, first: Callable[[Transaction], object], dump: Mapping[str, Any] | None = None
    ) -> Space:
        store = self.step()
        return self._wrapped(self.within(lambda: store.replace(name, first, dump)))

    def close(self, name: str) -> bool:
        return self.step().close(name)

    def names(self) -> Sequence[str]:
        return self.step().names()

    def here(self) -> list[Space]:
        return [self._wrapped(one) for one in self.step().here()]

    def clear(self, stays: str) -> int:
        store = self.step()
        return int(self.within(lambda: store.clear(stays)))

    def within(self, act: Callable[[], Any]) -> Any:
        self.pinned += 1
        try:
            return act()
        finally:
            self.pinned -= 1

    def _wrapped(self, space: Space) -> Space:
        return cast(Space, ReopenedSpace(self, space))


class ReopenedSpace:
    """One generation, found again after each opening; two wrappers of one are equal."""

    def __init__(self, store: ReopeningStore, inner: Space) -> None:
        self._store = store
        self._inner = inner

    def _now(self) -> Space:
        if not self._inner.closed:
            found = self._store.step().space(self._inner.name)
            if found is not None and found.generation == self._inner.generation:
                self._inner = found
            else:  # another one stands in its place
                cast(Any, self._inner).close()
        return self._inner

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReopenedSpace) and (other.name, other.generation) == (self.name, self.generation)

    def __hash__(self) -> int:
        return hash((self.name, self.generation))

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def generation(self) -> int:
        return self._inner.generation

    @property
    def closed(self) -> bool:
        return self._now().closed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._now(), name)

    def transact(self, work: Callable[[Transaction], Any]) -> Any:
        space = self._now()
        return self._store.within(lambda: space.transact(work))

    def claim(self, *asked: Any, **named: Any) -> Any:
        taken = self._now().claim(*asked, **named)
        self._store.pinned += taken is None
        return taken

    def settle_claim(self, key: str, owner: str, answer: Any) -> bool:
        return self._ended(self._now().settle_claim(key, owner, answer))

    def release_claim(self, key: str, owner: str) -> bool:
        return self._ended(self._now().release_claim(key, owner))

    def _ended(self, ended: bool) -> bool:
        self._store.pinned -= ended
        return ended

    def hit(self, name: str, window: int) -> int:
        space = self._now()
        self._store.pinned += 1
        return space.hit(name, window)

    def on_append(self, log: str, wake: Callable[[], None]) -> Callable[[], None]:
        space = self._now()
        self._store.pinned += 1
        return space.on_append(log, wake)

    def last(self, log: str) -> int:
        return int(self._now().last(log))
