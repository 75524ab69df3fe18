"""The store of one replica of several: a workspace is its own once it has claimed it, while its lease lasts.

What others own is theirs to answer for: whoever asks for it here is told where that is. What nobody owns is claimed by
the first who is asked, and due work in it by the first who looks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, cast

from msgspec import Struct, structs

from mock_server.clock import Clock
from mock_server.domain.faults import PassOn
from mock_server.lasting.batches import DataLost, Resting, Token
from mock_server.lasting.facts import NOT_KNOWN, SharedSpace
from mock_server.lasting.lease import Lease
from mock_server.lasting.postgres import PostgresRows
from mock_server.lasting.saving import Saver
from mock_server.lasting.space import LOST, not_saved
from mock_server.lasting.state import new_shapes
from mock_server.lasting.store import LastingStore
from mock_server.lasting.writer import Writer
from mock_server.store.memory import SERVER, First, MemoryStore
from mock_server.store.protocol import DumpRefused, RecordKind, Space
from mock_server.store.space import MemorySpace
from mock_server.store.state import SpaceState

NO_ADDRESS: Final = "the replica that owns the workspace has no address for other replicas (--advertise)"
KNOWN_S: Final = 0.5
"""So long it is remembered what the database said of a workspace that is not here."""
MOST_KNOWN: Final = 10_000
LOOK_EVERY_MS: Final = 1_000
"""How often is looked for due work in workspaces that nobody owns."""
AT_ONCE: Final = 100
"""So many of them are taken over at once; other replicas look too."""


class Known(Struct, frozen=True):
    """What was found when a workspace was asked for: nothing, another replica's address, or why nobody can tell."""

    url: str | None = None
    trouble: str | None = None
    until: float = 0.0
    """So long (monotonic seconds) it is not asked again."""


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
        self.lease: Lease = lease
        self._merchant_of = merchant_of
        self.owned: dict[str, Token] = {}
        """The workspaces that are this replica's, in memory or not."""
        self._known: dict[str, Known] = {}
        self._to_begin: set[str] = set()
        super().__init__(database, kinds, clock, **options)
        self._shared = shared(self._state())
        self._shared.copies.may_wait = lambda: self.may_wait()
        lease.on_over = self._on_over

    def _saver(self, due: Callable[[Space], int]) -> Saver:
        shapes = new_shapes(self._file, self._kinds)
        return Writer(self._database, self._clock, due, shapes, self.lease, self.lose, self._merchant_of)

    def _begin(self) -> int:
        self.lease.begin()
        return self.lease.start

    # spaces

    def space(self, name: str) -> MemorySpace | None:
        if name == SERVER:
            return self._shared
        self._check_lease()
        return super().space(name)

    def open(self, name: str, first: First) -> MemorySpace:
        if name == SERVER:
            return self._shared
        present = self.space(name)
        if present is None:
            self._own(name)
            present = super().open(name, first)
        return present

    def replace(self, name: str, first: First, dump: Mapping[str, Any] | None = None) -> MemorySpace:
        self._own(name)
        return super().replace(name, first, dump)

    def close(self, name: str) -> bool:
        return self.space(name) is not None and super().close(name)

    def names(self) -> Sequence[str]:
        try:
            found = self._database.names()
        except DataLost as lost:
            raise not_saved(str(lost)) from lost
        elsewhere = (name for name in found if name not in self.owned)
        return [*super(LastingStore, self).names(), *tuple(self.resting), *elsewhere]

    def clear(self, stays: str) -> int:
        self._check()
        try:
            epoch, spaces = self._shared.clear(stays)
            self.saver.garbage.extend(spaces)
            self.lease.await_all(epoch)
        except DataLost as lost:
            raise not_saved(str(lost), NOT_KNOWN) from lost
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
        for name in found:
            self._ask(name)
        return [*names, *(name for name in found if name in self.resting)], min(following, real_now + LOOK_EVERY_MS)

    # whose a workspace is

    def _check_lease(self) -> None:
        if (trouble := self.lease.trouble) is not None:
            raise not_saved(trouble)

    def _rests(self, name: str) -> bool:
        self._check_lease()
        known = self._known.get(name)
        if known is None or known.until <= self._clock.monotonic():
            return name in self.resting or name not in self.owned  # what is owned and does not rest has no rows
        if known.trouble is not None:
            raise not_saved(known.trouble)
        if known.url is not None:
            raise PassOn(known.url)
        return name in self._to_begin

    def _own(self, name: str) -> None:
        """Makes a workspace this replica's, whether there is one or not."""
        self._check_lease()
        if name in self.owned:
            return
        self._to_begin.add(name)
        self._wake(name)
        self._rests(name)
        if name not in self.owned:
            raise not_saved(LOST)

    def _token(self, name: str) -> Token | None:
        token = self.owned.get(name)
        if token is None:
            raise not_saved(LOST)
        return token

    def _found(self, name: str) -> Resting | None:
        return None if MemoryStore.space(self, name) is not None else self._database.find(name)

    def _read(self, name: str) -> None:
        if name not in self.resting:
            self._ask(name)
        if name in self.resting:
            super()._read(name)

    def _ask(self, name: str) -> None:
        """Claims a workspace, or notes what speaks against it."""
        start = self.lease.start
        try:
            found = self._database.claim(name, start, begins=name in self._to_begin)
        except DataLost as lost:
            known = Known(trouble=str(lost))
        else:
            if isinstance(found, Resting):
                with self._lock:
                    if self.lease.start == start and self.lease.trouble is None and found.token is not None:
                        self.owned[name] = found.token
                        self.lease.owned = len(self.owned)
                        self._known.pop(name, None)
                        self._to_begin.discard(name)
                        if found.space is not None:
                            self.resting[name] = found
                return
            known = Known(trouble=NO_ADDRESS) if found == "" else Known(url=found)
        self._to_begin.discard(name)
        self._note(name, known)

    def _note(self, name: str, known: Known) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[name] = structs.replace(known, until=self._clock.monotonic() + KNOWN_S)

    def _note_broken(self, name: str, wrong: Exception) -> None:
        if isinstance(wrong, DataLost):
            self._note(name, Known(trouble=str(wrong)))
        else:
            super()._note_broken(name, wrong)

    def lose(self, names: Collection[str]) -> None:
        """Lets go of workspaces that others own by now; who asks for them next has them read again."""
        with self._lock:
            spaces = [self._spaces.pop(name) for name in names if name in self._spaces]
            for name in names:
                for kept in (self.owned, self.resting, self._broken, self._known):
                    kept.pop(name, None)
            self.lease.owned = len(self.owned)
        for space in spaces:
            space.lose()  # type: ignore[attr-defined]  # all spaces here are lasting ones
            MemoryStore._close(self, space)
            self._on_rest(space.name)

    def _on_over(self) -> None:
        """The lease was over: nothing of what was owned is known any more."""
        self.lose({*self.owned, *super(LastingStore, self).names()})
        cast(Writer, self.saver).forget()
        self._known.clear()

    def _woken(self, resting: Resting) -> Any:
        try:
            return super()._woken(resting)
        except DumpRefused:
            new_shapes(self._file, self._kinds)  # another version may have written since the start
            return super()._woken(resting)
