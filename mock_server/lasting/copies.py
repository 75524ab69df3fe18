"""Copies of values in a database to which others write: they are read again after a second."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Any, Final

from msgspec import Struct

from mock_server.clock import Clock
from mock_server.domain.faults import ComeAgain
from mock_server.lasting.batches import DataLost, not_saved

Name = tuple[str, str]
"""The kind of value, and its name."""

FRESH_S: Final = 1.0
"""The maximum age of a copy: another replica can accept a revoked key for this time."""
ROUND_S: Final = 0.4
"""How often copies that are in use are read again, so that no call has to wait for them."""
IN_USE_S: Final = 5.0
MOST: Final = 10_000


class Copy(Struct):
    """A value, and when it was requested and last used (s, monotonic)."""

    value: Any
    read_at: float
    used_at: float


class Copies:
    """Copies by their names; `read` gives the values of those that exist, and possibly more. Raises DataLost."""

    def __init__(self, read: Callable[[Collection[Name]], Mapping[Name, Any]], clock: Clock) -> None:
        self.may_wait: Callable[[], bool] = lambda: True
        """Whether the current thread may wait for the database."""
        self.trouble: str | None = None
        """Why the last read failed, or None."""
        self._read = read
        self._clock = clock
        self._kept: dict[Name, Copy] = {}
        self._asked: dict[Name, None] = {}
        self._ready: Future[None] = Future()
        self._changed = Condition()
        self._is_reading = self._has_ended = False
        self._written = 0

    def get(self, name: Name, *, late: bool = False) -> Any:
        """The value, or None. Refused as `not_saved`.

        `late`: in the middle of a call, which cannot be repeated; then the copy can be older.
        """
        now, copy = self._clock.monotonic(), self._kept.get(name)
        if copy is not None and (late or now - copy.read_at <= FRESH_S):
            copy.used_at = now
            return copy.value
        if late or self.may_wait():
            try:
                return self._refresh((name,)).get(name)
            except DataLost as wrong:
                raise not_saved(str(wrong)) from wrong
        ready = self._ask(name)
        if self.trouble is not None:
            raise not_saved(self.trouble)
        raise ComeAgain(ready)

    def forget(self) -> None:
        """Drops all copies, and what is being read, after a write by this replica."""
        self._written += 1
        self._kept.clear()

    def end(self) -> None:
        """Stops reading."""
        with self._changed:
            self._has_ended = True
            self._changed.notify()

    def _ask(self, name: Name) -> Future[None]:
        with self._changed:
            self._asked[name] = None
            if not self._is_reading:
                self._is_reading = True
                Thread(target=self._keep_reading, name="sandbox-facts", daemon=True).start()
            self._changed.notify()
            return self._ready

    def _keep_reading(self) -> None:
        """Reads what is requested, and regularly what is in use, until nothing is."""
        while True:
            with self._changed:
                if not self._asked:
                    self._changed.wait(ROUND_S)
                since = self._clock.monotonic() - IN_USE_S
                asked, self._asked = self._asked, {}
                names = asked | {name: None for name, copy in [*self._kept.items()] if copy.used_at >= since}
                ready, self._ready = self._ready, Future()
                if self._has_ended or not names:
                    self._is_reading, self.trouble = False, None
                    ready.set_result(None)
                    return
            try:
                self._refresh(names)
            except DataLost as wrong:
                self.trouble = str(wrong)
            else:
                self.trouble = None
            ready.set_result(None)

    def _refresh(self, names: Collection[Name]) -> Mapping[Name, Any]:
        now, written = self._clock.monotonic(), self._written
        found = self._read(names)
        for name in (*names, *found) if written == self._written else ():
            before = self._kept.pop(name, None)
            self._kept[name] = Copy(found.get(name), now, now if before is None else before.used_at)
        while len(self._kept) > MOST:
            self._kept.pop(next(iter(self._kept)), None)
        return found
