"""`payment-sandbox webhooks tail`, `trigger` and `sign`: what a merchant is sent."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from mock_server.cli.asking import RunningSandbox, asks_sandbox, key_of
from mock_server.cli.output import FAILED, USAGE, Guessing, json_line, json_text, stop
from mock_server.cli.serve import read_settings
from mock_server.webhooks.signing import headers

WAIT: Final = "1s"
MOST_FOLLOWED: Final = 100
"""So many events whose deliveries are not over are looked after; older ones are let go."""


@click.group("webhooks", cls=Guessing)
def webhooks() -> None:
    """Follow the webhooks of a running sandbox."""


@webhooks.command("tail")
@asks_sandbox
@click.option("--lines", default=10, show_default=True, help="Begin with this many earlier events.")
@click.option("--follow/--no-follow", default=True, help="Keep following until Ctrl-C.")
@click.option("--type", "event_type", help="Only events of this type.")
@click.option("--payment-id", help="Only events about this payment.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, an event each.")
def tail(
    sandbox: RunningSandbox,
    lines: int,
    follow: bool,
    event_type: str | None,
    payment_id: str | None,
    as_json: bool,
) -> None:
    """Print events as they come, and the result of each attempt to deliver them."""
    asked = "".join(f"&{name}={text}" for name, text in (("type", event_type), ("payment_id", payment_id)) if text)
    try:
        for line in WebhooksTail(sandbox, asked, as_json=as_json).lines(lines, follow=follow):
            click.echo(line)
    except KeyboardInterrupt:
        return


class WebhooksTail:
    """What was printed so far: up to which event, and which deliveries."""

    def __init__(self, sandbox: RunningSandbox, asked: str, *, as_json: bool) -> None:
        self._sandbox = sandbox
        self._asked = asked
        self._as_json = as_json
        self._last = 0
        self._open = OpenDeliveries()

    def lines(self, count: int, *, follow: bool) -> Iterator[str]:
        """Yield the last events, and then what comes."""
        found = self._sandbox.call("GET", f"webhooks?limit={max(count, 1)}{self._asked}")["data"]
        self._last = max((event["number"] for event in found), default=0)
        yield from self._events(found if count > 0 else [])
        while follow:
            path = f"webhooks?after={self._last}&wait={WAIT}&limit=100{self._asked}"
            yield from self._events(self._sandbox.call("GET", path)["data"])
            for event_id in self._open.event_ids():
                yield from self._deliveries(self._sandbox.call("GET", f"webhooks/{event_id}"))

    def _events(self, events: list[Any]) -> Iterator[str]:
        for event in events:
            self._last = max(self._last, event["number"])
            if self._as_json:
                yield json_line(event)
                continue
            yield f"{event['created']} {event['event_type']} {event['object_id']} {event['event_id']}"
            yield from self._deliveries(event)

    def _deliveries(self, event: Any) -> Iterator[str]:
        new = self._open.new_of(event)
        for one in new:
            yield f"  {delivery_line(one)}"
        if event["why"]:
            yield f"  {event['why']}"
        elif new and event["next_attempt_at"]:
            yield f"  comes again at {event['next_attempt_at']}"


class OpenDeliveries:
    """The deliveries of events that are not over, and how many of each were seen; the oldest are let go."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def event_ids(self) -> tuple[str, ...]:
        """Return the events to ask for again."""
        return tuple(self._seen)

    def new_of(self, event: Any) -> list[Any]:
        """Return what is new of an event's deliveries, and let it go once they are over."""
        event_id, made = event["event_id"], event["deliveries"]
        seen = self._seen.get(event_id, 0)
        self._seen[event_id] = len(made)
        if event["is_delivered"] or event["why"]:
            del self._seen[event_id]
        while len(self._seen) > MOST_FOLLOWED:
            del self._seen[next(iter(self._seen))]
        return list(made[seen:])


def delivery_line(one: Any) -> str:
    """One request and its answer, short."""
    came = one["error"] or f"answered {one['status']}"
    copy = f" copy {one['copy']}" if one["copy"] > 1 else ""
    return f"attempt {one['number']}{copy} {one['url']} {came} in {one['took_ms']} ms"


@click.command("trigger")
@click.argument("event_type")
@click.argument("object_id")
@click.option(
    "--set", "values", multiple=True, metavar="NAME=VALUE", help="A value in the object; names may hold dots."
)
@asks_sandbox
@click.option("--json", "as_json", is_flag=True, help="Print the event as JSON.")
def trigger(sandbox: RunningSandbox, event_type: str, object_id: str, values: tuple[str, ...], as_json: bool) -> None:
    """Send an event (payment_failed …) of a payment, refund, dispute or mandate of a running sandbox as it is now."""
    body = {"type": event_type, "object_id": object_id, "overrides": overrides(values) or None}
    event = sandbox.call("POST", "webhooks/trigger", body)
    if as_json:
        click.echo(json_text(event))
        return
    click.echo(f"{event['created']} {event['event_type']} {event['object_id']} {event['event_id']}")
    if event["why"]:
        click.echo(f"  {event['why']}")


def overrides(values: tuple[str, ...]) -> dict[str, Any]:
    """Return the object that `a.b=1` and its like spell; a value that is no JSON is text."""
    made: dict[str, Any] = {}
    for pair in values:
        name, sign, text = pair.partition("=")
        if not name or not sign:
            stop(USAGE, [f"--set wants NAME=VALUE, not {pair!r}"])
        *parents, last = name.split(".")
        inside = made
        for parent in parents:
            inside = inside.setdefault(parent, {})
            if not isinstance(inside, dict):
                stop(USAGE, [f"--set {name}: {parent} is a value and an object at once"])
        inside[last] = _value(text)
    return made


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@click.command("sign")
@click.argument("file", default="-")
@click.option(
    "--secret",
    help="The secret to sign with; without it the setting webhook_secret, else the one derived from the key.",
)
@click.option("--key", help="The secret key whose workspace would send it; without it PAYMENT_SANDBOX_API_KEY.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sign(file: str, secret: str | None, key: str | None, as_json: bool) -> None:
    """Print the headers that a body in FILE (or on standard input) is sent with; no sandbox need run."""
    made = headers(_read(file), secret or _secret(key), {})
    click.echo(json_text(dict(made)) if as_json else "\n".join(f"{name}: {value}" for name, value in made))


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as wrong:
        stop(FAILED, [f"cannot read {file}: {wrong.strerror}"])


def _secret(key: str | None) -> str:
    """Return what signs a workspace's events where nobody said otherwise: the same in every run."""
    from mock_server.sandbox import identity

    set_here: str | None = read_settings({}).settings.webhook_secret
    return set_here or identity.make(identity.name_of(key_of(key).digest), None, 0).webhook_secret


COMMANDS: Final = (webhooks, trigger, sign)
