"""`payment-sandbox why`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

import click

from mock_server.cli.asking import Asking, asking_options
from mock_server.cli.output import json_text
from mock_server.cli.terminal import colour_option, has_colours, show

COLOURS: Final = {"good": "green", "bad": "red", "wait": "yellow"}
"""How what the control API calls a tone is painted."""


@click.command("why")
@click.argument("payment")
@asking_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@colour_option
def command(payment: str, key: str | None, url: str | None, port_file: str | None, as_json: bool, colour: str) -> None:
    """Say why a payment of a running sandbox stands where it stands: every decision, and which rules did not match.

    PAYMENT is its id, or `last` for the newest one.
    """
    found = Asking(key, url, port_file).call("GET", f"payments/{quote(payment, safe='')}/why")
    show(json_text(found) if as_json else "\n".join(_lines(found)), colours=not as_json and has_colours(colour))


def _lines(found: Any) -> Iterator[str]:
    failure, waits = found["failure"], found["waits_for"]
    yield click.style(f"{found['payment_id']} is {found['status']}", fg=COLOURS.get(found["tone"]), bold=True)
    yield f"  {found['headline']}"
    if failure:
        yield f"  reason: {failure['decline']}"
    for one in found["decisions"]:
        yield f"{click.style(one['at'], dim=True)} {one['operation']}: {one['text']}"
        yield from (click.style(f"    not {near['rule']}: {near['failed']}", dim=True) for near in one["near_misses"])
    if waits:
        yield f"waits for {waits['kind']}" + (f", which ends {waits['ends']}" if waits["ends"] else "")
    yield from (f"{click.style(due['at'], dim=True)} due: {due['what']}" for due in found["due"])
