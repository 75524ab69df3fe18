"""Saving what changed: from spaces to one commit, who waits for it, and what happens where it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from threading import Condition, Lock
from typing import Final

from mock_server.clock import Clock
from mock_server.lasting.datafile import Batch, DataFile, DataLost, Resting
from mock_server.lasting.space import LastingSpace
from mock_server.metrics import BOUNDS_S
from mock_server.store.protocol import NEVER, Space

AGAIN_S: Final = 1.0
"""How long after a failed commit it is tried again."""
_LOG: Final = logging.getLogger("mock_server.lasting")


class Saver:
    """The commits of one store. `due` gives the real instant of a space's next due work.

    All spaces are saved together: a commit holds what changed in any of them until it began, so one number says how
    far all of it is saved.
    """

    def __init__(self, file: DataFile, clock: Clock, due: Callable[[Space], int], shapes: Mapping[int, str]) -> None:
        self.file = file
        self.ask: Callable[[], object] | None = None
        """Has `save` called soon; without it whoever waits calls it."""
        self.trouble: str | None = None
        """Why nothing can be saved right now; None if all is well."""
        self.took = [0] * (len(BOUNDS_S) + 1)
        """How many commits took up to each of `BOUNDS_S`, and how many longer."""
        self.took_s = 0.0
        self.failed = 0
        self.garbage = file.garbage()
        """The spaces that are no more, and whose rows are still there."""
        self._clock = clock
        self._due = due
        self._shapes = shapes
        """How records are written, for those that the file does not know yet."""
        self._queued: dict[LastingSpace, None] = {}
        self._closed: list[str] = []
        self._gone: list[int] = []
        self._unsaved: Batch | None = None
        self._written = self._durable = 0
        self._is_asked = self._has_ended = False
        self._again_at = 0.0
        self._saving = Lock()
        self._queueing = Condition(Lock())

    # what there is to save

    def queue(self, space: LastingSpace) -> None:
        """Has a space's changes saved with the next commit."""
        with self._queueing:
            self._queued[space] = None
        self._note()

    def queue_end(self, number: int | None = None, name: str | None = None) -> None:
        """Has a space's rows go after the next commit, and with it the workspace of a name."""
        with self._queueing:
            if number is not None:
                self._gone.append(number)
            if name is not None:
                self._closed.append(name)
        self._note()

    def _note(self) -> None:
        with self._queueing:
            self._written += 1
            asks, self._is_asked = not self._is_asked, True
        if asks and self.ask is not None:
            self.ask()

    def is_unsaved(self, space: Space | None) -> bool:
        """Whether something of a space, or of any if it is None, could not be saved."""
        if not isinstance(space, LastingSpace):
            return self._unsaved is not None or bool(self._queued)
        return space.is_queued or (self._unsaved is not None and space.number in self._unsaved.rows)

    @property
    def unsaved(self) -> int:
        """How many rows are still to be saved."""
        waiting = 0 if self._unsaved is None else sum(map(len, self._unsaved.rows.values()))
        return waiting + sum(space.unsaved for space in tuple(self._queued))

    # saving it

    def save(self) -> bool:
        """Commits all that changed until now; whether nothing is left unsaved. Nothing to do costs nothing."""
        if not (self._queued or self._closed or self._gone) and self._unsaved is None:
            self._is_asked = False
            return self.trouble is None
        with self._saving:
            if self.trouble is not None and self._clock.monotonic() < self._again_at:
                return False
            with self._queueing:
                self._is_asked = False
                spaces, self._queued = tuple(self._queued), {}
                closed, self._closed = self._closed, []
                gone, self._gone = self._gone, []
                cut = self._written
            return self._commit(_joined(self._unsaved, self._batch(spaces, closed)), cut, gone)

    def _batch(self, spaces: Sequence[LastingSpace], closed: list[str]) -> Batch:
        rows, workspaces = {}, []
        for space in spaces:
            changes = space.changes()
            if space.closed:
                continue
            if changes:
                rows[space.number] = changes
            due_at = self._due(space)
            due = None if due_at == NEVER else due_at
            if space.said_due != due:
                space.said_due = due
                workspaces.append(Resting(space.name, space.number, due))
        return Batch(rows, workspaces, closed, self._shapes)

    def _commit(self, batch: Batch, cut: int, gone: list[int]) -> bool:
        began = self._clock.monotonic()
        try:
            self.file.write(batch)
        except DataLost as wrong:
            self._unsaved, self._again_at = batch, self._clock.monotonic() + AGAIN_S
            self._gone[:0] = gone
            self.failed += 1
            if self.trouble is None:
                _LOG.error("%s: calls that change data are refused until it can be saved", wrong)
            self.trouble = str(wrong)
            return False
        took = self._clock.monotonic() - began
        self.took_s += took
        self.took[sum(took > bound for bound in BOUNDS_S)] += 1
        self._shapes = {}
        self.garbage.extend(gone)
        if self.trouble is not None:
            _LOG.warning("%s can be written again; all data is saved", self.file.path)
        self._unsaved = self.trouble = None
        with self._queueing:
            self._durable = cut
            self._queueing.notify_all()
        return True

    def save_ahead(self, space: LastingSpace, size: int) -> None:
        """Saves a space that nobody can see yet, in slices of so many rows. Raises DataLost.

        A server that ends before its workspace has a row finds its rows to be nobody's, with its next start.
        """
        rows = space.changes(is_whole=True)
        for begin in range(0, len(rows), size):
            self.file.write(Batch({space.number: rows[begin : begin + size]}, [], [], self._shapes))

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


def _joined(before: Batch | None, batch: Batch) -> Batch:
    """What could not be saved, and behind it what came since then: of a row the later value holds."""
    if before is None:
        return batch
    numbers = {**before.rows, **batch.rows}
    rows = {number: [*before.rows.get(number, ()), *batch.rows.get(number, ())] for number in numbers}
    return Batch(
        {number: list({row[:2]: row for row in found}.values()) for number, found in rows.items()},
        [*(one for one in before.workspaces if one.name not in batch.closed), *batch.workspaces],
        [*before.closed, *batch.closed],
        {**before.shapes, **batch.shapes},
    )
