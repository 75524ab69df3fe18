"""`payment-sandbox data check`: whether a file of `serve --data` is sound, while no server uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mock_server.cli.output import FAILED, USAGE, stop
from mock_server.store.protocol import StateRefused


@click.group("data")
def data_group() -> None:
    """Look after a file of `serve --data`."""


@data_group.command("check")
@click.argument("file", metavar="FILE")
def check(file: str) -> None:
    """Read every workspace in FILE, and say what is damaged; exit 0 or 1.

    A file that a server has open, and one that is no file of this program, is refused with exit 2.
    """
    if "://" not in file and not Path(file).exists():
        stop(USAGE, [f"there is no file {file}"])
    from mock_server.sandbox.outliving import check as check_file

    try:
        workspaces, found = check_file(file)
    except StateRefused as refused:
        stop(USAGE, [str(refused)])
    if found:
        stop(FAILED, found)
    click.echo(f"{file} is sound: {workspaces} workspace{'' if workspaces == 1 else 's'}")


COMMANDS: Final = (data_group,)
