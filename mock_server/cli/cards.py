"""`payment-sandbox cards`."""

from __future__ import annotations

import click

from mock_server.cli import tables
from mock_server.cli.output import print_table


@click.command("cards")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--declines", is_flag=True, help="Print the reasons for which a charge can fail instead.")
def command(as_json: bool, declines: bool) -> None:
    """Print the test cards: which number does what."""
    print_table(tables.declines() if declines else tables.cards(), as_json=as_json)
