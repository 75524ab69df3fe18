"""The store of one of several replicas: it owns the workspaces that it has claimed, while its lease is valid.

Calls for workspaces of other replicas are passed on to them. A workspace without an owner is claimed by the first
replica that gets a call for it, or that finds a due event in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from mock_server.clock import Clock
from mock_server.lasting.batches import LOST, NOT_KNOWN, DataLost, Resting, Token, not_saved, refused_where_lost
from mock_server.lasting.facts import SharedSpace
from mock_server.lasting.postgres import Lease, PostgresRows
from mock_server.lasting.saving import Writer
from mock_server.lasting.space import LastingSpace
from mock_server.lasting.state import new_shapes
from mock_server.lasting.store import LastingStore
from mock_server.store.memory import SERVER, First, Store
from mock_server.store.protocol import DumpRefused, RecordKind
from mock_server.store.space import Space
from mock_server.store.state import SpaceState

NO_ADDRESS: Final = "the replica that owns the workspace has no address for other replicas (--advertise)"
LOOK_EVERY_MS: Final = 1_000
"""How often workspaces without an owner are searched for due events."""
AT_ONCE: Final = 100
"""How many of them are claimed at once; other replicas claim some too."""


class ReplicaStore(LastingStore):
    """The spaces of one replica over a database. `shared` creates the server's own space, which all replicas share."""

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
        """The workspaces of this replica, in memory or not."""
        super().__init__(database, kinds, clock, **options)
        self._shared = self._spaces[SERVER] = shared(self._state())
        self._shared.copies.may_wait = lambda: self.may_wait()
        self.secret = self._shared.secret()
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

    def space(self, name: str) -> Space | None:
        if name != SERVER:
            self._check_lease()
        return super().space(name)

    def open(self, name: str, first: First) -> Space:
        if self.space(name) is None:
            self._own(name)
        return super().open(name, first)

    def replace(self, name: str, first: First, dump: Mapping[str, Any] | None = None) -> Space:
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

    # ownership

    def _check_lease(self) -> None:
        if (trouble := self.lease.trouble) is not None:
            raise not_saved(trouble)

    def _rests(self, name: str) -> bool:
        self._check_lease()
        if super()._rests(name):
            return True
        return name not in self.owned and self._lately(name) is None  # an owned one that does not rest has no rows

    def _own(self, name: str) -> None:
        """Claims a workspace, which need not exist."""
        self._check_lease()
        while name not in self.owned:
            self._rests(name)  # or the call is refused or passed on
            self._wake(name, begins=True)

    def _token(self, name: str) -> Token:
        token = self.owned.get(name)
        if token is None:
            raise not_saved(LOST)
        return token

    def _found(self, name: str) -> Resting | None:
        return None if Store.space(self, name) is not None else self._database.find(name)

    def _read(self, name: str, begins: bool) -> None:
        if name in self.resting or self._is_claimed(name, begins=begins):
            super()._read(name, begins)

    def _is_claimed(self, name: str, *, begins: bool = False) -> bool:
        """Claims a workspace, and gives whether it has rows; or notes why it cannot be claimed."""
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
                self.resting[name] = found  # first, because an owned one that does not rest counts as empty
            self.owned[name] = found.token
            self.lease.owned = len(self.owned)
            self._known.pop(name, None)
        return found.space is not None

    def lose(self, names: Collection[str]) -> None:
        """Drops workspaces that other replicas own now; the next call for them loads them again."""
        with self._lock:
            spaces: list[LastingSpace] = [self._spaces.pop(name) for name in names if name in self._spaces]
            for name in names:
                for kept in (self.owned, self.resting, self._known):
                    kept.pop(name, None)
            self.lease.owned = len(self.owned)
        for space in spaces:
            space.lose()
            Store._close(self, space)
            self._on_rest(space.name)

    def _on_over(self) -> None:
        """Drops everything after the lease has expired."""
        self.lose({*self.owned, *super().names()})
        self._writer.forget()
        self._known.clear()

    def _woken(self, resting: Resting) -> LastingSpace:
        try:
            return super()._woken(resting)
        except DumpRefused:
            new_shapes(self._database, self._kinds)  # another version may have written since then
            return super()._woken(resting)
