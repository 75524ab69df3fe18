"""`payment-sandbox timeline`."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote

import click

from mock_server.cli.asking import Asking, asking_options
from mock_server.cli.output import FAILED, json_text, stop
from mock_server.cli.terminal import colour_option, has_colours, show

FORMATS: Final = ("text", "json", "mermaid", "svg")


@click.command("timeline")
@click.argument("payment")
@asking_options
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What to print.")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="The file to write it to.")
@colour_option
def command(
    payment: str, key: str | None, url: str | None, port_file: str | None, form: str, output: str | None, colour: str
) -> None:
    """Tell what happened to a payment of a running sandbox, in order: calls, decisions, webhooks, the clock.

    PAYMENT is its id, or `last` for the newest one.
    """
    colours = form == "text" and output is None and has_colours(colour)
    found = Asking(key, url, port_file).call(
        "GET", f"payments/{quote(payment, safe='')}/timeline?{_asked(form, colours)}"
    )
    text = found if isinstance(found, str) else json_text(found)
    if output is None:
        show(text.removesuffix("\n"), colours=colours)
        return
    try:
        Path(output).write_text(text.removesuffix("\n") + "\n", encoding="utf-8")
    except OSError as wrong:
        stop(FAILED, [f"cannot write {output}: {wrong.strerror}"])


def _asked(form: str, colours: bool) -> str:
    return f"format={form}&colour={'true' if colours else 'false'}"
