"""`payment-sandbox tail`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import click

from mock_server.cli.asking import Asking, asking_options
from mock_server.cli.output import json_line
from mock_server.cli.terminal import colour_option, has_colours, show

WAIT: Final = "10s"
LOOK_AGAIN: Final = "1s"
"""How long is waited for the next event while deliveries of earlier ones are open."""
MOST_FOLLOWED: Final = 100
"""So many events whose deliveries are not over are looked after; older ones are let go."""
MARGIN: Final = " " * 14


class Told(NamedTuple):
    """One thing to print: when it was in the workspace's time, of which sort, and what the control API says of it."""

    at: str
    sort: str
    what: dict[str, Any]


@click.command("tail")
@asking_options
@click.option(
    "--lines", default=10, show_default=True, help="Begin with the last so many calls, events and deliveries."
)
@click.option("--follow/--no-follow", default=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--payment-id", help="Only what is about this payment.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@colour_option
def command(
    key: str | None,
    url: str | None,
    port_file: str | None,
    lines: int,
    follow: bool,
    payment_id: str | None,
    as_json: bool,
    colour: str,
) -> None:
    """Print what happens in a workspace as it happens: calls with their decisions, events, and each delivery."""
    asking, colours = Asking(key, url, port_file), not as_json and has_colours(colour)
    asked = f"&payment_id={quote(payment_id, safe='')}" if payment_id else ""
    following = (Calls(asking, asked), Events(asking, asked))
    try:
        so_far = [one for each in following for one in each.so_far(max(lines, 0))]
        for one in sorted(so_far, key=lambda told: told.at)[-lines:] if lines > 0 else ():
            _print(one, as_json=as_json, colours=colours)
        for one in together(following) if follow else ():
            _print(one, as_json=as_json, colours=colours)
    except KeyboardInterrupt:
        return


class Calls:
    """The journal, from where it was read to."""

    def __init__(self, asking: Asking, asked: str) -> None:
        self._asking = asking
        self._asked = asked
        self._read_to = 0

    def so_far(self, count: int) -> Iterator[Told]:
        """Yield the last calls, and remember where to go on."""
        yield from self._told(self._asking.call("GET", f"journal?limit={max(count, 1)}{self._asked}"))

    def coming(self) -> Iterator[Told]:
        """Yield calls as they come."""
        while True:
            path = f"journal?after={self._read_to}&wait={WAIT}&limit=1000{self._asked}"
            yield from self._told(self._asking.call("GET", path))

    def _told(self, page: Any) -> Iterator[Told]:
        for line in page["data"]:
            self._read_to = max(self._read_to, line["number"])
            yield Told(line["at"], "call", line)


class Events:
    """The inbox, and the deliveries of its events that are not over."""

    def __init__(self, asking: Asking, asked: str) -> None:
        self._asking = asking
        self._asked = asked
        self._read_to = 0
        self._open: dict[str, int] = {}

    def so_far(self, count: int) -> Iterator[Told]:
        """Yield the last events with what came of them, and remember where to go on."""
        page = self._asking.call("GET", f"webhooks?limit={max(count, 1)}{self._asked}")
        for event in page["data"]:
            yield from self._told(event)

    def coming(self) -> Iterator[Told]:
        """Yield events as they are told, and each delivery when its answer is there."""
        while True:
            wait = LOOK_AGAIN if self._open else WAIT
            path = f"webhooks?after={self._read_to}&wait={wait}&limit=100{self._asked}"
            for event in self._asking.call("GET", path)["data"]:
                yield from self._told(event)
            for event_id in tuple(self._open):
                yield from self._deliveries(self._asking.call("GET", f"webhooks/{event_id}"))

    def _told(self, event: Any) -> Iterator[Told]:
        self._read_to = max(self._read_to, event["number"])
        self._open[event["event_id"]] = 0
        yield Told(event["created"], "event", event)
        yield from self._deliveries(event)
        while len(self._open) > MOST_FOLLOWED:
            del self._open[next(iter(self._open))]

    def _deliveries(self, event: Any) -> Iterator[Told]:
        """Yield what is new of an event's deliveries, and let it go once they are over."""
        event_id, made = event["event_id"], event["deliveries"]
        about = {name: event[name] for name in ("event_id", "event_type", "object_id", "payment_id")}
        for one in made[self._open.get(event_id, 0) :]:
            yield Told(one["made_at"], "delivery", {**about, **one})
        self._open[event_id] = len(made)
        if event["is_delivered"] or event["why"]:
            del self._open[event_id]


def together(following: Iterable[Calls | Events]) -> Iterator[Told]:
    """Yield what comes of each as it comes; the first that ends in an error ends it all."""
    queue: SimpleQueue[Told | SystemExit] = SimpleQueue()

    def pass_on(one: Calls | Events) -> None:
        try:
            for told in one.coming():
                queue.put(told)
        except SystemExit as end:  # it has said why
            queue.put(end)

    for one in following:
        Thread(target=pass_on, args=(one,), daemon=True).start()
    while not isinstance(told := queue.get(), SystemExit):
        yield told
    raise told


def _print(told: Told, *, as_json: bool, colours: bool) -> None:
    if as_json:
        show(json_line({"entry": told.sort, **told.what}), colours=False)
        return
    head, tone, below = LINES[told.sort](told.what)
    show(f"{click.style(told.at[11:23], dim=True)}  {click.style(head, fg=tone)}", colours=colours)
    for line in below:
        show(f"{MARGIN}{click.style(line, dim=True)}", colours=colours)


Said = tuple[str, str | None, list[str]]


def _call(line: dict[str, Any]) -> Said:
    """A call: what was asked, what was answered, and why."""
    parts = [line["method"], line["path"], f"{line['operation']} -> {line['status']}"]
    parts += [line["cause"] or "", line["payment_id"] or "", "replayed" if line["replayed"] else ""]
    broken = f"({line['fault']})" if line["fault"] else ""
    tone = "red" if line["status"] >= 400 or line["fault"] else None
    return " ".join(filter(None, [*parts, broken])), tone, [f"because {note['text']}" for note in line["because"]]


def _event(event: dict[str, Any]) -> Said:
    """An event, and why it is not sent where it is not."""
    text = f"event {event['event_type']} {event['object_id']} {event['event_id']}"
    return text, "cyan", [event["why"]] if event["why"] else []


def _delivery(one: dict[str, Any]) -> Said:
    """One request that carried an event, and its answer."""
    came = one["error"] or f"answered {one['status']}"
    copy = f" copy {one['copy']}" if one["copy"] > 1 else ""
    head = f"attempt {one['number']}{copy} of {one['event_type']} {one['object_id']} to {one['url']}: {came}"
    is_good = one["status"] is not None and 200 <= one["status"] <= 299
    because = [f"because {one['because']}"] if one["because"] else []
    return f"{head} in {one['took_ms']} ms", "green" if is_good else "red", because


LINES: Final = {"call": _call, "event": _event, "delivery": _delivery}
"""How each sort of thing is said: a line, its colour, and what stands below it."""
