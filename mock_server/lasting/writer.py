"""Commits to a database that others write to too: in a thread of its own, only while this replica's lease lasts.

No call waits for the database but its own answer. What changes while a commit is under way goes with the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from threading import Thread
from typing import Final

from mock_server.clock import Clock
from mock_server.lasting.batches import Batch, DataLost, Fenced, Resting
from mock_server.lasting.lease import Lease
from mock_server.lasting.postgres import PostgresRows
from mock_server.lasting.saving import AGAIN_S, Saver, Told
from mock_server.lasting.space import LastingSpace
from mock_server.store.protocol import Space

CLEAR_EVERY_S: Final = 0.02
"""Between two slices of rows that are cleared away."""
LOOK_S: Final = 0.25
"""How soon whoever waits without a server's loop sees that the lease is over."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class Writer(Saver):
    """The commits of one replica's store. `lose` is told the names of workspaces that are others' by now."""

    has_rivals = True

    def __init__(
        self,
        database: PostgresRows,
        clock: Clock,
        due: Callable[[Space], int],
        shapes: Mapping[int, str],
        lease: Lease,
        lose: Callable[[Collection[str]], object],
        merchant_of: Callable[[Space], str],
    ) -> None:
        super().__init__(database, clock, due, shapes, [])
        self._database = database
        self._lease = lease
        self._lose = lose
        self._merchant_of = merchant_of
        self._in_hand: tuple[Batch, int, list[int]] | None = None
        self._waiting: list[tuple[int, Space | None, Told]] = []
        """Who waits on the loop, and for which number; touched there alone."""
        self._given_up = range(0)
        """The numbers of what will never be saved."""
        self._thread: Thread | None = None

    @property
    def trouble(self) -> str | None:
        return self._lease.trouble or self._trouble

    def _resting(self, space: LastingSpace, due: int | None) -> Resting:
        return Resting(space.name, space.number, due, space.token, self._merchant_of(space))

    def save(self) -> bool:
        """Hands what changed until now to the thread, unless that is busy: it asks for more when it is done."""
        with self._saving:
            if self._in_hand is None and not self.is_idle:
                in_hand = self._cut()
                with self._queueing:
                    self._unsaved, self._in_hand = in_hand[0], in_hand
                    self._queueing.notify_all()
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="sandbox-writing", daemon=True)
                    self._thread.start()
        return False  # whose space a call was about may have been lost

    def when_saved(self, space: Space | None, then: Told) -> bool:
        if not self.is_unsaved(space):
            then(True)
        elif self.trouble is not None or _is_lost(space):
            then(False)
        else:
            number, in_hand = self._written, self._in_hand
            if in_hand is not None and isinstance(space, LastingSpace) and not space.is_queued:
                number = in_hand[1]
            self._waiting.append((number, space, then))
            return False
        return True

    def settle(self) -> bool:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            number, space, then = one
            if _is_lost(space) or number in self._given_up:
                then(False)
            elif self._durable >= number:
                then(True)
            elif self.trouble is not None:
                then(False)
            else:
                self._waiting.append(one)
        return bool(self._waiting)

    def may_leave(self, began: float) -> bool:
        return self._lease.trouble is None and began >= self._lease.since

    def wait(self) -> bool:
        start = self._lease.start
        with self._queueing:
            number = self._written
        while not self._has_ended and self._lease.trouble is None and self._lease.start == start:
            if self._durable >= number:
                return True
            if self.ask is None:
                self.save()
            with self._queueing:
                self._queueing.wait_for(lambda: self._durable >= number or self._has_ended, LOOK_S)
        return False

    def clear(self) -> bool:
        return False  # the thread does it

    def forget(self) -> None:
        """Forgets all that is unsaved: the lease was over, and whoever waits for it is refused."""
        with self._queueing:
            self._given_up = range(self._durable + 1, self._written + 1)
            self._queued, self._ended, self._gone, self._in_hand = {}, [], [], None
            self._unsaved = self._trouble = None
            self._queueing.notify_all()
        if self.ask is not None:
            self.ask()

    def end(self) -> None:
        if self._has_ended:
            return
        self.ask = None
        if not self.is_idle and not self.wait():
            _LOG.error("%s: %d rows could not be saved", self.trouble, self.unsaved)
        with self._queueing:
            self._has_ended = True
            self._queueing.notify_all()
        self._lease.end()
        self.file.close()
        if self._thread is not None:
            self._thread.join(AGAIN_S)

    # the thread

    def _run(self) -> None:
        try:
            self.garbage.extend(self._database.garbage())
        except DataLost as lost:
            _LOG.warning("%s: rows without a workspace stay until the next start", lost)
        while not self._has_ended:
            pause = CLEAR_EVERY_S if self.garbage and self.trouble is None else None
            with self._queueing:
                self._queueing.wait_for(lambda: self._in_hand is not None or self._has_ended, pause)
                in_hand = self._in_hand
            if in_hand is None:
                super().clear()
            else:
                self._carry_out(*in_hand)
                if (ask := self.ask) is not None:
                    ask()

    def _carry_out(self, batch: Batch, cut: int, gone: list[int]) -> None:
        """Writes what is in hand, as often as it takes, unless the lease ends before."""
        while self._is_in_hand(cut):
            try:
                is_written = self._is_written(batch)
            except Fenced as fenced:
                self._lose(fenced.names)
                batch = batch.without(fenced.names)
                continue
            except Exception:  # whoever waits must be told
                _LOG.exception("a commit failed with an internal error")
                is_written, self._trouble = False, "a commit failed with an internal error"
            if is_written:
                with self._saving:
                    if self._is_in_hand(cut):
                        self._in_hand = None
                        self._done(cut, gone)
                return
            if (ask := self.ask) is not None:
                ask()
            with self._queueing:
                self._queueing.wait_for(lambda: self._has_ended, AGAIN_S)

    def _is_in_hand(self, cut: int) -> bool:
        return self._in_hand is not None and self._in_hand[1] == cut and not self._has_ended


def _is_lost(space: Space | None) -> bool:
    return isinstance(space, LastingSpace) and space.is_lost
