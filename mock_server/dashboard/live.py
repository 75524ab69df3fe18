"""Server-sent events that say when a world has changed, with no thread waiting (HTML standard, "Server-sent events").

Each answer is a whole one that is parked until there is something to say; the browser comes back for the next with the
last event's id, as the standard has it do when a connection ends.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Final

from mock_server.dashboard import marks
from mock_server.domain.faults import Parked
from mock_server.http.context import Answer
from mock_server.store.protocol import Space

COME_BACK_MS: Final = 40
"""How soon the browser comes back for the next event; what happens meanwhile is one event."""
WAIT_S: Final = 25.0
"""After so long the browser hears that nothing has happened, as lines between may not stay open for ever (ours)."""
HEADERS: Final = (
    ("Content-Type", "text/event-stream; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
)


def changed(space: Space, seen: str) -> Answer | Parked:
    """The event that there is something new, at once or when it comes."""
    if marks.read(space, seen) is None or space.closed:
        return _event("renewed" if seen else "hello", marks.mark_of(space))
    if marks.is_stale(space, seen):
        return _event("changed", marks.mark_of(space, seen))
    return _parked(space, seen)


def _parked(space: Space, seen: str) -> Parked:
    ready: Future[Answer] = Future()
    leave: list[Callable[[], None]] = []

    def wake() -> None:
        if not ready.done() and (space.closed or marks.is_stale(space, seen)):
            # Several writers may tell of it, or the time is just over.
            with suppress(InvalidStateError):
                ready.set_result(_event("renewed" if space.closed else "changed", marks.mark_of(space, seen)))

    leave += [space.on_append(log, wake) for log in marks.LOGS]
    ready.add_done_callback(lambda _: [undo() for undo in leave])
    wake()  # what came between the first look and now
    return Parked(ready, WAIT_S, lambda: _event("quiet", seen))


def _event(name: str, mark: str) -> Answer:
    text = f"retry: {COME_BACK_MS}\nid: {mark}\nevent: {name}\ndata: {mark}\n\n"
    return Answer(200, text.encode(), HEADERS)
