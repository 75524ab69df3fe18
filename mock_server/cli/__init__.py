"""The command `payment-sandbox`: one row a command, each imported only when it is called.

A new command is a row here and a function in the module that the row names, listed in the module's `COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import click

from mock_server import __version__
from mock_server.cli.output import Guessing

Commands: TypeAlias = tuple[click.Command, ...]


class CommandRow(NamedTuple):
    """A command's name, the commands of the module that holds it, and what `--help` says of it."""

    name: str
    room: Callable[[], Commands]
    summary: str


# A module of commands comes in with the first call for one of them: each has one function here, and no other place
# imports one late.


def _serve() -> Commands:
    from mock_server.cli.serve import COMMANDS

    return COMMANDS


def _probe() -> Commands:
    from mock_server.cli.probe import COMMANDS

    return COMMANDS


def _tables() -> Commands:
    from mock_server.cli.tables import COMMANDS

    return COMMANDS


def _states() -> Commands:
    from mock_server.cli.states import COMMANDS

    return COMMANDS


def _scenarios() -> Commands:
    from mock_server.cli.scenarios import COMMANDS

    return COMMANDS


def _asking() -> Commands:
    from mock_server.cli.asking import COMMANDS

    return COMMANDS


def _tail() -> Commands:
    from mock_server.cli.tail import COMMANDS

    return COMMANDS


def _webhooks() -> Commands:
    from mock_server.cli.webhooks import COMMANDS

    return COMMANDS


def _tls() -> Commands:
    from mock_server.cli.tls import COMMANDS

    return COMMANDS


def _conformance() -> Commands:
    from mock_server.cli.conformance import COMMANDS

    return COMMANDS


def _verdict() -> Commands:
    from mock_server.cli.verdict import COMMANDS

    return COMMANDS


def _probe_receiver() -> Commands:
    from mock_server.cli.probe_receiver import COMMANDS

    return COMMANDS


def _here() -> Commands:
    return (version,)


@click.command("version")
def version() -> None:
    """Print the version."""
    click.echo(f"payment-sandbox {__version__}")


SERVE: Final = "serve"
OWN_FLAGS: Final = ("--help", "--version")
"""Flags of the command itself; any other before a command's name is one of `serve`."""
COMMANDS: Final = (
    CommandRow(SERVE, _serve, "Start the sandbox."),
    CommandRow("ready", _probe, "Ask a running sandbox whether it is ready; exit 0 or 1."),
    CommandRow("wait", _probe, "Wait until a sandbox is ready."),
    CommandRow("cards", _tables, "Print the test cards."),
    CommandRow("errors", _tables, "Print the errors that the API answers with."),
    CommandRow("scenarios", _scenarios, "List, check, play and begin scenarios."),
    CommandRow("why", _asking, "Say why a payment stands where it stands."),
    CommandRow("timeline", _asking, "Show what happened to a payment, in order."),
    CommandRow("tail", _tail, "Follow calls, decisions and webhooks as they come."),
    CommandRow("webhooks", _webhooks, "Follow the webhooks of a running sandbox."),
    CommandRow("trigger", _webhooks, "Send an event of an object by hand."),
    CommandRow("sign", _webhooks, "Print the headers that a webhook's body is sent with."),
    CommandRow("openapi", _tables, "Print the API as an OpenAPI document."),
    CommandRow("states", _states, "Print the states of payments, refunds, disputes and more."),
    CommandRow("conformance", _conformance, "Check a server against what clients rely on."),
    CommandRow("verdict", _verdict, "Say what a client does wrong."),
    CommandRow("probe", _probe_receiver, "Try a receiver of webhooks with odd events."),
    CommandRow("coverage", _verdict, "Say what can happen and was never met."),
    CommandRow("ca", _tls, "Say where the certificate authority of `serve --tls` is."),
    CommandRow("version", _here, "Print the version."),
)


class LateGroup(Guessing):
    """Lists the commands from the table, so that `--help` and `version` import none of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [row.name for row in COMMANDS]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A container's user appends flags of `serve` to the image's name: `docker run IMAGE --seed shop`.
        if args and args[0].startswith("--") and args[0] not in OWN_FLAGS:
            args = [SERVE, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = next((row for row in COMMANDS if row.name == cmd_name), None)
        return None if row is None else next(command for command in row.room() if command.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.summary) for row in COMMANDS])


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="payment-sandbox", message="%(prog)s %(version)s")
def main() -> None:
    """A payment processor's API on your own machine: real states, real errors, no real money."""
