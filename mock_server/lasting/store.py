"""The store whose spaces outlive the process: memory is the cache, the file the truth, and this process its owner.

Spaces note what changes in them, and the saver commits it before anything leaves that shows state. A space that rests
in the file is read when somebody asks for it.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from math import inf
from threading import Lock, Thread
from typing import Any, Final

from mock_server.clock import Clock, Slices, uncollected
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import ComeAgain
from mock_server.lasting.batches import NUMBERS, DataLost, Known, Resting, Rows, Token, not_saved, refused_where_lost
from mock_server.lasting.saving import Saver
from mock_server.lasting.space import LastingSpace
from mock_server.lasting.state import FACT, RECORD, LastingState, by_part, new_shapes, read
from mock_server.store import values
from mock_server.store.memory import SERVER, First, MemoryStore
from mock_server.store.protocol import NEVER, DumpRefused, RecordKind, Space, StateRefused
from mock_server.store.space import MemorySpace

READING_S: Final = 0.02
"""So long is read before a pause, which takes longer than it says; others get their turns in between all the same."""
STARTS: Final = "starts"
"""The counter of the server's own space that says how often a server began with this file."""
KNOWN_S: Final = 0.5
"""So long it is remembered what was found when a space was asked for that is not here."""
MOST_KNOWN: Final = 10_000
_LOG: Final = logging.getLogger("mock_server.lasting")


