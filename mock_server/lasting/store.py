"""The persistent store: all data is in the file, which this process owns, and memory is a cache.

Spaces note their changes, and the saver commits them before anything that shows them is sent: the loop sends an answer
only then. A space that is not in memory (`resting`) is loaded when it is needed.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from math import inf
from threading import Lock, Thread
from typing import Any, Final, Protocol
from wsgiref.types import StartResponse, WSGIApplication

from mock_server.clock import Clock, Slices, uncollected
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import SHOWN, ComeAgain
from mock_server.lasting.batches import NUMBERS, Known, Resting, Rows, Token, not_saved, refused_where_lost
from mock_server.lasting.saving import CLEAR_EVERY_S, Saver, Told
from mock_server.lasting.space import NO_ROW, PRESENT, LastingSpace, Use
from mock_server.lasting.state import FACT, RECORD, LastingState, by_part, new_shapes, read
from mock_server.store import records
from mock_server.store.memory import SERVER, First, Store
from mock_server.store.protocol import NEVER, DumpRefused, RecordKind, StateDamaged
from mock_server.store.space import Space

READING_S: Final = 0.02
"""How long a space is read before other threads get their turn."""
STARTS: Final = "starts"
"""The counter in the server's own space of starts with this file."""
KNOWN_S: Final = 0.5
"""How long the result of looking for a space that is not in memory is kept."""
MOST_KNOWN: Final = 10_000
USE: Final = "mock_server.use"
"""The environ key of what a call uses."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class LastingStore(Store):
    """The spaces of one server over a file.

    `kinds` are all kinds of records. `due` gives the real time of a space's next event, `put_right` ends what was in
    progress when a space was last saved, `may_rest` says whether a space can be unloaded, `on_rest` gets the name of
    each one that was. The options are those of the store in memory; `max_spaces` limits only those in memory.
    """

    _spaces: OrderedDict[str, Any]
    """With replicas, the server's own space is of another type."""
    secret: bytes | None = None  # what only the replicas over a database know

    def __init__(
        self,
        file: Rows,
        kinds: Sequence[RecordKind[Any]],
        clock: Clock,
        *,
        due: Callable[[Space], int] = lambda space: NEVER,
        put_right: Callable[[Space], object] = lambda space: None,
        may_rest: Callable[[Space], bool] = lambda space: True,
        on_rest: Callable[[str], object] = lambda name: None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._file, self._kinds = file, kinds
        self._put_right, self._may_rest, self._on_rest = put_right, may_rest, on_rest
        self._clock = clock
        self.saver = self._saver(due)
        self.may_wait: Callable[[], bool] = lambda: True
        """Whether the current thread may wait until a space is loaded."""
        self._numbering = Lock()
        self._known: dict[str, Known] = {}
        self._reading: dict[str, Future[None]] = {}
        self.resting = {row.name: row for row in file.workspaces()}
        self._next_number = 1 + max([0, *self.saver.garbage, *(row.space or 0 for row in self.resting.values())])
        self.start = 0
        self.start = self._begin()

    def _saver(self, due: Callable[[Space], int]) -> Saver:
        return Saver(self._file, self._clock, due, new_shapes(self._file, self._kinds), self._file.garbage())

    def _begin(self) -> int:
        """Loads the server's own space, if there is one; gives the number of starts."""
        try:
            return self.open(SERVER, lambda tx: None).transact(lambda tx: tx.add(STARTS))
        except Refusal as refused:
            raise StateDamaged(str(refused.values["reason"])) from refused

    # spaces

    def space(self, name: str) -> Space | None:
        use = PRESENT.use
        while True:
            found = super().space(name)
            if found is None and self._rests(name):
                self._wake(name)
            elif use is None or not isinstance(found, LastingSpace) or use.takes(found):
                return found

    def replace(self, name: str, first: First, dump: Mapping[str, Any] | None = None) -> Space:
        self._check()
        made = super().replace(name, first, dump)
        self._drop_resting(name)
        return made

    def close(self, name: str) -> bool:
        self._check()
        if is_ended := super().close(name) | self._drop_resting(name):
            self.saver.queue_end(name=name, token=self._token(name))
        return is_ended

    def _rests(self, name: str) -> bool:
        """Whether there is a space with this name that can be loaded. Refuses the call or passes it on if known."""
        if (known := self._lately(name)) is not None:
            known.check(lambda: self._known.pop(name, None))
        return name in self.resting

    def _lately(self, name: str) -> Known | None:
        """The recent result of looking for a space, or None."""
        known = self._known.get(name)
        return None if known is None or known.until <= self._clock.monotonic() else known

    def _note(self, name: str, url: str | None = None, trouble: str | None = None, seconds: float = KNOWN_S) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[name] = Known(self._clock.monotonic() + seconds, url, trouble)

    def _token(self, name: str) -> Token | None:
        """The proof that this server owns a workspace, with replicas."""
        return None

    def _check(self) -> None:
        if self.saver.trouble is not None:
            raise not_saved(self.saver.trouble)

    def _drop_resting(self, name: str) -> bool:
        self._known.pop(name, None)
        before = self.resting.pop(name, None)
        if before is not None:
            self.saver.queue_end(before.space)
        return before is not None

    def used_by(self, app: WSGIApplication, waits: str) -> WSGIApplication:
        """The app, whose calls are saved as one; below `waits` they may wait for receivers, which get what is saved."""

        def using(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
            with Use(is_one=not environ["PATH_INFO"].startswith(waits)) as environ[USE]:
                return app(environ, start_response)

        return using

    def end(self) -> None:
        """Saves what is left, and closes the file; can be repeated."""
        self.saver.end()

    def names(self) -> Sequence[str]:
        return [*super().names(), *(name for name in tuple(self.resting) if name != SERVER)]

    def due_by(self, real_now: int) -> tuple[list[str], int]:
        """The resting spaces in which something is due by a real time (ms), and the time of the next one."""
        due = [(row.due_at, row.name) for row in tuple(self.resting.values()) if row.due_at is not None and row.name]
        names = [name for at, name in sorted(due) if at <= real_now and self._lately(name) is None]
        return names, min((at for at, _ in due if at > real_now), default=NEVER)

    def _state(self) -> LastingState:
        return LastingState(self._record_cache, self._bounds, self._max_claims, self._byte_counters())

    def _space(self, name: str, state: Any) -> Space:
        with self._numbering:
            start = self.start if self.saver.lease is None else self.saver.lease.start
            number = max(self._next_number, start << NUMBERS)
            self._next_number = number + 1
        return self._numbered(Resting(name, number, NO_ROW, self._token(name)), state)

    def _numbered(self, known: Resting, state: LastingState) -> LastingSpace:
        space = LastingSpace(known, state, self._on_drop, self._make_room_for, self.saver)
        if PRESENT.use is not None:
            PRESENT.use.takes(space)
        return space

    def _made(self, name: str, first: First, dump: Mapping[str, Any] | None) -> Space:
        space = super()._made(name, first, dump)
        if dump is not None and isinstance(space, LastingSpace):
            try:
                for kind in self._kinds:
                    space.state.table(kind)
                self.saver.save_ahead(space)
            except BaseException:
                space.state.leave()
                self.saver.garbage.append(space.generation)
                self.saver.wake()
                raise
        return space

    def _evict(self, but: str, *, replaces: bool = False) -> list[Space]:
        """Makes a new space visible, with the lock held, and unloads those idle longest; what has no rows is gone."""
        self._spaces[but].begin(waits=not replaces and but != SERVER and self.saver.lease is None)
        over = len(self._spaces) - (SERVER in self._spaces) - self._max_spaces
        rested: list[Any] = []
        for name, space in self._spaces.items():
            if len(rested) >= over:
                break
            if name in (SERVER, but) or space.is_busy or self.saver.is_unsaved(space) or not self._may_rest(space):
                continue
            if space.rest():
                rested.append(space)
        for space in rested:
            if space.said_due != NO_ROW:
                self.resting[space.name] = Resting(space.name, space.generation, space.said_due, space.token)
            del self._spaces[space.name]
        return rested

    def _let_go(self, evicted: list[Space], newcomer: str) -> None:
        for space in evicted:
            super()._close(space)
            self._on_rest(space.name)

    def _close(self, space: Space) -> None:
        """Closes a removed space, whose rows are deleted."""
        super()._close(space)
        self.saver.queue_end(space.generation)

    # loading

    def glance(
        self, name: str, facts: Sequence[str], kinds: Sequence[RecordKind[Any]]
    ) -> tuple[list[Any], list[int]] | None:
        """Some facts and counts of a resting space, unloaded; None if there is none. Refused as `not_saved`."""
        with refused_where_lost():
            if (resting := self._found(name)) is None or resting.space is None:
                return None
            kept = [self._file.value(resting.space, FACT, fact) for fact in facts]
            counts = [self._file.count(resting.space, RECORD + kind.name) for kind in kinds]
        return [None if value is None else records.unpack(value) for value in kept], counts

    def _found(self, name: str) -> Resting | None:
        """The place of the rows of a space that is not in memory."""
        return self.resting.get(name)

    def _wake(self, name: str, *, begins: bool = False) -> None:
        """Loads a resting space, once for all callers. Refused as `not_saved`. `begins`: the space need not exist."""
        with self._numbering:
            ready = self._reading.get(name)
            if is_first := ready is None and (begins or self._rests(name)):
                ready = self._reading[name] = Future()
        if ready is None:
            return
        may_wait, reads = self.may_wait(), partial(self._read_for, name, ready, begins)
        if is_first and may_wait:
            reads()
        elif is_first:
            Thread(target=reads, name="sandbox-reading", daemon=True).start()
        if not may_wait:
            raise ComeAgain(ready)
        ready.result()
        self._rests(name)  # or the call is refused or passed on

    def _read_for(self, name: str, ready: Future[None], begins: bool) -> None:
        try:
            self._read(name, begins)
        except Exception as wrong:  # without a note, the call would be made again without end
            _LOG.exception("loading a workspace failed")
            self._note(name, trouble=f"loading the workspace failed with {type(wrong).__name__}")
        finally:
            with self._numbering:
                self._reading.pop(name, None)
            ready.set_result(None)

    def _read(self, name: str, begins: bool) -> None:
        """Loads a resting space into memory, in slices, or notes why it cannot be read."""
        if (resting := self.resting.get(name)) is None:
            return
        try:
            with uncollected(), refused_where_lost():
                space = self._woken(resting)
        except Refusal as lost:  # or what was in progress cannot be ended now
            self._note(name, trouble=str(lost.values["reason"]))
            return
        except DumpRefused as wrong:
            text = f"{self._file.path} has a workspace that cannot be read ({name or 'the server itself'}): {wrong}"
            _LOG.error("%s", text)
            self._note(name, trouble=text, seconds=inf)
            return
        with self._lock:
            if self.resting.get(name) is not resting:  # it was reset meanwhile
                space.close()
                return
            self._spaces[name] = space
            self._spaces.move_to_end(name)
            del self.resting[name]
            rested = self._evict(name)
        self._let_go(rested, name)
        for sort in space.state.report()[0]:
            self._make_room_for(sort)

    def _woken(self, resting: Resting) -> LastingSpace:
        state, breathe = self._state(), Slices(READING_S)
        assert resting.space is not None
        try:
            read(state, by_part(self._file.rows(resting.space), breathe), self._kinds, breathe)
            space = self._numbered(resting, state)
            self._put_right(space)
        except BaseException:
            state.leave()
            raise
        self._sweeper.watch(space, state)
        return space


OPEN: Final = frozenset({"/_sandbox/livez", "/_sandbox/readyz", "/_sandbox/version", "/_sandbox/metrics"})
"""Paths that show no workspace's data."""
LOOK_EVERY_S: Final = 0.1
"""How often a failed commit and the waiting answers are checked."""


class EventLoop(Protocol):
    """The server's loop, as it is used here."""

    @property
    def is_own_thread(self) -> bool: ...
    def soon(self, then: Any) -> None: ...
    def later(self, seconds: float, then: Any) -> object: ...


class SavedAnswers:
    """The server's `Saves`: one commit per turn of the loop contains the changes of all its calls."""

    def __init__(self, store: LastingStore) -> None:
        self._store = store
        self._saver = store.saver
        self._is_looking = False

    def begin(self, loop: EventLoop) -> None:
        self._loop = loop
        self._saver.ask = lambda: loop.soon(self._save)
        self._store.may_wait = lambda: not loop.is_own_thread
        loop.soon(self._save)

    def all_of(self, environ: dict[str, Any], then: Told) -> bool:
        """Saves all changes so far, and calls `then` with whether everything that this call's answer shows is saved.

        Gives false if that happens later, on the loop.
        """
        if self._saver.save() or environ["PATH_INFO"] in OPEN:
            then(True)
            return True
        is_known = self._saver.when_saved(environ.get(SHOWN), then)
        if not is_known:
            self._look_later(LOOK_EVERY_S)
        return is_known

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        return environ["PATH_INFO"] in OPEN or self._saver.may_leave(began)

    def _save(self) -> None:
        self._saver.save()
        self._go_on(bool(self._saver.garbage))

    def _look(self) -> None:
        """Retries a failed commit, and deletes rows of removed workspaces."""
        self._is_looking = False
        self._saver.save()
        self._go_on(self._saver.clear())

    def _go_on(self, clears: bool) -> None:
        """Notifies waiting answers, and schedules the next check if one is needed."""
        if self._saver.settle() or self._saver.trouble is not None:
            self._look_later(LOOK_EVERY_S)
        elif self._saver.garbage:  # also if there is no room to delete it now, and no later commit
            self._look_later(CLEAR_EVERY_S if clears else LOOK_EVERY_S)

    def _look_later(self, seconds: float) -> None:
        if not self._is_looking:
            self._is_looking = True
            self._loop.later(seconds, self._look)
