"""`payment-sandbox data check`: whether a file of `serve --data` is sound, while no server uses it."""

from __future__ import annotations

from pathlib import Path

import click

from mock_server.cli.output import FAILED, USAGE, stop
from mock_server.store.protocol import StateRefused


@click.group("data")
def data_group() -> None:
    """Check a database file of `serve --data`."""


@data_group.command("check")
@click.argument("file", metavar="FILE")
def check(file: str) -> None:
    """Read every workspace in FILE and report damage; exit with 0 or 1.

    A file that a server has open, or that is not a file of this program, is refused with exit code 2.
    """
    if "://" not in file and not Path(file).exists():
        stop(USAGE, [f"{file} does not exist"])
    from mock_server.sandbox.outliving import check as check_file

    try:
        workspaces, found = check_file(file)
    except StateRefused as refused:
        stop(USAGE, [str(refused)])
    if found:
        stop(FAILED, found)
    click.echo(f"{file} is valid: {workspaces} workspace{'' if workspaces == 1 else 's'}")
