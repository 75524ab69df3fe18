"""`payment-sandbox webhooks`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import click

from mock_server.cli import Guessing
from mock_server.cli.asking import Asking, asking_options
from mock_server.cli.output import json_line

WAIT: Final = "1s"
MOST_FOLLOWED: Final = 100
"""So many events whose deliveries are not over are looked after; older ones are let go."""


@click.group("webhooks", cls=Guessing)
def command() -> None:
    """Look after the webhooks of a running sandbox."""


@command.command("tail")
@asking_options
@click.option("--lines", default=10, show_default=True, help="Begin with the last so many events.")
@click.option("--follow/--no-follow", default=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--type", "event_type", help="Only events of this type.")
@click.option("--payment-id", help="Only events about this payment.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, an event each.")
def tail(
    key: str | None,
    url: str | None,
    port_file: str | None,
    lines: int,
    follow: bool,
    event_type: str | None,
    payment_id: str | None,
    as_json: bool,
) -> None:
    """Print events as they are told, and what comes of each attempt to deliver them."""
    asking = Asking(key, url, port_file)
    asked = "".join(f"&{name}={text}" for name, text in (("type", event_type), ("payment_id", payment_id)) if text)
    try:
        for line in Tail(asking, asked, as_json=as_json).lines(lines, follow=follow):
            click.echo(line)
    except KeyboardInterrupt:
        return


class Tail:
    """What was printed so far: up to which event, and which deliveries."""

    def __init__(self, asking: Asking, asked: str, *, as_json: bool) -> None:
        self._asking = asking
        self._asked = asked
        self._as_json = as_json
        self._last = 0
        self._open: dict[str, int] = {}

    def lines(self, count: int, *, follow: bool) -> Iterator[str]:
        """Yield the last events, and then what comes."""
        found = self._asking.call("GET", f"webhooks?limit={max(count, 1)}{self._asked}")["data"]
        self._last = max((event["number"] for event in found), default=0)
        yield from self._told(found if count > 0 else [])
        while follow:
            path = f"webhooks?after={self._last}&wait={WAIT}&limit=100{self._asked}"
            yield from self._told(self._asking.call("GET", path)["data"])
            for event_id in list(self._open):
                yield from self._came_of(self._asking.call("GET", f"webhooks/{event_id}"))

    def _told(self, events: list[Any]) -> Iterator[str]:
        for event in events:
            self._last = max(self._last, event["number"])
            if self._as_json:
                yield json_line(event)
                continue
            yield f"{event['created']} {event['event_type']} {event['object_id']} {event['event_id']}"
            self._open[event["event_id"]] = 0
            yield from self._came_of(event)
        while len(self._open) > MOST_FOLLOWED:
            del self._open[next(iter(self._open))]

    def _came_of(self, event: Any) -> Iterator[str]:
        """Yield what is new of an event's deliveries, and let it go once they are over."""
        seen = self._open.get(event["event_id"], 0)
        for one in event["deliveries"][seen:]:
            yield f"  {delivery_line(one)}"
        self._open[event["event_id"]] = len(event["deliveries"])
        if event["is_delivered"] or event["why"]:
            del self._open[event["event_id"]]
        if event["why"]:
            yield f"  {event['why']}"
        elif event["deliveries"][seen:] and event["next_attempt_at"]:
            yield f"  comes again at {event['next_attempt_at']}"


def delivery_line(one: Any) -> str:
    """One request and its answer, short."""
    came = one["error"] or f"answered {one['status']}"
    copy = f" copy {one['copy']}" if one["copy"] > 1 else ""
    return f"attempt {one['number']}{copy} {one['url']} {came} in {one['took_ms']} ms"
