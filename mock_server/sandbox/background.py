"""What falls due while nobody calls: applied by a thread of the server, which sleeps until then (decisions "Clock")."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Event, Thread
from typing import Final

from mock_server.clock import Clock
from mock_server.sandbox.world import World
from mock_server.store.protocol import NEVER

LONGEST_S: Final = 60.0
"""How long it sleeps at most: the machine's clock may be set meanwhile (ours)."""
LEAVE_S: Final = 1.0
_LOG: Final = logging.getLogger("mock_server.background")


class Background:
    """The due work of all worlds, in one thread between `start` and `stop`."""

    def __init__(self, worlds: Callable[[], Iterable[World]], clock: Clock) -> None:
        self._worlds = worlds
        self._clock = clock
        self._woken = Event()
        self._stopping = False
        self._thread: Thread | None = None

    def run_once(self, now: int) -> int:
        """Applies what is due by a real instant (ms); gives the one of what falls due next, or `NEVER`."""
        return min((_attended(world, now) for world in self._worlds()), default=NEVER)

    def start(self) -> None:
        """Begins to look after the worlds; once is enough."""
        if self._thread is None:
            self._stopping = False
            self._thread = Thread(target=self._run, name="sandbox-background", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ends the thread; what it has in hand it brings to its end."""
        self._stopping = True
        self._woken.set()
        if self._thread is not None:
            self._thread.join(LEAVE_S)
            self._thread = None

    def wake(self) -> None:
        """Something falls due sooner than was known."""
        if self._thread is not None:
            self._woken.set()

    def _run(self) -> None:
        while True:
            # Cleared first: whoever wakes it from here on cuts the next pause short.
            self._woken.clear()
            if self._stopping:
                return
            now = self._clock.now_ms()
            self._woken.wait(_pause_s(self.run_once(now) - now))


def _attended(world: World, now: int) -> int:
    """The real instant of a world's next entry, once what was due is applied; a defect is no other world's trouble."""
    try:
        return world.attend(now)
    except Exception:
        _LOG.exception("what falls due in a world could not be applied")
        return NEVER


def _pause_s(left_ms: int) -> float:
    return min(max(left_ms / 1000, 0.0), LONGEST_S)
