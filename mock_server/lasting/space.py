"""One space whose changes are saved: the one in memory, which tells its saver after each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar
from weakref import ref

from mock_server.lasting.batches import LOST, Resting, Row, not_saved
from mock_server.lasting.state import LastingState
from mock_server.store.protocol import Claim, Transaction
from mock_server.store.space import Gate, MemorySpace
from mock_server.store.transaction import MemoryTransaction

T = TypeVar("T")


class SavesSpaces(Protocol):
    """Who saves what changed in spaces."""

    @property
    def trouble(self) -> str | None:
        """Why nothing can be saved right now; None if all is well."""

    def queue(self, space: LastingSpace) -> None:
        """Has a space's changes saved with the next commit."""


class SavingGate(Gate):
    """A gate that has what changed saved before it is left: whoever comes next finds it noted as unsaved."""

    __slots__ = ("_space", "_touched")

    def __init__(self, space: LastingSpace, touched: dict[str, Any]) -> None:
        super().__init__()
        self._space = ref(space)  # no circle: a space goes with the last who uses it
        self._touched = touched

    def __exit__(self, *raised: object) -> None:
        try:
            if self._touched and (space := self._space()) is not None:
                if raised[0] is None:
                    space.changed()
                elif not space.is_queued:
                    self._touched.clear()  # all was taken back
        finally:
            self._owner = 0  # as the gate itself does, without a call
            self._lock.release()


class LastingSpace(MemorySpace):
    """A space of a name, whose rows stand under its number.

    While nothing can be saved it is read as before, and what would change it is refused as `not_saved`.
    """

    __slots__ = ("_saver", "_touched", "has_rested", "is_lost", "is_queued", "number", "said_due", "token")

    def __init__(
        self,
        known: Resting,
        state: LastingState,
        on_drop: Callable[[Mapping[str, int]], object],
        make_room: Callable[[str], object],
        saver: SavesSpaces,
    ) -> None:
        assert known.space is not None
        super().__init__(known.name, known.space, state, on_drop, make_room)
        self.number = known.space
        self.said_due = known.due_at
        """The instant that the workspace's own row has; -1 where it has no row yet."""
        self.token = known.token
        """By what it is this replica's, where there could be others."""
        self.is_queued = True
        """Whether it is about to be saved. Nobody saves a space that is not there yet."""
        self.has_rested = False
        """Whether it made room in memory: what is read again is another object."""
        self.is_lost = False
        """Whether another replica may have it by now: nothing of it is shown any more."""
        self._saver = saver
        self._touched = state.touched
        self._gate = SavingGate(self, state.touched)

    def changes(self, *, is_whole: bool = False) -> list[Row]:
        """What is to be saved, or all there is of a space that nobody has seen; from now on it counts as saved."""
        state = self._state
        assert isinstance(state, LastingState)
        with self._gate:
            self.is_queued = is_whole
            return state.changes(is_whole=is_whole)

    @property
    def unsaved(self) -> int:
        """How many rows are to be saved."""
        return sum(len(noted.changed) for noted in tuple(self._touched.values()))

    def begin(self) -> None:
        """Says that it is there, and is saved from now on."""
        self.is_queued = False
        if self._touched or self.said_due == -1:
            self.changed()

    def rest(self) -> bool:
        """Ends its time in memory, unless something happens in it right now or is to be saved."""
        with self._gate:
            self.has_rested = not (self._touched or self.is_queued)
        return self.has_rested

    def lose(self) -> None:
        """Says that it is no longer this replica's: what is read again is another object."""
        self.is_lost, self.has_rested, self.is_queued = True, True, False
        self._touched.clear()

    def changed(self) -> None:
        """Has what changed saved. Refused as `not_saved` where this space is not the one that is read again."""
        if self.has_rested:
            self._touched.clear()
            raise not_saved(LOST if self.is_lost else "the workspace was just unloaded from memory")
        if not self.is_queued:
            self._saver.queue(self)

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False) -> T:
        if self._saver.trouble is not None and not ends:
            return super().transact(lambda tx: self._read_only(work, tx))
        return super().transact(work)

    def next(self, stream: str) -> int:
        if self._name:
            return super().next(stream)
        # The numbers of requests: their ids carry the server's start, and each call would be a change.
        with self._gate:
            number = self._state.streams.get(stream, 0)
            dict.__setitem__(self._state.streams, stream, number + 1)
        return number

    def append(self, log: str, value: Any, beside: bytes | None = None, *, lasts: bool = True) -> int:
        return super().append(log, value, beside, lasts=lasts and self._saver.trouble is None)

    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        if (trouble := self._saver.trouble) is not None:
            raise not_saved(trouble)
        return super().claim(key, owner, digest, now, expires_at)

    def _read_only(self, work: Callable[[Transaction], T], tx: Transaction) -> T:
        result = work(tx)
        assert isinstance(tx, MemoryTransaction)
        if tx.has_written:
            raise not_saved(self._saver.trouble or "the last write failed")
        return result
