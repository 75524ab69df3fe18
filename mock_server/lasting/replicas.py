"""The store of one replica of several: a workspace is its own once it has claimed it, while its lease lasts.

What others own is theirs to answer for: whoever asks for it here is told where that is. What nobody owns is claimed by
the first who is asked, and due work in it by the first who looks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from mock_server.clock import Clock
from mock_server.lasting.batches import LOST, NOT_KNOWN, DataLost, Resting, Token, not_saved, refused_where_lost
from mock_server.lasting.facts import SharedSpace
from mock_server.lasting.lease import Lease
from mock_server.lasting.postgres import PostgresRows
from mock_server.lasting.space import LastingSpace
from mock_server.lasting.state import new_shapes
from mock_server.lasting.store import LastingStore
from mock_server.lasting.writer import Writer
from mock_server.store.memory import SERVER, First, MemoryStore
from mock_server.store.protocol import DumpRefused, RecordKind, Space
from mock_server.store.space import MemorySpace
from mock_server.store.state import SpaceState

NO_ADDRESS: Final = "the replica that owns the workspace has no address for other replicas (--advertise)"
LOOK_EVERY_MS: Final = 1_000
"""How often is looked for due work in workspaces that nobody owns."""
AT_ONCE: Final = 100
"""So many of them are taken over at once; other replicas look too."""


class ReplicaStore(LastingStore):
    """The spaces of one replica over a database. `shared` makes the server's own, which no replica owns alone."""

    def __init__(
        self,
        database: PostgresRows,
        lease: Lease,
        kinds: Sequence[RecordKind[Any]],
        clock: Clock,
        shared: Callable[[SpaceState], SharedSpace],
        merchant_of: Callable[[Space], str] = lambda space: "",
        **options: Any,
    ) -> None:
        self._database = database
        self.lease = lease
        self._merchant_of = merchant_of
        self.owned: dict[str, Token] = {}
        """The workspaces that are this replica's, in memory or not."""
        super().__init__(database, kinds, clock, **options)
        self._shared = self._spaces[SERVER] = shared(self._state())
        self._shared.copies.may_wait = lambda: self.may_wait()
        lease.on_over = self._on_over

    def _saver(self, due: Callable[[Space], int]) -> Writer:
        shapes = new_shapes(self._database, self._kinds)
        self._writer = Writer(self._database, self._clock, due, shapes, [], self.lease, self._merchant_of)
        self._writer.lose = self.lose
        return self._writer

    def _begin(self) -> int:
        self.lease.begin()
        return self.lease.start

    # spaces

    def space(self, name: str) -> MemorySpace | None:
        if name != SERVER:
            self._check_lease()
        return super().space(name)

    def open(self, name: str, first: First) -> MemorySpace:
        if self.space(name) is None:
            self._own(name)
        return super().open(name, first)

    def replace(self, name: str, first: First, dump: Mapping[str, Any] | None = None) -> MemorySpace:
        self._own(name)
        return super().replace(name, first, dump)

    def close(self, name: str) -> bool:
        return self.space(name) is not None and super().close(name)

    def names(self) -> Sequence[str]:
        with refused_where_lost():
            found = self._database.names()
        return [*super().names(), *(name for name in found if name not in self.owned)]

    def clear(self, stays: str) -> int:
        self._check()
        with refused_where_lost(NOT_KNOWN):
            epoch, spaces = self._shared.clear(stays)
            self.saver.garbage.extend(spaces)
            self.lease.await_all(epoch)
        return len(spaces)

    def end(self) -> None:
        super().end()
        self._shared.end()

    def due_by(self, real_now: int) -> tuple[list[str], int]:
        names, following = super().due_by(real_now)
        if self.saver.trouble is not None:
            return [], real_now + LOOK_EVERY_MS
        try:
            found = self._database.due(real_now, AT_ONCE)
        except DataLost:
            found = []
        claimed = [name for name in found if self._is_claimed(name)]
        return [*names, *claimed], min(following, real_now + LOOK_EVERY_MS)

    # whose a workspace is

    def _check_lease(self) -> None:
        if (trouble := self.lease.trouble) is not None:
            raise not_saved(trouble)

    def _rests(self, name: str) -> bool:
        self._check_lease()
        if super()._rests(name):
            return True
        return name not in self.owned and self._lately(name) is None  # what is owned and does not rest has no rows

    def _own(self, name: str) -> None:
        """Makes a workspace this replica's, whether there is one or not."""
        self._check_lease()
        while name not in self.owned:
            self._rests(name)  # or it is said what speaks against it
            self._wake(name, begins=True)

    def _token(self, name: str) -> Token:
        token = self.owned.get(name)
        if token is None:
            raise not_saved(LOST)
        return token

    def _found(self, name: str) -> Resting | None:
        return None if MemoryStore.space(self, name) is not None else self._database.find(name)

    def _read(self, name: str, begins: bool) -> None:
        if name in self.resting or self._is_claimed(name, begins=begins):
            super()._read(name, begins)

    def _is_claimed(self, name: str, *, begins: bool = False) -> bool:
        """Claims a workspace, and tells whether it rests; or notes what speaks against it."""
        start = self.lease.start
        try:
            found = self._database.claim(name, start, begins=begins)
        except DataLost as lost:
            self._note(name, trouble=str(lost))
            return False
        if not isinstance(found, Resting):
            self._note(name, url=found or None, trouble=NO_ADDRESS if found == "" else None)
            return False
        with self._lock:
            if self.lease.start != start or self.lease.trouble is not None or found.token is None:
                return False
            if found.space is not None:
                self.resting[name] = found  # first: what is owned and does not rest counts as empty
            self.owned[name] = found.token
            self.lease.owned = len(self.owned)
            self._known.pop(name, None)
        return found.space is not None

    def lose(self, names: Collection[str]) -> None:
        """Lets go of workspaces that others own by now; who asks for them next has them read again."""
        with self._lock:
            spaces: list[LastingSpace] = [self._spaces.pop(name) for name in names if name in self._spaces]
            for name in names:
                for kept in (self.owned, self.resting, self._known):
                    kept.pop(name, None)
            self.lease.owned = len(self.owned)
        for space in spaces:
            space.lose()
            MemoryStore._close(self, space)
            self._on_rest(space.name)

    def _on_over(self) -> None:
        """The lease was over: nothing of what was owned is known any more."""
        self.lose({*self.owned, *super().names()})
        self._writer.forget()
        self._known.clear()

    def _woken(self, resting: Resting) -> LastingSpace:
        try:
            return super()._woken(resting)
        except DumpRefused:
            new_shapes(self._database, self._kinds)  # another version may have written since the start
            return super()._woken(resting)
