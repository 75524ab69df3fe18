"""How the commands print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NoReturn

import click

from mock_server.cli.tables import Table
from mock_server.cli.terminal import terminal_width

FAILED: Final = 1
USAGE: Final = 2
NOTHING_TO_DO: Final = 3
"""There was nothing that the command could have been about (ours)."""


def print_table(table: Table, *, as_json: bool) -> None:
    """Print columns that fit the terminal, or an array of objects; a pipe gets each row on one line."""
    if as_json:
        click.echo(json_text(table.as_records()))
    else:
        click.echo(table.as_text(terminal_width()))


def json_text(value: object) -> str:
    """Return indented JSON with every sign as it is."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def json_line(value: object) -> str:
    """Return JSON on one line, with every sign as it is."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def stop(code: int, lines: Sequence[str]) -> NoReturn:
    """Say what is wrong on stderr, and end with this code (decisions "Names", exit codes)."""
    for line in lines:
        click.echo(f"payment-sandbox: {line}", err=True)
    raise SystemExit(code)
