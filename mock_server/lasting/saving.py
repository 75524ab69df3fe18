"""Saving what changed: from spaces to one commit, who waits for it, and what happens where it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from threading import Condition, Lock
from typing import Final

from mock_server.clock import Clock
from mock_server.lasting.batches import Batch, DataLost, Resting, Rows, Token, joined
from mock_server.lasting.space import LastingSpace
from mock_server.metrics import BOUNDS_S
from mock_server.store.protocol import NEVER, Space

AGAIN_S: Final = 1.0
"""How long after a failed commit it is tried again."""
Told = Callable[[bool], object]
"""Is told whether something was saved."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class Saver:
    """The commits of one store. `due` gives the real instant of a space's next due work.

    All spaces are saved together: a commit holds what changed in any of them until it began, so one number says how
    far all of it is saved. Here it is made by whoever calls `save`.
    """

    has_rivals = False
    """Whether others could own a workspace too, so that each commit says of all that it changes whose they are."""

    def __init__(
        self,
        file: Rows,
        clock: Clock,
        due: Callable[[Space], int],
        shapes: Mapping[int, str],
        garbage: list[int],
    ) -> None:
        self.file = file
        self.ask: Callable[[], object] | None = None
        """Has `save` called soon; without it whoever waits calls it."""
        self.took = [0] * (len(BOUNDS_S) + 1)
        """How many commits took up to each of `BOUNDS_S`, and how many longer."""
        self.took_s = 0.0
        self.failed = 0
        self.garbage = garbage
        """The spaces that are no more, and whose rows are still there."""
        self._trouble: str | None = None
        self._clock = clock
        self._due = due
        self._shapes = shapes
        """How records are written, for those that the file does not know yet."""
        self._queued: dict[LastingSpace, None] = {}
        self._ended: list[Resting] = []
        self._gone: list[int] = []
        self._unsaved: Batch | None = None
        self._written = self._durable = 0
        self._is_asked = self._has_ended = False
        self._again_at = 0.0
        self._saving = Lock()
        self._queueing = Condition(Lock())

    @property
    def trouble(self) -> str | None:
        """Why nothing can be saved right now; None if all is well."""
        return self._trouble

    # what there is to save

    def queue(self, space: LastingSpace) -> None:
        """Has a space's changes saved with the next commit."""
        with self._queueing:
            self._queued[space] = None
        self._note()

    def queue_end(self, number: int | None = None, name: str | None = None, token: Token | None = None) -> None:
        """Has a space's rows go after the next commit, and with it the workspace of a name."""
        with self._queueing:
            if number is not None:
                self._gone.append(number)
            if name is not None:
                self._ended.append(Resting(name, None, None, token))
        self._note()

    def _note(self) -> None:
        with self._queueing:
            self._written += 1
            asks, self._is_asked = not self._is_asked, True
        if asks and self.ask is not None:
            self.ask()

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to save."""
        return not (self._queued or self._ended or self._gone) and self._unsaved is None

    def is_unsaved(self, space: Space | None) -> bool:
        """Whether something of a space, or of any if it is None, could not be saved."""
        if not isinstance(space, LastingSpace):
            return self._unsaved is not None or bool(self._queued)
        return space.is_lost or space.is_queued or (self._unsaved is not None and space.number in self._unsaved.rows)

    @property
    def unsaved(self) -> int:
        """How many rows are still to be saved."""
        waiting = 0 if self._unsaved is None else self._unsaved.size
        return waiting + sum(space.unsaved for space in tuple(self._queued))

    # saving it

    def save(self) -> bool:
        """Commits all that changed until now; whether nothing is left unsaved. Nothing to do costs nothing."""
        if self.is_idle:
            self._is_asked = False
            return self.trouble is None
        with self._saving:
            if self.trouble is not None and self._clock.monotonic() < self._again_at:
                return False
            batch, cut, gone = self._cut()
            return self._commit(joined(self._unsaved, batch), cut, gone)

    def when_saved(self, space: Space | None, then: Told) -> bool:
        """Tells whether nothing of a space is left unsaved; False where it tells later, as soon as that is known."""
        then(not self.is_unsaved(space))
        return True

    def settle(self) -> bool:
        """Tells those who still wait what is known by now; whether others wait on."""
        return False

    def may_leave(self, began: float) -> bool:
        """Whether the answer to a call that began at a monotonic instant may be sent right now."""
        return True

    def _cut(self) -> tuple[Batch, int, list[int]]:
        """What changed until now, which number says so, and which spaces are no more."""
        with self._queueing:
            self._is_asked = False
            spaces, self._queued = tuple(self._queued), {}
            ended, self._ended = self._ended, []
            gone, self._gone = self._gone, []
            cut = self._written
        rows, workspaces = {}, ended
        for space in spaces:
            changes = space.changes()
            if space.closed:
                continue
            if changes:
                rows[space.number] = changes
            due_at = self._due(space)
            due = None if due_at == NEVER else due_at
            if space.said_due != due or self.has_rivals:
                space.said_due = due
                workspaces.append(self._resting(space, due))
        return Batch(rows, workspaces, self._shapes), cut, gone

    def _resting(self, space: LastingSpace, due: int | None) -> Resting:
        """What a workspace's own row says of it."""
        return Resting(space.name, space.number, due)

    def _commit(self, batch: Batch, cut: int, gone: list[int]) -> bool:
        self._unsaved = batch
        if not self._is_written(batch):
            self._gone[:0] = gone
            return False
        self._done(cut, gone)
        return True

    def _is_written(self, batch: Batch) -> bool:
        """Writes it, or says why it cannot be written."""
        began = self._clock.monotonic()
        try:
            self.file.write(batch)
        except DataLost as wrong:
            self._again_at = self._clock.monotonic() + AGAIN_S
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

    def _done(self, cut: int, gone: list[int]) -> None:
        self.garbage.extend(gone)
        with self._queueing:
            self._unsaved = None
            self._durable = cut
            self._queueing.notify_all()

    def save_ahead(self, space: LastingSpace, size: int) -> None:
        """Saves a space that nobody can see yet, in slices of so many rows. Raises DataLost.

        A server that ends before its workspace has a row finds its rows to be nobody's, with its next start.
        """
        rows = space.changes(is_whole=True)
        for begin in range(0, len(rows), size):
            self.file.write(Batch({space.number: rows[begin : begin + size]}, [], self._shapes))

    # after it

    def wait(self) -> bool:
        """Waits until all is saved that changed until now, or until the end; whether it is."""
        with self._queueing:
            target = self._written
        while self.ask is None and not self._has_ended and not self.save():
            with self._queueing:
                self._queueing.wait(AGAIN_S)
        with self._queueing:
            self._queueing.wait_for(lambda: self._durable >= target or self._has_ended)
            return self._durable >= target

    def clear(self) -> bool:
        """Clears a few rows away of spaces that are no more; whether there are others."""
        if not self.garbage or self.trouble is not None:
            return False
        try:
            if not self.file.clear(self.garbage[0]):
                self.garbage.pop(0)
        except DataLost as wrong:
            _LOG.warning("%s", wrong)
            return False
        return bool(self.garbage)

    def end(self) -> None:
        """Saves what is left and lets the file go; once is enough."""
        if self._has_ended:
            return
        self._again_at, self.ask = 0.0, None
        if not self.save():
            _LOG.error("%s: %d rows could not be saved", self.trouble, self.unsaved)
        with self._queueing:
            self._has_ended = True
            self._queueing.notify_all()
        self.file.close()
