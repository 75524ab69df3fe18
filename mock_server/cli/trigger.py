"""`payment-sandbox trigger`."""

from __future__ import annotations

import json
from typing import Any

import click

from mock_server.cli.asking import Asking, asking_options
from mock_server.cli.output import USAGE, json_text, stop


@click.command("trigger")
@click.argument("event_type")
@click.argument("object_id")
@click.option(
    "--set", "values", multiple=True, metavar="NAME=VALUE", help="A value in the object; names may hold dots."
)
@asking_options
@click.option("--json", "as_json", is_flag=True, help="Print the event as JSON.")
def command(
    event_type: str,
    object_id: str,
    values: tuple[str, ...],
    key: str | None,
    url: str | None,
    port_file: str | None,
    as_json: bool,
) -> None:
    """Tell an event (payment_failed …) of a payment, refund, dispute or mandate of a running sandbox as it stands."""
    body = {"type": event_type, "object_id": object_id, "overrides": overrides(values) or None}
    told = Asking(key, url, port_file).call("POST", "webhooks/trigger", body)
    if as_json:
        click.echo(json_text(told))
        return
    click.echo(f"{told['created']} {told['event_type']} {told['object_id']} {told['event_id']}")
    if told["why"]:
        click.echo(f"  {told['why']}")


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
