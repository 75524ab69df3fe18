"""The store of one process: all spaces in memory, with a limit; closed ones are freed in slices, so nobody waits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from queue import SimpleQueue
from threading import Event, Lock, Thread
from types import MappingProxyType
from typing import Any
from weakref import finalize

from mock_server.store import dumps
from mock_server.store.byte_bounds import ByteCounter, Most, Total
from mock_server.store.protocol import CLAIMS, JOURNAL
from mock_server.store.space import Space
from mock_server.store.state import SpaceState
from mock_server.store.table import RecordCache
from mock_server.store.transaction import Transaction

SERVER = ""
"""The name of the server's own space: never evicted, never listed."""
BOUNDS: Mapping[str, int] = MappingProxyType({JOURNAL: 10_000, "inbox": 10_000})
LETS_GO = frozenset({JOURNAL, "inbox", CLAIMS})
"""Kinds whose oldest entries are dropped; for other kinds, a new entry is refused if it does not fit."""
SLACK = 16
_CACHED_RECORDS = 512
"""The garbage collector follows decoded records: about ten objects per payment."""

First = Callable[[Transaction], object]
Forget = Callable[[Transaction], bool]
"""Drops the oldest entry of a kind; False if there is none."""


class Store:
    """The spaces of one server, from the one idle longest to the one used last.

    `bounds` limits the lines of a log (other logs are not limited), `most` the bytes of each kind of data; `forget`
    drops the oldest record of a kind that consists of records. `on_evict` gets the names of an evicted space and of
    the one that replaces it, `on_drop` the number of dropped entries of each kind.
    """

    def __init__(
        self,
        *,
        max_spaces: int = 1000,
        bounds: Mapping[str, int] = BOUNDS,
        max_claims: int = 100_000,
        most: Mapping[str, Most] = MappingProxyType({}),
        forget: Mapping[str, Forget] = MappingProxyType({}),
        on_evict: Callable[[str, str], object] = lambda gone, newcomer: None,
        on_drop: Callable[[Mapping[str, int]], object] = lambda fallen: None,
        sweeper: Sweeper | None = None,
    ) -> None:
        self._max_spaces = max_spaces
        self._bounds = dict(bounds)
        self._max_claims = max_claims
        self._most = most
        self._totals = {sort: Total(one.total) for sort, one in most.items()}
        self._forget = dict(forget)
        self._on_evict = on_evict
        self._on_drop = on_drop
        self._record_cache = RecordCache(_CACHED_RECORDS)
        self._sweeper = Sweeper() if sweeper is None else sweeper
        self._generations = count(1)
        self._lock = Lock()
        self._room_lock = Lock()
        self._spaces: OrderedDict[str, Space] = OrderedDict()

    def space(self, name: str) -> Space | None:
        """The present generation, or None; resets its idle time."""
        with self._lock:
            space = self._spaces.get(name)
            if space is not None:
                self._spaces.move_to_end(name)
            return space

    def open(self, name: str, first: First) -> Space:
        """The present generation, created by `first` if needed. Over the limit, the space idle longest is evicted."""
        present = self.space(name)
        if present is not None:
            return present
        made = self._made(name, first, None)
        with self._lock:
            present = self._spaces.setdefault(name, made)
            self._spaces.move_to_end(name)
            evicted = self._evict(name) if present is made else []
        if present is not made:
            made.state.leave()
        self._let_go(evicted, name)
        return present

    def replace(self, name: str, first: First, dump: Mapping[str, Any] | None = None) -> Space:
        """Replaces a space with a new one in constant time (a restore loads `dump` first)."""
        made = self._made(name, first, dump)
        with self._lock:
            old = self._spaces.pop(name, None)
            self._spaces[name] = made
            evicted = self._evict(name, replaces=True)
        if old is not None:
            self._close(old)
        self._let_go(evicted, name)
        return made

    def close(self, name: str) -> bool:
        with self._lock:
            space = self._spaces.pop(name, None)
        if space is None:
            return False
        self._close(space)
        return True

    def names(self) -> Sequence[str]:
        return [space.name for space in self.here()]

    def here(self) -> list[Space]:
        """The spaces that are in memory."""
        with self._lock:
            return [space for name, space in self._spaces.items() if name != SERVER]

    def clear(self, stays: str) -> int:
        """Closes all spaces, and empties the server's own except for facts with this prefix; gives their number."""
        closed = sum(self.close(name) for name in self.names())
        self.open(SERVER, lambda tx: None).transact(lambda tx: tx.clear(stays))
        return closed

    # what is kept, in bytes

    def _make_room_for(self, sort: str) -> None:
        """All spaces together store too much of a kind: the one with most of it drops its oldest entries.

        It drops more than necessary, so that this is rare.
        """
        if sort in LETS_GO and self._room_lock.acquire(blocking=False):  # one at a time, and not within itself
            try:
                self._make_room(sort)
            finally:
                self._room_lock.release()

    def _make_room(self, sort: str) -> None:
        total, forget = self._totals[sort], self._forget.get(sort)
        with self._lock:
            spaces = list(self._spaces.values())
        for _ in spaces:
            if total.over <= 0:
                break
            heaviest = max(spaces, key=lambda space: space.state.byte_counters[sort].reported)
            byte_counter = heaviest.state.byte_counters[sort]
            until = max(byte_counter.here // 2, byte_counter.here - total.over - total.most // SLACK)
            if forget is None:
                heaviest.drop(sort, until)
            else:
                heaviest.transact(partial(_forget_until, byte_counter, until, forget))

    def _made(self, name: str, first: First, dump: Mapping[str, Any] | None) -> Space:
        """A new space, not visible yet: its first transaction runs without a lock of the store."""
        state = self._state()
        try:
            if dump is not None:
                dumps.load(state, dump)
            space = self._space(name, state)
            self._sweeper.watch(space, state)
            space.transact(first)
        except BaseException:
            state.leave()
            raise
        return space

    # an engine whose spaces outlive the process makes others

    def _state(self) -> SpaceState:
        return SpaceState(self._record_cache, self._bounds, self._max_claims, self._byte_counters())

    def _byte_counters(self) -> dict[str, ByteCounter]:
        return {sort: ByteCounter(one.here, self._totals[sort]) for sort, one in self._most.items()}

    def _space(self, name: str, state: SpaceState) -> Space:
        return Space(name, next(self._generations), state, self._on_drop, self._make_room_for)

    def _evict(self, but: str, *, replaces: bool = False) -> list[Space]:
        """Evicts the spaces over the limit that were idle longest; one with work in progress stays."""
        over = len(self._spaces) - (SERVER in self._spaces) - self._max_spaces
        if over <= 0:
            return []
        idle = [name for name, space in self._spaces.items() if name not in (SERVER, but) and not space.is_busy]
        return [self._spaces.pop(name) for name in idle[:over]]

    def _close(self, space: Space) -> None:
        space.close()

    def _let_go(self, evicted: list[Space], newcomer: str) -> None:
        for space in evicted:
            self._close(space)
            self._on_evict(space.name, newcomer)


def _forget_until(byte_counter: ByteCounter, until: int, forget: Forget, tx: Transaction) -> None:
    while byte_counter.here > until and forget(tx):
        pass


_LIGHT = 1000
"""A state with fewer objects is freed at once."""
_SLICE = 256
_GIVE_BACK_EACH = 100
"""After this number of slices memory is returned: 2 to 4 ms each time, instead of 70 ms at once for a million."""
_PAUSE_S = 0.0005
_AFTER_S = 0.05
"""By then the call that let go of it, mostly a reset, is answered."""


class Sweeper:
    """Frees the states of unused spaces; its thread starts with the first large one.

    Whatever holds a space is in no cycle: a run of the garbage collector would take time from a test run's other code.
    """

    def __init__(self, swept: Callable[[], object] = lambda: None) -> None:
        self._queue: SimpleQueue[SpaceState | None] = SimpleQueue()
        self._swept = swept
        self.thread: Thread | None = None

    def watch(self, space: object, state: SpaceState) -> None:
        """Frees the state once the space is gone; work in progress on a closed space keeps it until then."""
        finalize(space, self.take, state).atexit = False

    def take(self, state: SpaceState) -> None:
        """Frees a state: a small one at once, a large one in the background."""
        if state.weight() < _LIGHT:
            return
        if self.thread is None:
            thread = Thread(target=_run, args=(self._queue, self._swept), name="store-sweeper", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the system gives no thread now: what is let go of goes at once
                return
            self.thread = thread
            finalize(self, self._queue.put, None).atexit = False
        self._queue.put(state)


def _run(queue: SimpleQueue[SpaceState | None], swept: Callable[[], object]) -> None:
    """The thread's work; it holds no reference to the sweeper, and ends with it."""
    never = Event()
    while (found := queue.get()) is not None:
        never.wait(_AFTER_S)
        sweep(found, lambda: never.wait(_PAUSE_S))
        del found
        swept()


def sweep(state: SpaceState, pause: Callable[[], object]) -> None:
    """Frees a state, with a pause after each slice, and returns the memory to the system."""
    give_back = _giver()
    pause()
    for number, _ in enumerate(slices(state), 1):
        pause()
        if number % _GIVE_BACK_EACH == 0:
            give_back()
    give_back()


def _giver() -> Callable[[], object]:
    """Returns freed memory to the system: glibc only does so on request; elsewhere there is nothing to do."""
    try:
        from ctypes import CDLL

        trim = CDLL(None).malloc_trim
    except (ImportError, AttributeError, OSError, TypeError):
        return lambda: None
    return lambda: trim(0)


def slices(state: SpaceState) -> Iterator[None]:
    """Frees a state in slices."""
    serials = {table.serial for table in state.tables.values()}
    state.record_cache.forget(lambda key: key[0] in serials)
    containers = (
        *(one for table in state.tables.values() for one in table.containers()),
        *(log.lines for log in state.logs.values()),
        *state.due.containers(),
        *state.claims.containers(),
    )
    for container in containers:
        drop_one = container.popitem if isinstance(container, dict) else container.pop
        while container:
            for _ in range(min(_SLICE, len(container))):
                drop_one()
            yield
