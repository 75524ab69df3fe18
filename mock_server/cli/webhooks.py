"""`payment-sandbox webhooks tail`, `listen` and `sign`: the webhooks of a merchant."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any, Final, NamedTuple

import click

from mock_server.addresses import path_of
from mock_server.cli.asking import RunningSandbox, ServerAddress, asks_sandbox, key_of
from mock_server.cli.completion import events
from mock_server.cli.output import FAILED, Guessing, json_line, json_text, show, stop
from mock_server.cli.saying import delivery_line, event_line
from mock_server.cli.serve import read_settings
from mock_server.connections import connection_to
from mock_server.webhooks.signing import headers

WAIT: Final = "10s"
LOOK_AGAIN: Final = "1s"
"""How long a call waits for the next event while deliveries of earlier ones are pending."""
PAUSE_S: Final = 0.2
PATIENCE_S: Final = 30.0
"""How long `listen` waits for a receiver's answer."""
ANSWER_SHOWN: Final = 200
"""How many bytes of it are printed."""
MOST_FOLLOWED: Final = 100
"""Events with pending deliveries that are followed; older ones are dropped."""


@click.group("webhooks", cls=Guessing)
def webhooks() -> None:
    """Follow the webhooks of a running sandbox live."""


@webhooks.command("tail")
@asks_sandbox
@click.option("--lines", default=10, show_default=True, help="Print this many earlier events first.")
@click.option("--follow/--no-follow", default=True, help="Keep following until Ctrl-C; otherwise print and exit.")
@click.option("--type", "event_type", shell_complete=events, help="Only events of this type.")
@click.option("--payment-id", help="Only events about this payment.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as one JSON object per line.")
def tail(
    sandbox: RunningSandbox, lines: int, follow: bool, event_type: str | None, payment_id: str | None, as_json: bool
) -> None:
    """Print new events and the result of each delivery attempt."""
    inbox = FollowedInbox(sandbox, {"type": event_type or None, "payment_id": payment_id or None})
    try:
        for news in chain(inbox.so_far(lines), inbox.coming() if follow else ()):
            lines_of_it = _lines(news) if not as_json else [json_line(news.event)] if news.is_first else ()
            for line in lines_of_it:
                show(line, wraps=not as_json)
    except KeyboardInterrupt:
        return


class EventNews(NamedTuple):
    """An event, whether it is new, and its deliveries since the last time."""

    event: Any
    is_first: bool
    deliveries: list[Any]


class FollowedInbox:
    """The events of a workspace and their deliveries, each reported once; `asked` is a query that filters them."""

    def __init__(self, sandbox: RunningSandbox, asked: Mapping[str, str | None]) -> None:
        self._sandbox = sandbox
        self._asked = asked
        self._read_to = 0
        self._seen: dict[str, int] = {}
        """How many deliveries of each event with pending ones were reported."""

    def so_far(self, count: int) -> list[EventNews]:
        """Return the last events."""
        events = self._sandbox.get("webhooks", limit=max(count, 1), **self._asked)["data"]
        news = [self._news(event, is_first=True) for event in events]
        return news if count > 0 else []

    def coming(self) -> Iterator[EventNews]:
        """Yield new events, and earlier ones with new deliveries."""
        while True:
            wait = LOOK_AGAIN if self._seen else WAIT
            page = self._sandbox.get("webhooks", after=self._read_to, wait=wait, limit=100, **self._asked)
            for event in page["data"]:
                yield self._news(event, is_first=True)
            for event_id in tuple(self._seen):
                yield self._news(self._sandbox.get(f"webhooks/{event_id}"), is_first=False)

    def _news(self, event: Any, *, is_first: bool) -> EventNews:
        event_id, deliveries = event["event_id"], event["deliveries"]
        self._read_to = max(self._read_to, event["number"])
        reported = self._seen.pop(event_id, 0)
        if not event["is_delivered"] and not event["why"]:
            self._seen[event_id] = len(deliveries)
        while len(self._seen) > MOST_FOLLOWED:
            del self._seen[next(iter(self._seen))]
        return EventNews(event, is_first, deliveries[reported:])