class LastingStore(MemoryStore):
    """The spaces of one server over a file.

    `kinds` are all kinds of records there may be. `due` gives the real instant of a space's next due work, `put_right`
    ends what was in hand when a space was last saved, `may_rest` says whether a space may leave memory, `on_rest` is
    told which did. The options are those of the store in memory; of its bounds the one on spaces is of memory alone.
    """

    _spaces: OrderedDict[str, Any]
    """Those that last, and where replicas share it the server's own."""

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
        """Whether the present thread may wait until a space is read."""
        self._numbering = Lock()
        self._known: dict[str, Known] = {}
        self._reading: dict[str, Future[None]] = {}
        self.resting = {one.name: one for one in file.workspaces()}
        self._next_number = 1 + max([0, *self.saver.garbage, *(one.space or 0 for one in self.resting.values())])
        self.start = 0
        self.start = self._begin()

    def _saver(self, due: Callable[[Space], int]) -> Saver:
        return Saver(self._file, self._clock, due, new_shapes(self._file, self._kinds), self._file.garbage())

    def _begin(self) -> int:
        """Reads the server's own space, if there is one; gives how many starts there were by now."""
        try:
            return self.open(SERVER, lambda tx: None).transact(lambda tx: tx.add(STARTS))
        except Refusal as refused:
            raise StateRefused(str(refused.values["reason"])) from refused

    # spaces

    def space(self, name: str) -> MemorySpace | None:
        found = super().space(name)
        while found is None and self._rests(name):
            self._wake(name)
            found = super().space(name)
        return found

    def replace(self, name: str, first: First, dump: Mapping[str, Any] | None = None) -> MemorySpace:
        self._check()
        made = super().replace(name, first, dump)
        self._drop_resting(name)
        return made

    def close(self, name: str) -> bool:
        self._check()
        was_here = super().close(name)
        if not (self._drop_resting(name) or was_here):
            return False
        self.saver.queue_end(name=name, token=self._token(name))
        return True

    def _rests(self, name: str) -> bool:
        """Whether there is a space of this name that can be read. Refused or passed on by what is known of it."""
        if (known := self._lately(name)) is not None:
            known.tell()
        return name in self.resting

    def _lately(self, name: str) -> Known | None:
        """What was found, if that was lately."""
        known = self._known.get(name)
        return None if known is None or known.until <= self._clock.monotonic() else known

    def _note(self, name: str, url: str | None = None, trouble: str | None = None, seconds: float = KNOWN_S) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[name] = Known(self._clock.monotonic() + seconds, url, trouble)

    def _token(self, name: str) -> Token | None:
        """By what a workspace is this server's, where others could own it."""
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

    def end(self) -> None:
        """Saves what is left and lets the file go; once is enough."""
        self.saver.end()

    def names(self) -> Sequence[str]:
        return [*super().names(), *(name for name in tuple(self.resting) if name != SERVER)]

    def here(self) -> list[MemorySpace]:
        """The spaces that are in memory."""
        with self._lock:
            return [space for name, space in self._spaces.items() if name != SERVER]

    def due_by(self, real_now: int) -> tuple[list[str], int]:
        """The resting spaces in which something is due by a real instant (ms), and when the next one's turn is."""
        due = [(one.due_at, one.name) for one in tuple(self.resting.values()) if one.due_at is not None and one.name]
        names = [name for at, name in sorted(due) if at <= real_now and self._lately(name) is None]
        return names, min((at for at, _ in due if at > real_now), default=NEVER)

    def _state(self) -> LastingState:
        return LastingState(self._hot, self._bounds, self._max_claims, self._byte_bounds.pans())

    def _space(self, name: str, state: Any) -> MemorySpace:
        with self._numbering:
            start = self.start if self.saver.lease is None else self.saver.lease.start
            number = max(self._next_number, start << NUMBERS)
            self._next_number = number + 1
        return self._numbered(Resting(name, number, -1, self._token(name)), state)

    def _numbered(self, known: Resting, state: LastingState) -> LastingSpace:
        return LastingSpace(known, state, self._on_drop, self._make_room_for, self.saver)

    def _made(self, name: str, first: First, dump: Mapping[str, Any] | None) -> MemorySpace:
        space = super()._made(name, first, dump)
        if dump is not None and isinstance(space, LastingSpace):
            try:
                for kind in self._kinds:
                    space.state.table(kind)
                self.saver.save_ahead(space)
            except BaseException:
                space.state.leave()
                raise
        return space

    def _evict(self, but: str) -> list[MemorySpace]:
        """Begins a new space, with the lock held, and lets the idlest rest in the file: none is evicted for good."""
        self._spaces[but].begin()
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
            self.resting[space.name] = Resting(space.name, space.number, space.said_due, space.token)
            del self._spaces[space.name]
        return rested

    def _let_go(self, evicted: list[MemorySpace], newcomer: str) -> None:
        for space in evicted:
            super()._close(space)
            self._on_rest(space.name)

    def _close(self, space: MemorySpace) -> None:
        """A space that another one replaces, or none: its rows go."""
        super()._close(space)
        self.saver.queue_end(space.generation)

    # reading

    def glance(
        self, name: str, facts: Sequence[str], kinds: Sequence[RecordKind[Any]]
    ) -> tuple[list[Any], list[int]] | None:
        """Some facts of a resting space, and how many records it has of some kinds: nothing else of it is read.

        None where no space of this name rests. Refused as `not_saved`.
        """
        with refused_where_lost():
            if (resting := self._found(name)) is None or resting.space is None:
                return None
            kept = [self._file.value(resting.space, FACT, fact) for fact in facts]
            counts = [self._file.count(resting.space, RECORD + kind.name) for kind in kinds]
        return [None if value is None else values.unpack(value) for value in kept], counts

    def _found(self, name: str) -> Resting | None:
        """Where the rows of a space are that is not in memory."""
        return self.resting.get(name)

    def _wake(self, name: str, *, begins: bool = False) -> None:
        """Has a resting space read, once for all who ask; returns when it is there. Refused as `not_saved`.

        `begins`: whether there shall be one from now on.
        """
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
        self._rests(name)  # or it is said what speaks against it

    def _read_for(self, name: str, ready: Future[None], begins: bool) -> None:
        try:
            self._read(name, begins)
        finally:
            with self._numbering:
                self._reading.pop(name, None)
            ready.set_result(None)

    def _read(self, name: str, begins: bool) -> None:
        """Brings a resting space into memory, in slices, or notes why it cannot be read."""
        if (resting := self.resting.get(name)) is None:
            return
        try:
            with uncollected():
                space = self._woken(resting)
        except DataLost as lost:
            self._note(name, trouble=str(lost))
            return
        except DumpRefused as wrong:
            text = f"{self._file.path} has a workspace that cannot be read: {wrong}"
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
