"""One space whose changes are saved: the one in memory, which tells its saver after each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from mock_server.domain.errors import Cause, Refusal
from mock_server.lasting.batches import Row, Token
from mock_server.lasting.state import LastingState
from mock_server.store.protocol import Claim, Transaction
from mock_server.store.space import MemorySpace
from mock_server.store.transaction import MemoryTransaction

T = TypeVar("T")


class SavesSpaces(Protocol):
    """Who saves what changed in spaces."""

    @property
    def trouble(self) -> str | None:
        """Why nothing can be saved right now; None if all is well."""

    def queue(self, space: LastingSpace) -> None:
        """Has a space's changes saved with the next commit."""


class LastingSpace(MemorySpace):
    """A space of a name, whose rows stand under its number.

    While nothing can be saved it is read as before, and what would change it is refused as `not_saved`.
    """

    __slots__ = ("_saver", "_touched", "has_rested", "is_lost", "is_queued", "number", "said_due", "token")

    def __init__(
        self,
        name: str,
        number: int,
        state: LastingState,
        on_drop: Callable[[Mapping[str, int]], object],
        make_room: Callable[[str], object],
        saver: SavesSpaces,
    ) -> None:
        super().__init__(name, number, state, on_drop, make_room)
        self.number = number
        self.said_due: int | None = -1
        """The instant that the workspace's own row has; -1 where it has no row yet."""
        self.is_queued = True
        """Whether it is about to be saved. Nobody saves a space that is not there yet."""
        self.has_rested = False
        """Whether it made room in memory: what is read again is another object."""
        self.is_lost = False
        """Whether another replica may have it by now: nothing of it is shown any more."""
        self.token: Token | None = None
        """By what it is this replica's, where there could be others."""
        self._saver = saver
        self._touched = state.touched

    def changes(self, *, is_whole: bool = False) -> list[Row]:
        """What is to be saved, or all there is of a space that nobody has seen; from now on it counts as saved."""
        state = self._state
        assert isinstance(state, LastingState)
        with self._gate:
            self.is_queued = is_whole
            return [*state.changes(), *(state.metas() if is_whole else ())]

    @property
    def unsaved(self) -> int:
        """How many rows are to be saved."""
        return sum(len(noted.changed) for noted in tuple(self._touched))

    def begin(self) -> None:
        """Says that it is there, and is saved from now on."""
        self.is_queued = False
        if self._touched or self.said_due == -1:
            self._changed()

    def rest(self) -> bool:
        """Ends its time in memory, unless something happens in it right now or is to be saved."""
        with self._gate:
            self.has_rested = not (self._touched or self.is_queued)
        return self.has_rested

    def lose(self) -> None:
        """Says that it is no longer this replica's: what is read again is another object."""
        self.is_lost = self.has_rested = True

    # each of these asks first whether it may change anything, and says afterwards that it did

    def transact(self, work: Callable[[Transaction], T]) -> T:
        if self._saver.trouble is not None:
            return super().transact(lambda tx: self._read_only(work, tx))
        result = super().transact(work)
        if self._touched:
            self._changed()
        return result

    def next(self, stream: str) -> int:
        if self._name:
            number = super().next(stream)
            self._changed()
            return number
        # The numbers of requests: their ids carry the server's start, and each call would be a change.
        with self._gate:
            number = self._state.streams.get(stream, 0)
            dict.__setitem__(self._state.streams, stream, number + 1)
        return number

    def append(self, log: str, value: Any, beside: bytes | None = None, *, lasts: bool = True) -> int:
        if lasts and self._saver.trouble is None:
            number = super().append(log, value, beside)
            self._changed()
            return number
        with self._gate:
            kept = self._state.log(log)
            kept.pass_by(value, beside)  # type: ignore[attr-defined]  # its logs can
            self._waiting.published({log: kept.last})
            number, news = kept.last, self._state.report() if kept.pan.is_heavy else None
        self._waiting.wake((log,))
        if news is not None:
            self._look_after(*news)
        return number

    def amend(self, log: str, sequence: int, value: Any) -> bool:
        return self._done(super().amend(log, sequence, value))

    def drop(self, sort: str, until: int) -> None:
        super().drop(sort, until)
        self._changed()

    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        if (trouble := self._saver.trouble) is not None:
            raise not_saved(trouble)
        return self._done(super().claim(key, owner, digest, now, expires_at))

    def settle_claim(self, key: str, owner: str, answer: Any) -> bool:
        return self._done(super().settle_claim(key, owner, answer))

    def release_claim(self, key: str, owner: str) -> bool:
        return self._done(super().release_claim(key, owner))

    def _done(self, result: T) -> T:
        if self._touched:
            self._changed()
        return result

    def _changed(self) -> None:
        if self.has_rested:
            raise not_saved(LOST if self.is_lost else "the workspace was just unloaded from memory")
        if not self.is_queued:
            self.is_queued = True
            self._saver.queue(self)

    def _read_only(self, work: Callable[[Transaction], T], tx: Transaction) -> T:
        result = work(tx)
        assert isinstance(tx, MemoryTransaction)
        if tx.has_written:
            raise not_saved(self._saver.trouble or "the last write failed")
        return result


NOTHING_CHANGED = "nothing was changed"
LOST = "another replica may have taken the workspace over"


def not_saved(trouble: str, outcome: str = NOTHING_CHANGED) -> Refusal:
    """The refusal of a call whose change cannot be saved."""
    return Refusal(Cause.NOT_SAVED, reason=trouble, outcome=outcome)
