"""Server-sent events that say when something has changed, with no thread waiting (HTML standard, "Server-sent events").

Each answer is a whole one that is parked until there is something to say; the browser comes back for the next with the
last event's id, as the standard has it do when a connection ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Final

from mock_server.dashboard import marks
from mock_server.domain.faults import Parked
from mock_server.http.context import Answer
from mock_server.sandbox import Workspace
from mock_server.store.waiting import Signal

COME_BACK_MS: Final = 40
"""How soon the browser comes back for the next event; what happens meanwhile is one event."""
WAIT_S: Final = 25.0
"""After so long the browser hears that nothing has happened, as lines between may not stay open for ever (ours)."""
HEADERS: Final = (
    ("Content-Type", "text/event-stream; charset=utf-8"),
    ("Cache-Control", "no-store"),
)
News = Callable[[], Answer | None]
"""The event that there is something new; None while there is not."""


def changed(workspace: Workspace, seen: str) -> Answer | Parked:
    """The event that a workspace has changed, at once or when it does."""

    def news() -> Answer | None:
        if workspace.space.closed or marks.read(workspace, seen) is None:
            return _event("renewed" if seen else "hello", marks.mark_of(workspace))
        return _event("changed", marks.mark_of(workspace, seen)) if marks.is_stale(workspace, seen) else None

    return news() or _parked(news, lambda wake: marks.on_change(workspace, wake), seen)


def activity(bell: Signal, seen: str) -> Answer | Parked:
    """The event that a bell was rung, at once or when it is."""

    def news() -> Answer | None:
        return None if seen == str(bell.number) else _event("changed", str(bell.number))

    return news() or _parked(news, lambda wake: [bell.on_ring(wake)], seen)


def _parked(news: News, listen: Callable[[Callable[[], None]], Sequence[Callable[[], None]]], seen: str) -> Parked:
    ready: Future[Answer] = Future()

    def wake() -> None:
        if not ready.done() and (found := news()) is not None:
            # Several writers may tell of it, or the time is just over.
            with suppress(InvalidStateError):
                ready.set_result(found)

    leave = listen(wake)
    ready.add_done_callback(lambda _: [undo() for undo in leave])
    wake()  # what came between the first look and now
    return Parked(ready, WAIT_S, lambda: _event("quiet", seen))


def _event(name: str, mark: str) -> Answer:
    text = f"retry: {COME_BACK_MS}\nid: {mark}\nevent: {name}\ndata: {mark}\n\n"
    return Answer(200, text.encode(), HEADERS)
