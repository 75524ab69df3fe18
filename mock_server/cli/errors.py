"""`payment-sandbox errors`."""

from __future__ import annotations

import click

from mock_server.cli import tables
from mock_server.cli.environment import read_settings
from mock_server.cli.output import print_table


@click.command("errors")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--never", is_flag=True, help="Print the public codes that this server never raises instead.")
def command(as_json: bool, never: bool) -> None:
    """Print the errors that the API answers with, in the words of the dialect that is set."""
    dialect = read_settings({}).settings.dialect
    print_table(tables.codes(dialect) if never else tables.errors(dialect), as_json=as_json)
