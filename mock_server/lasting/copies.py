"""Copies of what is in a database that others write too: read again when they are a second old."""

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
"""What sort it is, and which one."""

FRESH_S: Final = 1.0
"""No copy is used that is older: so long a key that was revoked may go on opening its workspace at another replica."""
ROUND_S: Final = 0.4
"""How often copies that are in use are read again, so that nobody has to wait for them."""
IN_USE_S: Final = 5.0
MOST: Final = 10_000


class Copy(Struct):
    """A value that was asked for at one instant (s, monotonic), and when it was last used."""

    value: Any
    read_at: float
    used_at: float


class Copies:
    """Copies by their names; `read` gives the values of those that there are, and may give more. Raises DataLost."""

    def __init__(self, read: Callable[[Collection[Name]], Mapping[Name, Any]], clock: Clock) -> None:
        self.may_wait: Callable[[], bool] = lambda: True
        """Whether the present thread may wait for the database."""
        self.trouble: str | None = None
        """Why the last reading failed; None if it did not."""
        self._read = read
        self._clock = clock
        self._kept: dict[Name, Copy] = {}
        self._asked: dict[Name, None] = {}
        self._ready: Future[None] = Future()
        self._changed = Condition()
        self._is_reading = self._has_ended = False
        self._written = 0

    def get(self, name: Name, *, late: bool = False) -> Any:
        """The value, None if there is none. Refused as `not_saved`.

        `late`: in the middle of a call, which cannot be made again; then it is what the call found when it began.
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
        """Lets all of them go, and what is being read: something was written here."""
        self._written += 1
        self._kept.clear()

    def end(self) -> None:
        """Reads nothing again from now on."""
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
        """Reads what is asked for, and from time to time what is in use, until nothing is."""
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
