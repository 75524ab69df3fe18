"""Between the store and the server's loop: what changed is saved before an answer leaves, or the answer does not."""

from __future__ import annotations

from typing import Any, Final, Protocol

from mock_server.domain.faults import SHOWN
from mock_server.lasting.saving import AGAIN_S, Told
from mock_server.lasting.store import LastingStore

OPEN: Final = frozenset({"/_sandbox/livez", "/_sandbox/readyz", "/_sandbox/version", "/_sandbox/metrics"})
"""What tells of the server alone, and of no workspace's state."""
LOOK_EVERY_S: Final = 0.1
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
        self._is_waiting = self._is_clearing = self._is_looking = False

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
        if not is_told and not self._is_looking:
            self._is_looking = True
            self._loop.later(LOOK_EVERY_S, self._look)
        return is_told

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        """Return whether the answer to a call that began at a monotonic instant may be sent right now."""
        return environ["PATH_INFO"] in OPEN or self._saver.may_leave(began)

    def _save(self) -> None:
        """Saves what nobody's answer waits for, tries again what failed, and clears away what is no more."""
        self._saver.settle()
        if not self._saver.save() and self._saver.trouble is not None and not self._is_waiting:
            self._is_waiting = True
            self._loop.later(AGAIN_S, self._try_again)
        elif self._saver.garbage and not self._is_clearing:
            self._is_clearing = True
            self._loop.later(CLEAR_EVERY_S, self._clear)

    def _try_again(self) -> None:
        self._is_waiting = False
        self._save()

    def _look(self) -> None:
        """Tells those who wait for a database that does not answer, once it is clear that it will not in time."""
        self._is_looking = self._saver.settle()
        if self._is_looking:
            self._loop.later(LOOK_EVERY_S, self._look)

    def _clear(self) -> None:
        self._is_clearing = False
        if self._saver.clear():
            self._save()
