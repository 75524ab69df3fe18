"""How far a world has come: what a page has seen of it, so that it can be told of what is new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.domain.delivery import ATTEMPTS, INBOX
from mock_server.sandbox import World
from mock_server.sandbox.world import JOURNAL
from mock_server.story.backwards import last_of

LOGS: Final = (JOURNAL, INBOX, ATTEMPTS)
"""What is looked at: every call, every event, every attempt to deliver one."""


def mark_of(world: World, before: str = "") -> str:
    """The last lines' numbers, and those of what no log tells of, as one word; `before` is an earlier one."""
    seen = read(world, before) or (0,) * len(LOGS)
    space = world.space
    lasts = [last_of(space, log, after) for log, after in zip(LOGS, seen, strict=False)]
    return "-".join(map(str, (space.generation, *lasts, *_rung(world))))


def read(world: World, mark: str) -> tuple[int, ...] | None:
    """The numbers of a mark; None if it is none of this generation of the world."""
    parts = mark.split("-")
    if len(parts) != 1 + len(LOGS) + len(_rung(world)):
        return None
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        return None
    generation, *numbers = map(int, parts)
    return tuple(numbers) if generation == world.space.generation else None


def is_stale(world: World, mark: str) -> bool:
    """Whether something has changed since."""
    seen = read(world, mark)
    if seen is None or seen[len(LOGS) :] != _rung(world):
        return True
    return any(world.space.wait_for(log, after, 0) for log, after in zip(LOGS, seen, strict=False))


def on_change(world: World, wake: Callable[[], None]) -> list[Callable[[], None]]:
    """Calls `wake` whenever the mark may have become another; gives what undoes it."""
    logs = [world.space.on_append(log, wake) for log in LOGS]
    return [*logs, world.steered.on_ring(wake), world.host.shelf.on_ring(wake)]


def _rung(world: World) -> tuple[int, ...]:
    """What no log tells of: the world was steered, a snapshot was kept or dropped."""
    return world.steered.number, world.host.shelf.number
