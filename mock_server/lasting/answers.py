"""Between the store and the server's loop: an answer is sent only after the data that it shows is saved."""

from __future__ import annotations

from typing import Any, Final, Protocol

from mock_server.domain.faults import SHOWN
from mock_server.lasting.saving import Told
from mock_server.lasting.store import LastingStore

OPEN: Final = frozenset({"/_sandbox/livez", "/_sandbox/readyz", "/_sandbox/version", "/_sandbox/metrics"})
"""Paths that show no workspace's data."""
LOOK_EVERY_S: Final = 0.1
"""How often a failed commit and the waiting answers are checked."""
CLEAR_EVERY_S: Final = 0.02
"""The pause between two slices while rows of removed workspaces are deleted; calls are served meanwhile."""


class EventLoop(Protocol):
    """The server's loop, as it is used here."""

    @property
    def is_own_thread(self) -> bool: ...
    def soon(self, then: Any) -> None: ...
    def later(self, seconds: float, then: Any) -> object: ...


class SavedAnswers:
    """The server's `Saves`: one commit per turn of the loop contains the changes of all its calls."""

    def __init__(self, store: LastingStore) -> None:
        self._store = store
        self._saver = store.saver
        self._is_looking = False

    def begin(self, loop: EventLoop) -> None:
        self._loop = loop
        self._saver.ask = lambda: loop.soon(self._save)
        self._store.may_wait = lambda: not loop.is_own_thread
        loop.soon(self._save)

    def all_of(self, environ: dict[str, Any], then: Told) -> bool:
        """Saves all changes so far, and calls `then` with whether everything that this call's answer shows is saved.

        Gives false if that happens later, on the loop.
        """
        if self._saver.save() or environ["PATH_INFO"] in OPEN:
            then(True)
            return True
        is_known = self._saver.when_saved(environ.get(SHOWN), then)
        if not is_known:
            self._look_later(LOOK_EVERY_S)
        return is_known

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        return environ["PATH_INFO"] in OPEN or self._saver.may_leave(began)

    def _save(self) -> None:
        self._saver.save()
        self._go_on(bool(self._saver.garbage))

    def _look(self) -> None:
        """Retries a failed commit, and deletes rows of removed workspaces."""
        self._is_looking = False
        self._saver.save()
        self._go_on(self._saver.clear())

    def _go_on(self, clears: bool) -> None:
        """Notifies waiting answers, and schedules the next check if one is needed."""
        if self._saver.settle() or self._saver.trouble is not None:
            self._look_later(LOOK_EVERY_S)
        elif clears:
            self._look_later(CLEAR_EVERY_S)

    def _look_later(self, seconds: float) -> None:
        if not self._is_looking:
            self._is_looking = True
            self._loop.later(seconds, self._look)
