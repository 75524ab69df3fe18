"""One space in memory whose changes are saved: it notifies its saver after each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import local
from typing import Any, Final, Protocol, Self, TypeVar
from weakref import WeakSet, ref

from mock_server.lasting.batches import LOST, Resting, Row, not_saved
from mock_server.lasting.state import FACT, LastingState, Noted
from mock_server.store.protocol import Claim
from mock_server.store.space import Gate, Space
from mock_server.store.transaction import Transaction

T = TypeVar("T")
NO_ROW: Final = -1
"""Instead of the time in a workspace's row: it has no row yet."""


class SavesSpaces(Protocol):
    """Saves the changes of spaces, as `Saver` does."""

    @property
    def trouble(self) -> str | None:
        """Why nothing can be saved at present, or None."""

    def queue(self, space: LastingSpace) -> None: ...
    def wake(self) -> None:
        """Requests a commit."""


class Use:
    """What one call uses. While it exists, its spaces stay in memory: until the answer was sent, or its client left.

    Within it, what the thread changes is saved together if it `is_one`: all of it, or nothing.
    """

    def __init__(self, *, is_one: bool) -> None:
        self.is_one = is_one
        self.written = set[LastingSpace]()

    def takes(self, space: LastingSpace) -> bool:
        """Notes that it uses a space; gives false if it was just unloaded, and has to be looked for again."""
        space.uses.add(self)
        return not space.has_rested or space.is_lost

    def __enter__(self) -> Self:
        PRESENT.use = self
        return self

    def __exit__(self, *_: object) -> None:
        PRESENT.use = None
        for space in self.written:
            with space._gate:
                space._unfinished.discard(self)
            if space._is_held:
                space._saver.wake()


class Present(local):
    """The use that each thread is within."""

    use: Use | None = None


PRESENT: Final = Present()


class SavingGate(Gate):
    """A gate that queues the changes before it is left, so that the next thread finds them noted as unsaved."""

    __slots__ = ("_space", "_touched")

    def __init__(self, space: LastingSpace, touched: dict[str, Any]) -> None:
        super().__init__()
        self._space = ref(space)  # no cycle: a space is freed with its last user
        self._touched = touched

    def __exit__(self, *raised: object) -> None:
        try:
            if self._touched and (space := self._space()) is not None:
                if raised[0] is None:
                    space.changed()
                elif not space.is_queued:
                    self._touched.clear()  # everything was rolled back
        finally:
            self.owner = 0  # as the gate itself does, without a call
            self._lock.release()


class LastingSpace(Space):
    """A space whose rows have the number of its generation.

    While nothing can be saved, it can be read, and changes are refused as `not_saved`.
    """

    __slots__ = ("_before", "_beginning", "_is_held", "_saver", "_touched", "_unfinished", "has_rested", "is_lost",
                 "is_queued", "queued_at", "said_due", "token", "uses")  # fmt: skip

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
        self.said_due = known.due_at
        """The time in the workspace's row, or `NO_ROW`."""
        self.token = known.token
        """The proof of ownership, with replicas."""
        self.is_queued = True
        """Whether it is about to be saved; true before `begin`, so that it is not saved before it is visible."""
        self.queued_at = 0
        """The number of its first unsaved change."""
        self.has_rested = False
        """Whether it was unloaded from memory: it will be loaded as another object."""
        self.is_lost = False
        """Whether another replica may own it now: nothing of it is shown any more."""
        self._saver = saver
        self.uses = WeakSet[Use]()
        self._unfinished = set[Use]()
        """Those that have changed something of it, and go on."""
        self._is_held = False
        self._touched = state.touched
        self._beginning: Noted[Any, Any] | None = None
        """The facts of a new space, which are saved with its first change."""
        self._before: Callable[[], object] | None = None
        self._gate = SavingGate(self, state.touched)

    def changes(self, *, is_whole: bool = False) -> list[Row] | None:
        """The unsaved rows, or all rows of a space that is not visible yet; from now on they count as saved.

        None while a call has done only a part of what is saved as one.
        """
        state = self.state
        assert isinstance(state, LastingState)
        with self._gate:
            self._is_held = bool(self._unfinished)
            if self._is_held:
                return None
            self.is_queued = is_whole
            return state.changes(is_whole=is_whole)

    @property
    def unsaved(self) -> int:
        return sum(len(noted.changed) for noted in tuple(self._touched.values()))

    def begin(self, *, waits: bool) -> None:
        """Notes that it is visible, and is saved from now on; if it `waits` and has only facts, from a change on."""
        self.is_queued = False
        if waits and self.said_due == NO_ROW and self._touched.keys() == {FACT}:
            self._beginning = self._touched.pop(FACT)
        elif self._touched or self.said_due == NO_ROW:
            self.changed()

    def on_first_change(self, then: Callable[[], object]) -> bool:
        with self._gate:
            if self._beginning is not None:
                self._before = then
                return False
        return super().on_first_change(then)

    def rest(self) -> bool:
        """Notes that it is unloaded from memory, unless it is in use or has unsaved changes."""
        with self._gate:
            self.has_rested = True  # first: whoever begins to use it after the next look sees it
            self.has_rested = not (self._touched or self.is_queued or self.uses)
            return self.has_rested

    def lose(self) -> None:
        """Notes that this replica does not own it any more."""
        self.is_lost, self.has_rested, self.is_queued = True, True, False
        self._touched.clear()

    def changed(self) -> None:
        """Queues the changes. Refused as `not_saved` if the space was unloaded or lost meanwhile."""
        if self.has_rested:
            self._touched.clear()
            raise not_saved(LOST if self.is_lost else "the workspace was just unloaded from memory")
        if self._beginning is not None:
            self._touched[FACT], self._beginning = self._beginning, None
            if (before := self._before) is not None:
                self._before = None
                before()  # it is saved in an earlier commit or in the same one
        if not self.is_queued:
            self._saver.queue(self)

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False, apart: bool = False) -> T:
        trouble = None if ends else self._saver.trouble

        def watched(tx: Transaction) -> T:
            result = work(tx)
            if trouble is not None and tx.has_written:
                raise not_saved(trouble)
            if not apart and tx.has_written:
                self._join()
            return result

        return super().transact(watched, ends=ends, apart=apart)

    def _join(self) -> None:
        """Notes that the call has changed something, and goes on."""
        if (use := PRESENT.use) is not None and use.is_one:
            self._unfinished.add(use)
            use.written.add(self)

    def append(self, log: str, value: Any, beside: bytes | None = None, *, lasts: bool = True) -> int:
        if lasts:
            self._join()
        return super().append(log, value, beside, lasts=lasts and self._saver.trouble is None)

    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        if (trouble := self._saver.trouble) is not None:
            raise not_saved(trouble)
        return super().claim(key, owner, digest, now, expires_at)
