"""How far a world's logs have come: what a page has seen, so that it can be told of what is new."""

from __future__ import annotations

from typing import Final

from mock_server.domain.delivery import ATTEMPTS, INBOX
from mock_server.sandbox.world import JOURNAL
from mock_server.store.protocol import Space
from mock_server.story.backwards import last_of

LOGS: Final = (JOURNAL, INBOX, ATTEMPTS)
"""What is looked at: every call, every event, every attempt to deliver one."""


def mark_of(space: Space, before: str = "") -> str:
    """The numbers of the last lines, as one word; `before` is an earlier one to begin from."""
    seen = read(space, before) or (0,) * len(LOGS)
    lasts = (last_of(space, log, after) for log, after in zip(LOGS, seen, strict=True))
    return "-".join(map(str, (space.generation, *lasts)))


def read(space: Space, mark: str) -> tuple[int, ...] | None:
    """The numbers of a mark; None if it is none of this generation of the world."""
    parts = mark.split("-")
    if len(parts) != len(LOGS) + 1 or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        return None
    generation, *numbers = map(int, parts)
    return tuple(numbers) if generation == space.generation else None


def is_stale(space: Space, mark: str) -> bool:
    """Whether something was written since."""
    seen = read(space, mark)
    return seen is None or any(space.wait_for(log, after, 0) for log, after in zip(LOGS, seen, strict=True))
