"""What is new in a workspace: rows of a list, and events with their deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from threading import Event
from typing import Any, Final, NamedTuple

from mock_server.cli.asking import PAUSE_S, RunningSandbox
from mock_server.cli.output import Stop, show

WAIT: Final = "1s"
"""How long a call waits for the next row: deliveries of earlier events, and a reset between calls, may come as late."""
MOST_FOLLOWED: Final = 100
"""Events with pending deliveries that are followed; older ones are dropped."""
MOST: Final = 1_000
"""Rows of a page."""


@dataclass
class Followed:
    """The rows of a list that grows, each once; `known_by` are fields that tell rows apart, `asked` filters them.

    A reset, a restored snapshot and a restart may begin the list again: it is then read from its first row on.
    """

    sandbox: RunningSandbox
    path: str
    known_by: Sequence[str]
    asked: Mapping[str, str | None]
    most: int = MOST  # of more, the journal gives the newest
    last: Any = None
    may_be_another: bool = False  # so the next call does not wait

    def so_far(self, count: int) -> Any:
        """Return the last rows; what comes after them is new."""
        rows = self.sandbox.get(self.path, limit=max(count, 1), **self.asked)["data"]
        self.last = rows[-1] if rows else None
        return rows if count > 0 else []

    def more(self) -> Any:
        """Return the next new rows, after a while perhaps none; waits for a sandbox that does not answer."""
        last = self.last  # asked for too: another row in its place tells of another list
        which = {"after": last["number"] - 1, "count": 2} if last else {"after": 0}
        try:
            waits = None if self.may_be_another else WAIT
            page = self.sandbox.get(self.path, wait=waits, limit=self.most, **which, **self.asked)
        except Stop as end:
            self.may_be_another = True
            if end.status == HTTPStatus.GONE:  # what a restored list has next may be like the last row, its time too
                self.last = None
                return []
            if not self.sandbox.is_away:  # it may be starting again
                self.sandbox.is_away = True
                show(f"{end.message}; waiting for it", err=True)
            Event().wait(PAUSE_S)
            return []
        self.may_be_another = self.sandbox.is_away = False
        rows = page["data"]
        goes_on = last and rows and all(rows[0][name] == last[name] for name in self.known_by)
        if last and not goes_on:
            missed = page["total_count"] - len(rows) - 1  # the last one was printed
            if missed < 0:
                self.last = None
                return []
            if missed and self.path == "journal":  # an inbox gives its oldest first, and the others next
                show(f"payment-sandbox: not shown, as they came too fast: {missed:,}; the journal has them", err=True)
        self.last = rows[-1] if rows else None
        return rows[1:] if goes_on else rows


class EventNews(NamedTuple):
    """An event, whether it is new, and its deliveries since the last time."""

    event: Any
    is_first: bool
    deliveries: list[Any]


class FollowedInbox:
    """The events of a workspace and their deliveries, each reported once; `asked` is a query that filters them."""

    def __init__(self, sandbox: RunningSandbox, asked: Mapping[str, str | None]) -> None:
        self._sandbox = sandbox
        self._events = Followed(sandbox, "webhooks", ("event_id", "created"), asked)
        self._seen: dict[str, int] = {}
        """How many deliveries of each event with pending ones were reported."""

    def so_far(self, count: int) -> list[EventNews]:
        """Return the last events."""
        return [self._news(event, is_first=True) for event in self._events.so_far(count)]

    def coming(self) -> Iterator[EventNews]:
        """Yield new events, and earlier ones with new deliveries."""
        while True:
            for event in self._events.more():
                yield self._news(event, is_first=True)
            for event_id in tuple(self._seen):
                try:
                    event = self._sandbox.get(f"webhooks/{event_id}")
                except Stop:  # its workspace was reset, or the sandbox is away, as the next call says
                    del self._seen[event_id]
                else:
                    yield self._news(event, is_first=False)

    def _news(self, event: Any, *, is_first: bool) -> EventNews:
        event_id, deliveries = event["event_id"], event["deliveries"]
        reported = self._seen.pop(event_id, 0)
        if not event["is_delivered"] and not event["why"]:
            self._seen[event_id] = len(deliveries)
        while len(self._seen) > MOST_FOLLOWED:
            del self._seen[next(iter(self._seen))]
        return EventNews(event, is_first, deliveries[reported:])
