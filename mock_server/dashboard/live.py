"""Server-sent events when something has changed, without a waiting thread (HTML standard, "Server-sent events").

Each answer is complete, and waits until there is an event; then the browser reconnects with the id of the last event,
as the standard requires when a connection ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.control.stages import park
from mock_server.domain.events import ATTEMPTS, INBOX
from mock_server.domain.faults import Parked
from mock_server.http.running import NO_STORE, Answer
from mock_server.sandbox import Workspace
from mock_server.store.protocol import JOURNAL
from mock_server.store.waiting import Signal

LOGS: Final = (JOURNAL, INBOX, ATTEMPTS)
"""The observed logs: calls, events, delivery attempts."""
COME_BACK_MS: Final = 40
"""How soon the browser reconnects for the next event; all changes until then are one event."""
WAIT_S: Final = 25.0
"""After this time an event says that nothing has happened, because proxies may close idle connections (ours)."""
HEADERS: Final = (("Content-Type", "text/event-stream; charset=utf-8"), NO_STORE)


def changed(workspace: Workspace, seen: str) -> Answer | Parked:
    """The event that a workspace has changed, now or later."""

    def news() -> Answer | None:
        mark = mark_of(workspace)
        if workspace.space.closed or seen.partition("-")[0] != str(workspace.space.generation):
            return _event("renewed" if seen else "hello", mark)
        return _event("changed", mark) if mark != seen else None

    def listen(wake: Callable[[], None]) -> list[Callable[[], None]]:
        logs = [workspace.space.on_append(log, wake) for log in LOGS]
        return [*logs, workspace.steered.on_ring(wake), workspace.host.shelf.on_ring(wake)]

    return news() or park(news, listen, WAIT_S, lambda found: found or _event("quiet", seen))


def activity(bell: Signal, seen: str) -> Answer | Parked:
    """The event that a signal was rung, now or later."""

    def news() -> Answer | None:
        return None if seen == str(bell.number) else _event("changed", str(bell.number))

    return news() or park(news, lambda wake: [bell.on_ring(wake)], WAIT_S, lambda found: found or _event("quiet", seen))


def _event(name: str, mark: str) -> Answer:
    return Answer(200, f"retry: {COME_BACK_MS}\nid: {mark}\nevent: {name}\ndata: {mark}\n\n".encode(), HEADERS)


def mark_of(workspace: Workspace) -> str:
    """What a page has seen: generation, last numbers of logs, and signals (scenarios, queue, endpoint, snapshots)."""
    space, rung = workspace.space, (workspace.steered.number, workspace.host.shelf.number)
    return "-".join(map(str, (space.generation, *map(space.last, LOGS), *rung)))
