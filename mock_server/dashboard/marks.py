"""How far a workspace has come: what a page has seen of it, so that it can be told of what is new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.domain.delivery import ATTEMPTS, INBOX
from mock_server.sandbox import Workspace
from mock_server.sandbox.workspace import JOURNAL
from mock_server.story.payment_history import last_of

LOGS: Final = (JOURNAL, INBOX, ATTEMPTS)
"""What is looked at: every call, every event, every attempt to deliver one."""


def mark_of(workspace: Workspace, before: str = "") -> str:
    """The last lines' numbers, and those of what no log tells of, as one word; `before` is an earlier one."""
    seen = read(workspace, before) or (0,) * len(LOGS)
    space = workspace.space
    lasts = [last_of(space, log, after) for log, after in zip(LOGS, seen, strict=False)]
    return "-".join(map(str, (space.generation, *lasts, *_rung(workspace))))


def read(workspace: Workspace, mark: str) -> tuple[int, ...] | None:
    """The numbers of a mark; None if it is none of this generation of the workspace."""
    parts = mark.split("-")
    if len(parts) != 1 + len(LOGS) + len(_rung(workspace)):
        return None
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        return None
    generation, *numbers = map(int, parts)
    return tuple(numbers) if generation == workspace.space.generation else None


def is_stale(workspace: Workspace, mark: str) -> bool:
    """Whether something has changed since."""
    seen = read(workspace, mark)
    if seen is None or seen[len(LOGS) :] != _rung(workspace):
        return True
    return any(workspace.space.wait_for(log, after, 0) for log, after in zip(LOGS, seen, strict=False))


def on_change(workspace: Workspace, wake: Callable[[], None]) -> list[Callable[[], None]]:
    """Calls `wake` whenever the mark may have become another; gives what undoes it."""
    logs = [workspace.space.on_append(log, wake) for log in LOGS]
    return [*logs, workspace.steered.on_ring(wake), workspace.host.shelf.on_ring(wake)]


def _rung(workspace: Workspace) -> tuple[int, ...]:
    """What no log tells of: the workspace was steered, a snapshot was kept or dropped."""
    return workspace.steered.number, workspace.host.shelf.number
