"""Commits to a database that replicas share: in a separate thread, while this replica's lease is valid.

Only a call's own answer waits for the database. Changes during a commit are in the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from threading import Thread
from typing import Final

from mock_server.lasting.batches import Batch, DataLost, Fenced
from mock_server.lasting.saving import AGAIN_S, Saver

CLEAR_EVERY_S: Final = 0.02
"""The pause between two slices of deleted rows."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class Writer(Saver):
    """The commits of one replica's store."""

    lose: Callable[[Collection[str]], object]
    """Called with the names of workspaces that other replicas own now."""
    _thread: Thread | None = None

    def save(self) -> bool:
        """Passes all changes so far to the thread; if it is busy, it requests them later."""
        with self._saving:
            if self._in_hand is None and not self.is_idle():
                batch = self._cut()
                with self._queueing:
                    self._in_hand = batch
                    self._queueing.notify_all()
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="sandbox-writing", daemon=True)
                    self._thread.start()
        return False  # the space of a call may have been lost

    def clear(self) -> bool:
        return False  # the thread does it

    def forget(self) -> None:
        """Drops all unsaved changes after the lease has expired; waiting calls are refused."""
        with self._queueing:
            self._era += 1
            self._queued, self._ended, self._gone, self._in_hand, self._trouble = {}, [], [], None, None
            self._queueing.notify_all()
        self._call()

    def end(self) -> None:
        super().end()
        if self._thread is not None:
            self._thread.join(AGAIN_S)

    def _save_rest(self) -> bool:
        return self.is_idle() or self.wait()

    # the thread

    def _run(self) -> None:
        try:
            self.garbage.extend(self.file.garbage())
        except DataLost as lost:
            _LOG.warning("%s: rows without a workspace stay until the next start", lost)
        while not self._has_ended:
            pause = CLEAR_EVERY_S if self.garbage and self.trouble is None else None
            with self._queueing:
                self._queueing.wait_for(lambda: self._in_hand is not None or self._has_ended, pause)
                batch = self._in_hand
            if batch is None:
                super().clear()
            else:
                self._carry_out(batch)
                self._call()

    def _carry_out(self, batch: Batch) -> None:
        """Writes a batch, with retries, unless the lease ends before."""
        while self._is_in_hand(batch):
            try:
                is_written = self._is_written(batch)
            except Fenced as fenced:
                self.lose(fenced.names)
                batch = batch.without(fenced.names)
                continue
            except Exception:  # waiting calls must get an answer
                _LOG.exception("a commit failed with an internal error")
                is_written, self._trouble = False, "a commit failed with an internal error"
            if is_written:
                with self._saving:
                    if self._is_in_hand(batch):
                        self._done(batch)
                return
            self._call()
            with self._queueing:
                self._queueing.wait_for(lambda: self._has_ended, AGAIN_S)

    def _is_in_hand(self, batch: Batch) -> bool:
        return self._in_hand is not None and self._in_hand.number == batch.number and not self._has_ended