def _lines(news: EventNews) -> Iterator[str]:
    event = news.event
    if news.is_first:
        yield event_line(event)
    yield from (f"  {delivery_line(delivery)}" for delivery in news.deliveries)
    if event["why"]:
        yield f"  {event['why']}"
    elif news.deliveries and event["next_attempt_at"]:
        yield f"  next attempt at {event['next_attempt_at']}"


@click.command("listen")
@click.option("--forward-to", "address", type=ServerAddress(), required=True, help="URL to post events to.")
@click.option("--type", "event_type", shell_complete=events, help="Only events of this type.")
@asks_sandbox
@click.option(
    "--json", "as_json", is_flag=True, help="Print each event as one JSON object per line; answers go to stderr."
)
def listen(sandbox: RunningSandbox, address: str, event_type: str | None, as_json: bool) -> None:
    """Post every new event to a URL of yours, until Ctrl-C, and print the answers.

    The body and headers are those of a real webhook. This does not change the endpoint and is not a delivery attempt.
    Events of a profile with its own secret are signed with that secret.

    \b
    Example:
      payment-sandbox listen --forward-to http://localhost:8000/webhooks
    """
    last = next(iter(sandbox.get("webhooks", limit=1, type=event_type or None)["data"]), None)
    secret = sandbox.get("webhooks/target")["secret"]
    show(f"forwarding events to {address}, signed with {secret}", err=as_json)
    try:
        for event in _coming(sandbox, event_type, last):
            show(json_line(event) if as_json else event_line(event))
            show(f"  {posted(event, address)}", err=as_json)
    except KeyboardInterrupt:
        return


def _coming(sandbox: RunningSandbox, event_type: str | None, last: Any) -> Iterator[Any]:
    """Yield each event after the last one; in a workspace that was reset, from its first one on.

    It polls, because a call that waits for events ends when its workspace is reset.
    """
    while True:
        after = last["number"] - 1 if last else 0
        page = sandbox.get("webhooks", after=after, limit=100, type=event_type or None)["data"]
        if last and [event["event_id"] for event in page[:1]] != [last["event_id"]]:
            last = None
            continue
        new = page[1:] if last else page
        yield from new
        last = new[-1] if new else last
        if not new:
            Event().wait(PAUSE_S)


def posted(event: Any, address: str) -> str:
    """Post the same bytes and headers, and return the answer or the error as text."""
    connection = connection_to(address, PATIENCE_S)
    body = event["payload"].encode()
    try:
        connection.putrequest("POST", path_of(address), skip_accept_encoding=True)
        for name, value in event["headers"]:
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        said = answer.read(ANSWER_SHOWN).decode("utf-8", "replace").strip()
        return f"answered {answer.status} {said}".rstrip()
    except (OSError, HTTPException) as wrong:
        return f"cannot reach {address}: {wrong!r}"
    finally:
        connection.close()


@click.command("sign")
@click.argument("file", default="-")
@click.option(
    "--secret", help="Secret to sign with; by default the setting webhook_secret, then the one derived from the key."
)
@click.option("--key", help="Secret key of the workspace that would send it; by default PAYMENT_SANDBOX_API_KEY.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sign(file: str, secret: str | None, key: str | None, as_json: bool) -> None:
    """Print the signature headers for the body in FILE (or standard input). Works without a running sandbox."""
    try:
        body = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as wrong:
        stop(FAILED, [f"cannot read {file}: {wrong.strerror}"])
    secret = secret or read_settings({}).settings.webhook_secret
    if not secret:
        from mock_server.sandbox import identity

        secret = identity.make(identity.OF_KEYS + key_of(key).digest, None, 0).webhook_secret
    made = headers(body, secret, {})
    click.echo(json_text(dict(made)) if as_json else "\n".join(f"{name}: {value}" for name, value in made))
