"""`payment-sandbox tail`."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, chain, count
from operator import itemgetter
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple

import click

from mock_server.cli.asking import RunningSandbox, asks_sandbox
from mock_server.cli.completion import events
from mock_server.cli.following import MOST, EventNews, Followed, FollowedInbox
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
@asks_sandbox
@click.option("--lines", type=click.IntRange(0, MOST), default=10, show_default=True, help="Earlier entries to print.")
@click.option("--follow/--no-follow", default=True, help="Keep following until Ctrl-C; otherwise exit.")
@click.option("--payment-id", help="Only entries about this payment.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--operation", help="Only calls of this operation, such as payments.create or payments.*")
@click.option("--status", help="Only calls with this status, such as 409 or 4xx.")
@click.option("--type", "event_type", shell_complete=events, help="Only events of this type, with their deliveries.")
@colour_option
def tail(
    sandbox: RunningSandbox, lines: int, follow: bool, as_json: bool, colour: str, event_type: str | None, **asked: str
) -> None:
    """Print what happens in a workspace, live: calls with their decisions, events, and deliveries."""
    of_calls = {name: text or None for name, text in asked.items()}
    has_events = not of_calls["operation"] and not of_calls["status"]
    if event_type and not has_events:
        raise click.UsageError("--type chooses events; --operation and --status choose calls")
    colours = not as_json and has_colours(colour)
    calls_so_far: list[TailEntry] = []
    events_so_far: list[EventNews] = []
    coming: list[Iterator[TailEntry]] = []
    with suppress(KeyboardInterrupt):
        if not event_type:
            calls = Followed(sandbox, "journal", ("request_id", "at"), of_calls)
            calls_so_far += map(_call_entry, calls.so_far(lines))
            coming.append(chain.from_iterable(map(_call_entry, calls.more()) for _ in count()))
        if has_events:
            inbox = FollowedInbox(sandbox, {"type": event_type or None, "payment_id": of_calls["payment_id"]})
            events_so_far += inbox.so_far(lines)
            coming.append(chain.from_iterable(map(_entries, inbox.coming())))
        so_far = in_order(calls_so_far, events_so_far)
        first = so_far[-lines:] if lines > 0 else ()
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
    for number, delivery in enumerate(news.deliveries, 1):
        follows = event["next_attempt_at"] if number == len(news.deliveries) else None
        yield TailEntry(delivery["made_at"], "delivery", {**about, **delivery, "next_attempt_at": follows})


def in_order(calls: Sequence[TailEntry], news: Iterable[EventNews]) -> list[TailEntry]:
    """By time; each call before events up to the first of a later call, and before those after a clock was set back."""
    having = [-1, *(at for at, call in enumerate(calls) if call.what["events"])]
    firsts = [calls[at].what["events"][0] for at in having[1:]]
    earliest = [*accumulate((call.at for call in reversed(calls)), min)][::-1]  # of each call and those after it
    placed = [(at, [(earliest[at], call)]) for at, call in enumerate(calls)]
    timed = ((one.event["number"], [(entry.at, entry) for entry in _entries(one)]) for one in news)
    placed += ((having[bisect(firsts, number)], some) for number, some in timed)
    found = chain.from_iterable(some for _, some in sorted(placed, key=itemgetter(0)))
    return [entry for _, entry in sorted(found, key=itemgetter(0))]


def together(sources: Iterable[Iterator[TailEntry]]) -> Iterator[TailEntry]:
    """Yield the new entries of all sources, until one of them fails: raises its error."""
    queue: SimpleQueue[TailEntry | Exception] = SimpleQueue()

    def pass_on(source: Iterator[TailEntry]) -> None:
        try:
            for entry in source:
                queue.put(entry)
        except Exception as error:
            queue.put(error)

    for source in sources:
        Thread(target=pass_on, args=(source,), daemon=True).start()
    while True:
        entry = queue.get()
        if isinstance(entry, Exception):
            raise entry
        yield entry


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
    below = [f"because {delivery['because']}"] if delivery["because"] else []
    if delivery["next_attempt_at"]:
        below.append(f"next attempt at {delivery['next_attempt_at']}")
    return head, "green" if is_success(delivery["status"]) else "red", below


LINES: Final = {"call": _call, "event": _event, "delivery": _delivery}
"""How each kind of entry is printed: a line, its colour, and the lines below it."""
