"""`payment-sandbox tail`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, count
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple

import click

from mock_server.cli.asking import RunningSandbox
from mock_server.cli.following import EventNews, Followed, FollowedInbox, follows
from mock_server.cli.output import colour_option, has_colours, json_line, show
from mock_server.cli.saying import delivery_line
from mock_server.domain.events import is_success

MARGIN: Final = " " * 14


class TailEntry(NamedTuple):
    """One entry: its instant in the workspace's time, its kind, and its content from the control API."""

    at: str
    sort: str
    what: dict[str, Any]


@click.command("tail")
@follows
@click.option("--operation", help="Only calls of this operation, such as payments.create or payments.*")
@click.option("--status", help="Only calls with this status, such as 409 or 4xx.")
@colour_option
def tail(sandbox: RunningSandbox, lines: int, follow: bool, as_json: bool, colour: str, **asked: str | None) -> None:
    """Print what happens in a workspace, live: calls with their decisions, events, and deliveries."""
    colours = not as_json and has_colours(colour)
    asked = {name: text or None for name, text in asked.items()}
    about = {"payment_id": asked["payment_id"]}
    calls = Followed(sandbox, "journal", ("request_id", "at"), asked)
    with suppress(KeyboardInterrupt):
        so_far = list(map(_call_entry, calls.so_far(lines)))
        coming = [chain.from_iterable(map(_call_entry, calls.more()) for _ in count())]
        if not asked["operation"] and not asked["status"]:
            inbox = FollowedInbox(sandbox, about)
            so_far += chain.from_iterable(map(_entries, inbox.so_far(lines)))
            coming.append(chain.from_iterable(map(_entries, inbox.coming())))
        first = sorted(so_far, key=lambda entry: entry.at)[-lines:] if lines > 0 else ()
        day = ""
        for entry in chain(first, together(coming) if follow else ()):
            if entry.at[:10] != day and not as_json:
                day = entry.at[:10]
                show(click.style(day, dim=True), colours=colours)
            if as_json:
                show(json_line({"entry": entry.sort, **entry.what}))
                continue
            head, tone, below = LINES[entry.sort](entry.what)
            show(f"{click.style(entry.at[11:23], dim=True)}  {click.style(head, fg=tone)}", colours=colours, wraps=True)
            for text in below:
                show(f"{MARGIN}{click.style(text, dim=True)}", colours=colours, wraps=True)


def _call_entry(call: Any) -> TailEntry:
    return TailEntry(call["at"], "call", call)


def _entries(news: EventNews) -> Iterator[TailEntry]:
    event = news.event
    if news.is_first:
        yield TailEntry(event["created"], "event", event)
    about = {name: event[name] for name in ("event_id", "event_type", "object_id", "payment_id")}
    yield from (TailEntry(delivery["made_at"], "delivery", {**about, **delivery}) for delivery in news.deliveries)


def together(sources: Iterable[Iterator[TailEntry]]) -> Iterator[TailEntry]:
    """Yield the new entries of all sources."""
    queue: SimpleQueue[TailEntry] = SimpleQueue()

    def pass_on(source: Iterator[TailEntry]) -> None:
        for entry in source:
            queue.put(entry)

    for source in sources:
        Thread(target=pass_on, args=(source,), daemon=True).start()
    while True:
        yield queue.get()


Lines = tuple[str, str | None, list[str]]


def _call(call: dict[str, Any]) -> Lines:
    parts = [call["method"], call["path"], f"{call['operation']} -> {call['status']}"]
    parts += [call["cause"] or "", call["payment_id"] or "", "replayed" if call["replayed"] else ""]
    broken = f"({call['fault']})" if call["fault"] else ""
    tone = "red" if call["status"] >= 400 or call["fault"] else None
    return " ".join(filter(None, [*parts, broken])), tone, [f"because {note['text']}" for note in call["because"]]


def _event(event: dict[str, Any]) -> Lines:
    text = f"event {event['event_type']} {event['object_id']} {event['event_id']}"
    return text, "cyan", [event["why"]] if event["why"] else []


def _delivery(delivery: dict[str, Any]) -> Lines:
    head = delivery_line(delivery, f" of {delivery['event_type']} {delivery['object_id']}")
    because = [f"because {delivery['because']}"] if delivery["because"] else []
    return head, "green" if is_success(delivery["status"]) else "red", because


LINES: Final = {"call": _call, "event": _event, "delivery": _delivery}
"""How each kind of entry is printed: a line, its colour, and the lines below it."""
