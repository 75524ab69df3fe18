"""`payment-sandbox serve`, a server with settings from flags, the environment and files; and `data check`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any, Final

import click

from mock_server.cli.output import FAILED, STOPS, USAGE, Guessing, offers, stop
from mock_server.domain.nouns import noun
from mock_server.settings import CONFIG_VARIABLE, ROWS, LoadedSettings, SettingRow, SettingsRefused, load
from mock_server.settings.load import read_file, text_of

TURN_S: Final = 0.001
"""How long a thread computes while another one waits. A thread that answers a call waits this long after each system
call: with the interpreter's five milliseconds, a tenth of a second while another thread searches many payments."""


def read_settings(flags: Mapping[str, str]) -> LoadedSettings:
    """Return the settings; a mistake ends the command with exit code 2."""
    try:
        return load(flags, os.environ, lambda path: read_file(path).decode("utf-8-sig"))
    except SettingsRefused as refused:
        stop(USAGE, refused.mistakes)


def _option(row: SettingRow) -> click.Option:
    """The flag of a setting; its value is read as text, as those of variables and files are."""
    kind, shown = row.kind, row.shown_default()
    said = f"{row.doc}  [default: {shown}; env: {row.variable}]" if shown else f"{row.doc}  [env: {row.variable}]"
    if row.default is False:
        return click.Option([f"{row.flag}/--no-{row.flag[2:]}", row.name], default=None, help=said)
    alone: dict[str, Any] = {"is_flag": False, "flag_value": "true"} if "true" in kind.words else {}
    offered = offers(lambda: kind.words)
    return click.Option(
        [row.flag, row.name], metavar=kind.metavar, multiple=kind.listed, help=said, shell_complete=offered, **alone
    )


def texts(flags: dict[str, Any]) -> dict[str, str]:
    """Return the flags that were given, each as the text of a variable."""
    return {name: text_of(value) for name, value in flags.items() if value not in (None, ())}


@click.command("serve")
@click.option(
    "--config",
    metavar="FILE",
    help=f"YAML or TOML file with settings; flags and environment variables override it.  [env: {CONFIG_VARIABLE}]",
)
def serve(**flags: Any) -> None:
    """Start the sandbox.

    A flag overrides an environment variable, which overrides the settings file, which overrides the default.
    """
    # Until the server has its own handlers: the first process of a container ignores signals without a handler, so it
    # could not be stopped while it starts.
    for number in STOPS:
        signal.signal(number, lambda signum, frame: sys.exit(0))
    # Imports make a hundred thousand objects that all stay. To examine them takes a tenth of the start, and again time
    # with each later collection, so the collector ignores them once they are there (`serving.py`).
    gc.disable()
    sys.setswitchinterval(TURN_S)
    loaded = read_settings(texts(flags))
    try:
        # Imported once the settings are valid, because this imports the whole server.
        from mock_server.cli import serving

        code = serving.serve(loaded)
    except MemoryError:
        stop(FAILED, ["not enough memory to start"])
    raise SystemExit(code)


serve.params += map(_option, ROWS.values())


@click.group("data", cls=Guessing)
def data_group() -> None:
    """Check a database file of `serve --data`."""


@data_group.command("check")
@click.argument("file", metavar="FILE")
def check(file: str) -> None:
    """Read every workspace in FILE and report damage; exit with 0 or 1.

    A file that a server has open, or that is not a file of this program, is refused with exit code 2.
    """
    if "://" not in file and not os.access(file, os.F_OK):
        stop(USAGE, [f"{file} does not exist"])
    from mock_server.cli import serving  # noqa: F401  # the whole server, with the types of all lines
    from mock_server.sandbox import StateRefused
    from mock_server.sandbox.outliving import check as check_file

    try:
        workspaces, found = check_file(file)
    except StateRefused as refused:
        stop(USAGE, [str(refused)])
    if found:
        stop(FAILED, found)
    click.echo(f"{file} is valid: {workspaces} {noun(workspaces, 'workspace')}")
