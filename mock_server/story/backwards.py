"""Reading a log from its end: what is looked for is mostly what happened last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from mock_server.store.protocol import Entry, Space, Transaction

AT_ONCE: Final = 500
"""So many lines are read with the workspace's lock held, about ten milliseconds' worth (ours)."""


def last_of(space: Space, log: str, after: int = 0) -> int:
    """The number of a log's last line, from one that is known: a store says only whether there is more."""
    step = 1
    while space.wait_for(log, after + step - 1, 0):
        after, step = after + step, step * 2
    while step > 1:
        step //= 2
        if space.wait_for(log, after + step - 1, 0):
            after += step
    return after


def backwards(space: Space, log: str) -> Iterator[Sequence[Entry]]:
    """The lines of a log in parts, the last part first, each part in its order; others get their turn in between."""
    before = last_of(space, log)
    while before > 0:
        after = max(0, before - AT_ONCE)
        part = [one for one in space.transact(partial(_lines, log, after, before - after)) if one.sequence <= before]
        if not part:
            return
        yield part
        before = min(after, part[0].sequence - 1)


def _lines(log: str, after: int, many: int, tx: Transaction) -> Sequence[Entry]:
    return tx.entries(log, after, many)
