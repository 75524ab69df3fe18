"""`payment-sandbox states`."""

from __future__ import annotations

import click

from mock_server.cli import tables
from mock_server.cli.output import json_text


@click.command("states")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--mermaid", is_flag=True, help="Print a Mermaid state diagram.")
def command(as_json: bool, mermaid: bool) -> None:
    """Print the states of a payment and the ways between them."""
    statuses, transitions = tables.statuses(), tables.transitions()
    if mermaid:
        click.echo(tables.mermaid())
    elif as_json:
        click.echo(json_text({"statuses": statuses.as_records(), "transitions": transitions.as_records()}))
    else:
        click.echo(f"{statuses.as_text()}\n\n{transitions.as_text()}")
