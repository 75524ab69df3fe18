"""The command `payment-sandbox`: one row a command, each imported only when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Final, NamedTuple

import click

from mock_server import __version__


class Row(NamedTuple):
    """A command's name and the module that holds it as `command`."""

    name: str
    module: str
    summary: str


SERVE: Final = "serve"
OWN_FLAGS: Final = ("--help", "--version")
"""Flags of the command itself; any other before a command's name is one of `serve`."""
COMMANDS: Final = (
    Row(SERVE, "serve", "Start the sandbox."),
    Row("ready", "ready", "Ask a running sandbox whether it is ready; exit 0 or 1."),
    Row("wait", "wait", "Wait until a sandbox is ready."),
    Row("cards", "cards", "Print the test cards."),
    Row("errors", "errors", "Print the errors that the API answers with."),
    Row("scenarios", "scenarios", "List, check, play and begin scenarios."),
    Row("why", "why", "Say why a payment stands where it stands."),
    Row("timeline", "timeline", "Tell what happened to a payment, in order."),
    Row("tail", "tail", "Follow calls, decisions and webhooks as they come."),
    Row("webhooks", "webhooks", "Follow the webhooks of a running sandbox."),
    Row("trigger", "trigger", "Tell an event of an object by hand."),
    Row("sign", "sign", "Print the headers that a webhook's body is sent with."),
    Row("openapi", "openapi", "Print the API as an OpenAPI document."),
    Row("states", "states", "Print the states of payments, refunds, disputes and more."),
    Row("conformance", "conformance", "Hold a server against what clients rely on."),
    Row("verdict", "verdict", "Say what a client does wrong."),
    Row("probe", "probe_receiver", "Try a receiver of webhooks with odd events."),
    Row("coverage", "coverage", "Say what can happen and was never met."),
    Row("version", "version", "Print the version."),
)


class Guessing(click.Group):
    """Says which command was meant by a word that is none."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as wrong:
            from mock_server.scenario.model.mistakes import nearest

            hint = nearest(args[0], self.list_commands(ctx))
            raise click.UsageError(wrong.message.rstrip(".") + (hint or "."), ctx) from None


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
        module = next((row.module for row in COMMANDS if row.name == cmd_name), None)
        if module is None:
            return None
        command: click.Command = import_module(f"mock_server.cli.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.summary) for row in COMMANDS])


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="payment-sandbox", message="%(prog)s %(version)s")
def main() -> None:
    """A payment processor's API on your own machine: real states, real errors, no real money."""
