"""Between the store and the server's loop: what changed is saved before an answer leaves, or the answer does not."""

from __future__ import annotations

from typing import Any, Final, Protocol

from mock_server.domain.faults import SHOWN
from mock_server.lasting.saving import Told
from mock_server.lasting.store import LastingStore

OPEN: Final = frozenset({"/_sandbox/livez", "/_sandbox/readyz", "/_sandbox/version", "/_sandbox/metrics"})
"""What tells of the server alone, and of no workspace's state."""
LOOK_EVERY_S: Final = 0.1
"""So often is looked whether what could not be saved can be, and whether it is clear that it will not in time."""
CLEAR_EVERY_S: Final = 0.02
"""While rows of workspaces that are no more are cleared away, calls are served for so long between two slices."""


class EventLoop(Protocol):
    """The loop, as it is asked here."""

    @property
    def is_own_thread(self) -> bool: ...
    def soon(self, then: Any) -> None: ...
    def later(self, seconds: float, then: Any) -> object: ...


class SavedAnswers:
    """The server's `Saves`: one commit a turn of the loop holds whatever its calls changed."""

    def __init__(self, store: LastingStore) -> None:
        self._store = store
        self._saver = store.saver
        self._is_looking = False

    def begin(self, loop: EventLoop) -> None:
        """Learn of the loop on which answers leave."""
        self._loop = loop
        self._saver.ask = lambda: loop.soon(self._save)
        self._store.may_wait = lambda: not loop.is_own_thread
        loop.soon(self._save)

    def all_of(self, environ: dict[str, Any], then: Told) -> bool:
        """Save what changed until now, and tell whether nothing that this call's answer shows is left unsaved.

        False where that is told later, on the loop.
        """
        if self._saver.save() or environ["PATH_INFO"] in OPEN:
            then(True)
            return True
        is_told = self._saver.when_saved(environ.get(SHOWN), then)
        if not is_told:
            self._look_later(LOOK_EVERY_S)
        return is_told

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        """Return whether the answer to a call that began at a monotonic instant may be sent right now."""
        return environ["PATH_INFO"] in OPEN or self._saver.may_leave(began)

    def _save(self) -> None:
        """Saves what nobody's answer waits for."""
        self._saver.save()
        self._go_on(bool(self._saver.garbage))

    def _look(self) -> None:
        """Tries again what could not be saved, and clears away what is no more."""
        self._is_looking = False
        self._saver.save()
        self._go_on(self._saver.clear())

    def _go_on(self, clears: bool) -> None:
        """Tells those who wait what is known by now, and looks again where something is left."""
        if self._saver.settle() or self._saver.trouble is not None:
            self._look_later(LOOK_EVERY_S)
        elif clears:
            self._look_later(CLEAR_EVERY_S)

    def _look_later(self, seconds: float) -> None:
        if not self._is_looking:
            self._is_looking = True
            self._loop.later(seconds, self._look)
