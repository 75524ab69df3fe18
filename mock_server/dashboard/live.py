"""Server-sent events that say when something has changed, with no thread waiting (HTML standard, "Server-sent events").

Each answer is a whole one that is parked until there is something to say; the browser comes back for the next with the
last event's id, as the standard has it do when a connection ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.control.stages import Listen, News, park
from mock_server.domain.delivery import ATTEMPTS, INBOX
from mock_server.domain.faults import Parked
from mock_server.http.context import Answer
from mock_server.sandbox import Workspace
from mock_server.sandbox.workspace import JOURNAL
from mock_server.store.waiting import Signal
from mock_server.story.payment_history import last_of

LOGS: Final = (JOURNAL, INBOX, ATTEMPTS)
"""What is looked at: every call, every event, every attempt to deliver one."""
COME_BACK_MS: Final = 40
"""How soon the browser comes back for the next event; what happens meanwhile is one event."""
WAIT_S: Final = 25.0
"""After so long the browser hears that nothing has happened, as lines between may not stay open for ever (ours)."""
HEADERS: Final = (
    ("Content-Type", "text/event-stream; charset=utf-8"),
    ("Cache-Control", "no-store"),
)


def changed(workspace: Workspace, seen: str) -> Answer | Parked:
    """The event that a workspace has changed, at once or when it does."""

    def news() -> Answer | None:
        if workspace.space.closed or numbers_in(workspace, seen) is None:
            return _event("renewed" if seen else "hello", mark_of(workspace))
        return _event("changed", mark_of(workspace, seen)) if is_stale(workspace, seen) else None

    return news() or _parked(news, lambda wake: on_change(workspace, wake), seen)


def activity(bell: Signal, seen: str) -> Answer | Parked:
    """The event that a bell was rung, at once or when it is."""

    def news() -> Answer | None:
        return None if seen == str(bell.number) else _event("changed", str(bell.number))

    return news() or _parked(news, lambda wake: [bell.on_ring(wake)], seen)


def _parked(news: News, listen: Listen, seen: str) -> Parked:
    return park(news, listen, WAIT_S, lambda: _event("quiet", seen))


def _event(name: str, mark: str) -> Answer:
    text = f"retry: {COME_BACK_MS}\nid: {mark}\nevent: {name}\ndata: {mark}\n\n"
    return Answer(200, text.encode(), HEADERS)


# how far a workspace has come: what a page has seen of it, so that it can be told of what is new


def mark_of(workspace: Workspace, before: str = "") -> str:
    """The last lines' numbers, and those of what no log tells of, as one word; `before` is an earlier one."""
    seen = numbers_in(workspace, before) or (0,) * len(LOGS)
    space = workspace.space
    lasts = [last_of(space, log, after) for log, after in zip(LOGS, seen, strict=False)]
    return "-".join(map(str, (space.generation, *lasts, *_rung(workspace))))


def numbers_in(workspace: Workspace, mark: str) -> tuple[int, ...] | None:
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
    seen = numbers_in(workspace, mark)
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
