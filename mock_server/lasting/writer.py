"""Commits to a database that others write to too: in a thread of its own, only while this replica's lease lasts.

No call waits for the database but its own answer. What changes while a commit is under way goes with the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from threading import Thread
from typing import Final

from mock_server.lasting.batches import Batch, DataLost, Fenced
from mock_server.lasting.saving import AGAIN_S, Saver

CLEAR_EVERY_S: Final = 0.02
"""Between two slices of rows that are cleared away."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class Writer(Saver):
    """The commits of one replica's store."""

    lose: Callable[[Collection[str]], object]
    """Is told the names of workspaces that are others' by now."""
    _thread: Thread | None = None

    def save(self) -> bool:
        """Hands what changed until now to the thread, unless that is busy: it asks for more when it is done."""
        with self._saving:
            if self._in_hand is None and not self.is_idle():
                batch = self._cut()
                with self._queueing:
                    self._in_hand = batch
                    self._queueing.notify_all()
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="sandbox-writing", daemon=True)
                    self._thread.start()
        return False  # whose space a call was about may have been lost

    def clear(self) -> bool:
        return False  # the thread does it

    def forget(self) -> None:
        """Forgets all that is unsaved: the lease was over, and whoever waits for it is refused."""
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
        """Writes what is in hand, as often as it takes, unless the lease ends before."""
        while self._is_in_hand(batch):
            try:
                is_written = self._is_written(batch)
            except Fenced as fenced:
                self.lose(fenced.names)
                batch = batch.without(fenced.names)
                continue
            except Exception:  # whoever waits must be told
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
