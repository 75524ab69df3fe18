"""Saving changes: from spaces to one commit, who waits for it, and what happens if it fails.

Commits to a database that replicas share are made in a thread while this replica's lease is valid. Only a call's own
answer waits for the database. Changes during a commit are in the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from math import inf
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Final, NamedTuple

from mock_server.clock import Clock
from mock_server.lasting.batches import Batch, DataLost, Fenced, Resting, Rows, Token, refused_where_lost
from mock_server.lasting.space import LastingSpace
from mock_server.metrics import BOUNDS_S
from mock_server.store.protocol import NEVER
from mock_server.store.space import Space

if TYPE_CHECKING:
    from mock_server.lasting.postgres import Lease


_AGAIN_S: Final = 1.0
"""The time until a failed commit is retried."""
AHEAD: Final = 2_000
"""How many rows of a restored snapshot are saved in one commit."""
LOOK_S: Final = 0.25
"""How soon a caller that waits without a server's loop notices that its wait is over."""
LEAVE_S: Final = 5.0
"""How long a stop waits for a database that does not save what is left (ours)."""
Told = Callable[[bool], object]
"""Called with whether something was saved."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class Waiter(NamedTuple):
    """A callback that waits until a change is saved, in one space or in any."""

    number: int
    era: int
    space: Space | None
    then: Told


class Saver:
    """The commits of one store. `due` gives the real time of a space's next event, `merchant_of` its merchant.

    All spaces are saved together: a commit contains the changes in any of them so far, so one number says how much is
    saved. It is made in the thread that calls `save`. With a lease, each commit checks that this replica owns the
    changed workspaces, and changes that were not saved before the lease expired are dropped.
    """

    def __init__(
        self,
        file: Rows,
        clock: Clock,
        due: Callable[[Space], int],
        shapes: Mapping[int, str],
        garbage: list[int],
        lease: Lease | None = None,
        merchant_of: Callable[[Space], str | None] = lambda space: None,
    ) -> None:
        self.file = file
        self.lease = lease
        self.ask: Callable[[], object] | None = None
        """Requests a call of `save`; without it, waiting callers call `save` themselves."""
        self.took = [0] * (len(BOUNDS_S) + 1)
        """The number of commits that took up to each of `BOUNDS_S`, and of longer ones."""
        self.took_s = 0.0
        self.failed = 0
        self.garbage = garbage
        """The removed spaces whose rows still exist."""
        self._trouble: str | None = None
        self._clock = clock
        self._due = due
        self._merchant_of = merchant_of
        self._shapes = shapes
        """The shapes of records that are not in the file yet."""
        self._queued: dict[LastingSpace, None] = {}
        self._ended: list[Resting] = []
        self._gone: list[int] = []
        self._in_hand: Batch | None = None
        """The batch that is being written, or failed: nothing is written before it."""
        self._waiting: list[Waiter] = []
        """Used only on the loop's thread."""
        self._written = self._durable = self._dropped = self._era = 0
        self._is_asked = self._is_held = self._has_ended = self.has_lost = False
        self._again_at = 0.0
        self._saving = Lock()
        self._queueing = Condition(Lock())

    @property
    def trouble(self) -> str | None:
        return self._trouble if self.lease is None else self.lease.trouble or self._trouble

    # changes

    def queue(self, space: LastingSpace) -> None:
        """Adds a space's changes to the next commit.

        Other threads read `is_queued` without a lock: it is true only when that commit is sure to contain them.
        """
        with self._queueing:
            if space.is_queued:
                return
            self._queued[space] = None
            asks = self._note()
            space.is_queued, space.queued_at = True, self._written
        self.wake(asks)

    def queue_end(self, number: int | None = None, name: str | None = None, token: Token | None = None) -> None:
        """Adds the removal of a space, and of the workspace with a name, to the next commit."""
        with self._queueing:
            if number is not None:
                self._gone.append(number)
            if name is not None:
                self._ended.append(Resting(name, None, None, token))
            asks = self._note()
        self.wake(asks)

    def _note(self) -> bool:
        """Counts a change, with the lock held; gives whether it is the first since the last commit."""
        self._written += 1
        asks, self._is_asked = not self._is_asked, True
        return asks

    def wake(self, asks: bool = True) -> None:
        if asks and (ask := self.ask) is not None:
            ask()

    def is_idle(self) -> bool:
        return not (self._queued or self._ended or self._gone) and self._in_hand is None

    def is_unsaved(self, space: Space | None) -> bool:
        """Whether something of a space is not saved; of any space if it is None."""
        if not isinstance(space, LastingSpace):
            return self._in_hand is not None or bool(self._queued)
        in_hand = self._in_hand
        return space.is_lost or space.is_queued or (in_hand is not None and space.generation in in_hand.rows)

    @property
    def unsaved(self) -> int:
        waiting = 0 if self._in_hand is None else sum(map(len, self._in_hand.rows.values()))
        return waiting + sum(space.unsaved for space in tuple(self._queued))

    # commits

    def save(self) -> bool:
        """Commits all changes so far; gives whether everything is saved."""
        if self.is_idle():
            self._is_asked = False
            return self.trouble is None
        with self._saving:
            if self.trouble is not None and self._clock.monotonic() < self._again_at:
                return False
            for _ in range(2):  # a commit that failed before, and later changes; other threads may continue for long
                if self.is_idle():
                    break
                self._in_hand = self._in_hand or self._cut()
                if not self._is_written(self._in_hand):
                    return False
                self._done(self._in_hand)
            return not self._is_held

    def save_ahead(self, space: LastingSpace) -> None:
        """Saves a space that is not visible yet, in slices. Refused as `not_saved`.

        If the server ends before the workspace has a row, the next start deletes these rows.
        """
        rows = space.changes(is_whole=True) or []
        with refused_where_lost():
            for begin in range(0, len(rows), AHEAD):
                self.file.write(Batch({space.generation: rows[begin : begin + AHEAD]}, [], self._shapes))

    def _cut(self) -> Batch:
        """All changes so far."""
        with self._queueing:
            self._is_asked = False
            spaces, self._queued = tuple(self._queued), {}
            ended, self._ended = self._ended, []
            gone, self._gone = self._gone, []
            number = self._written
        rows, self._is_held = {}, False
        for space in spaces:
            changes = space.changes()
            if space.closed:
                continue
            if changes is None:  # what comes from its first change on does not count as saved yet
                self._is_held, self._queued[space], number = True, None, min(number, space.queued_at - 1)
                continue
            if changes:
                rows[space.generation] = changes
            at = self._due(space)
            due_at = None if at == NEVER else at
            if space.said_due != due_at or self.lease is not None:
                space.said_due = due_at
                ended.append(Resting(space.name, space.generation, due_at, space.token, self._merchant_of(space)))
        return Batch(rows, ended, self._shapes, number, gone)

    def _is_written(self, batch: Batch) -> bool:
        """Writes it, or notes and logs why it cannot be written."""
        began = self._clock.monotonic()
        try:
            self.file.write(batch)
        except DataLost as wrong:
            self._again_at = self._clock.monotonic() + _AGAIN_S
            self.failed += 1
            if self._trouble is None:
                _LOG.error("%s: calls that change data are refused until it can be saved", wrong)
            self._trouble = str(wrong)
            return False
        took = self._clock.monotonic() - began
        self.took_s += took
        self.took[sum(took > bound for bound in BOUNDS_S)] += 1
        self._shapes = {}
        if self._trouble is not None:
            _LOG.warning("%s can be written again; all data is saved", self.file.path)
            self._trouble = None
        return True

    def _done(self, batch: Batch) -> None:
        self.garbage.extend(batch.gone)
        with self._queueing:
            self._in_hand = None
            self._durable = batch.number
            self._queueing.notify_all()

    # waiting

    def when_saved(self, space: Space | None, then: Told) -> bool:
        """Calls `then` with whether everything of a space is saved; gives false if that happens later."""
        if not self.is_unsaved(space):
            then(True)
            return True
        number, in_hand = self._written, self._in_hand
        if in_hand is not None and isinstance(space, LastingSpace) and not space.is_queued:
            number = in_hand.number
        return self._notify(Waiter(number, self._era, space, then))

    def settle(self) -> bool:
        """Notifies the waiting callbacks whose result is known; gives whether others still wait."""
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            self._notify(waiter)
        return bool(self._waiting)

    def _notify(self, waiter: Waiter) -> bool:
        """Notifies a callback if its result is known; otherwise it waits."""
        is_saved = self._durable >= waiter.number or not self.is_unsaved(waiter.space)
        if waiter.era != self._era or (isinstance(waiter.space, LastingSpace) and waiter.space.is_lost):
            waiter.then(False)
        elif is_saved or self.trouble is not None:
            waiter.then(is_saved)
        else:
            self._waiting.append(waiter)
            return False
        return True

    def may_leave(self, began: float) -> bool:
        return self.lease is None or (self.lease.trouble is None and began >= self.lease.since)

    def wait(self, most_s: float = inf) -> bool:
        """Waits until all changes so far are saved; gives false if the time, the store or its lease ends before."""
        number, era, until = self._written, self._era, self._clock.monotonic() + most_s
        while era == self._era and self._clock.monotonic() < until and (self.lease is None or not self.lease.trouble):
            if self._durable >= number or self._has_ended or number <= self._dropped:
                return self._durable >= number
            if self.ask is None:
                self.save()
            with self._queueing:
                self._queueing.wait_for(lambda: self._durable >= number or self._has_ended, LOOK_S)
        return False

    # the end

    def clear(self) -> bool:
        """Deletes some rows of removed spaces; gives whether there are more."""
        if not self.garbage or self.trouble is not None or self._clock.monotonic() < self._again_at:
            return False
        try:
            if not self.file.clear(self.garbage[0]):
                self.garbage.pop(0)
        except DataLost:  # as of a full disk
            self._again_at = self._clock.monotonic() + _AGAIN_S
        return bool(self.garbage)

    def end(self) -> None:
        """Saves what is left, says in `has_lost` whether some could not be, and closes the file; can be repeated."""
        if self._has_ended:
            return
        self._again_at, self.ask = 0.0, None
        self.has_lost = not (self.save() or self.is_idle() or self.wait(0.0 if self.lease is None else LEAVE_S))
        if self.has_lost:
            _LOG.error("%s: %d rows could not be saved", self.trouble or "the server was stopped", self.unsaved)
        with self._queueing:
            self._has_ended = True
            self._queueing.notify_all()
        if self.lease is not None:
            self.lease.end()
        self.file.close()


CLEAR_EVERY_S: Final = 0.02
"""The pause between two slices of deleted rows; calls are served meanwhile."""


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
            self._era, self._dropped = self._era + 1, self._written
            self._queued, self._ended, self._gone, self._in_hand, self._trouble = {}, [], [], None, None
            self._queueing.notify_all()
        self.wake()

    def end(self) -> None:
        super().end()
        if self._thread is not None:
            self._thread.join(_AGAIN_S)

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
                self.wake()

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
            self.wake()
            with self._queueing:
                self._queueing.wait_for(lambda: self._has_ended, _AGAIN_S)

    def _is_in_hand(self, batch: Batch) -> bool:
        return self._in_hand is not None and self._in_hand.number == batch.number and not self._has_ended
