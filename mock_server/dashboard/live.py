"""Server-sent events when something has changed, without a waiting thread (HTML standard, "Server-sent events").

Each answer is complete, and waits until there is an event; then the browser reconnects with the id of the last event,
as the standard requires when a connection ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.control.stages import Listen, News, park
from mock_server.domain.events import ATTEMPTS, INBOX
from mock_server.domain.faults import Parked
from mock_server.http.running import Answer
from mock_server.sandbox import Workspace
from mock_server.sandbox.workspace import JOURNAL
from mock_server.store.waiting import Signal
from mock_server.story.payment_history import last_of

LOGS: Final = (JOURNAL, INBOX, ATTEMPTS)
"""The observed logs: calls, events, delivery attempts."""
COME_BACK_MS: Final = 40
"""How soon the browser reconnects for the next event; all changes until then are one event."""
WAIT_S: Final = 25.0
"""After this time an event says that nothing has happened, because proxies may close idle connections (ours)."""
HEADERS: Final = (
    ("Content-Type", "text/event-stream; charset=utf-8"),
    ("Cache-Control", "no-store"),
)


def changed(workspace: Workspace, seen: str) -> Answer | Parked:
    """The event that a workspace has changed, now or later."""

    def news() -> Answer | None:
        if workspace.space.closed or numbers_in(workspace, seen) is None:
            return _event("renewed" if seen else "hello", mark_of(workspace))
        return _event("changed", mark_of(workspace, seen)) if _is_stale(workspace, seen) else None

    def listen(wake: Callable[[], None]) -> list[Callable[[], None]]:
        logs = [workspace.space.on_append(log, wake) for log in LOGS]
        return [*logs, workspace.steered.on_ring(wake), workspace.host.shelf.on_ring(wake)]

    return news() or _parked(news, listen, seen)


def activity(bell: Signal, seen: str) -> Answer | Parked:
    """The event that a signal was rung, now or later."""

    def news() -> Answer | None:
        return None if seen == str(bell.number) else _event("changed", str(bell.number))

    return news() or _parked(news, lambda wake: [bell.on_ring(wake)], seen)


def _parked(news: News, listen: Listen, seen: str) -> Parked:
    return park(news, listen, WAIT_S, lambda: _event("quiet", seen))


def _event(name: str, mark: str) -> Answer:
    text = f"retry: {COME_BACK_MS}\nid: {mark}\nevent: {name}\ndata: {mark}\n\n"
    return Answer(200, text.encode(), HEADERS)


def mark_of(workspace: Workspace, before: str = "") -> str:
    """What a page has seen of a workspace: the last numbers of logs and signals; `before` is an earlier mark."""
    seen = numbers_in(workspace, before) or (0,) * len(LOGS)
    space = workspace.space
    lasts = [last_of(space, log, after) for log, after in zip(LOGS, seen, strict=False)]
    return "-".join(map(str, (space.generation, *lasts, *_rung(workspace))))


def numbers_in(workspace: Workspace, mark: str) -> tuple[int, ...] | None:
    """The numbers of a mark; None if it is not of this generation of the workspace."""
    parts = mark.split("-")
    if len(parts) != 1 + len(LOGS) + len(_rung(workspace)):
        return None
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        return None
    generation, *numbers = map(int, parts)
    return tuple(numbers) if generation == workspace.space.generation else None


def _is_stale(workspace: Workspace, mark: str) -> bool:
    seen = numbers_in(workspace, mark)
    if seen is None or seen[len(LOGS) :] != _rung(workspace):
        return True
    return any(workspace.space.wait_for(log, after, 0) for log, after in zip(LOGS, seen, strict=False))


def _rung(workspace: Workspace) -> tuple[int, ...]:
    """The numbers of changes that are in no log: of scenarios, the queue and the endpoint, and of snapshots."""
    return workspace.steered.number, workspace.host.shelf.number
