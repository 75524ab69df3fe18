"""The command `payment-sandbox`: a table of commands, each imported only when it is called.

A new command is a row here and a function in the module that the row names.
"""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO, TextIOWrapper
from traceback import walk_tb
from typing import Any, Final, NamedTuple

import click
from click.shell_completion import CompletionItem

from mock_server import __version__
from mock_server.cli.output import FAILED, USAGE, Guessing, Stop, json_text


class CommandRow(NamedTuple):
    """A command's name, its module in this folder, and its line in `--help`."""

    name: str
    room: str
    summary: str


SERVE: Final = "serve"
JSON_FLAG: Final = "--json"
WRITING: Final = "cannot write the output"
OWN_FLAGS: Final = ("--help", "--version")
"""Flags of the command itself; any other before a command's name is one of `serve`."""
COMMANDS: Final = (
    CommandRow(SERVE, "serve", "Start the sandbox."),
    CommandRow("ready", "asking", "Check whether a running sandbox is ready; exit with 0 or 1."),
    CommandRow("wait", "asking", "Wait until a sandbox is ready."),
    CommandRow("cards", "tables", "List the test cards."),
    CommandRow("errors", "tables", "List the error codes of the API."),
    CommandRow("pay", "acting", "Create a payment."),
    CommandRow("capture", "acting", "Capture an authorized payment."),
    CommandRow("cancel", "acting", "Cancel a payment."),
    CommandRow("refund", "acting", "Refund a payment."),
    CommandRow("authenticate", "acting", "Complete a 3-D Secure challenge."),
    CommandRow("approve", "acting", "Approve a payment under review."),
    CommandRow("reject", "acting", "Reject a payment under review."),
    CommandRow("dispute", "acting", "Open a dispute, as the customer's bank would."),
    CommandRow("settle", "acting", "Settle a pending payment or refund."),
    CommandRow("clock", "looking", "Show, advance, freeze and resume the clock."),
    CommandRow("reset", "acting", "Reset the workspace."),
    CommandRow("snapshot", "acting", "Save and restore the workspace."),
    CommandRow("scenarios", "scenarios", "List, check, run, create and turn on scenarios."),
    CommandRow("payments", "looking", "List payments."),
    CommandRow("refunds", "looking", "List refunds."),
    CommandRow("disputes", "looking", "List disputes."),
    CommandRow("mandates", "looking", "List mandates."),
    CommandRow("events", "looking", "List events."),
    CommandRow("get", "looking", "Print a payment, refund, dispute, mandate or event."),
    CommandRow("export", "looking", "Export a payment as a test, commands, HAR or a scenario."),
    CommandRow("search", "acting", "Find payments and more by ID, amount, customer or error."),
    CommandRow("why", "asking", "Explain the status of a payment."),
    CommandRow("timeline", "asking", "Show the history of a payment."),
    CommandRow("tail", "tail", "Follow calls, decisions and webhooks live."),
    CommandRow("listen", "webhooks", "Forward webhooks to a URL of yours."),
    CommandRow("trigger", "acting", "Send a test event."),
    CommandRow("resend", "acting", "Send an event again."),
    CommandRow("sign", "webhooks", "Print the signature headers for a webhook body."),
    CommandRow("openapi", "tables", "Print the OpenAPI document."),
    CommandRow("collection", "collection", "Write a collection for Postman or Bruno."),
    CommandRow("states", "tables", "Print the state machines of payments, refunds and more."),
    CommandRow("conformance", "conformance", "Run the conformance suite against a server."),
    CommandRow("verdict", "verdict", "Find mistakes in how a client uses the API."),
    CommandRow("probe", "verdict", "Test a webhook receiver with unusual events."),
    CommandRow("coverage", "verdict", "Show which outcomes have not been tested."),
    CommandRow("data", "serve", "Check a database file of `serve --data`."),
    CommandRow("ca", "tls", "Show the certificate authority of `serve --tls`."),
    CommandRow("mcp", "mcp", "Serve the commands as MCP tools for a coding agent."),
    CommandRow("completion", "completion", "Print a shell completion script."),
)


class LateGroup(Guessing):
    """Lists the commands from the table, so that `--help` and `--version` import none of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [row.name for row in COMMANDS]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A container's user appends flags of `serve` to the image's name: `docker run IMAGE --seed shop`.
        if args and args[0].startswith("--") and args[0] not in OWN_FLAGS:
            args = [SERVE, *args]
        ctx.meta[JSON_FLAG] = JSON_FLAG in args
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **more: Any) -> Any:
        """Run the program; the help too can be printed where nothing can be written."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper) and stream.encoding != "utf-8":
                # A terminal gets the letters that it has; files and programs UTF-8, as the files that a command writes.
                stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
        try:
            return super().main(*args, **more)
        except OSError as error:
            click.echo(f"payment-sandbox: {WRITING}: {error.strerror}", err=True)
            sys.exit(1)
        finally:
            try:
                click.echo(nl=False)
            except OSError:
                sys.stdout = StringIO()  # else Python writes what is left once more at its end, and says that it failed

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; with `--json`, an error is an object on stderr: that of the API, if there is one."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            wrong: click.ClickException = error
        except UnicodeEncodeError as error:  # bytes that are not UTF-8, or what a header cannot hold
            wrong = click.UsageError(f"{error.object!a} has characters that are not allowed here", ctx)
        except BrokenPipeError:  # click ends quietly when nobody reads on
            raise
        except OSError as error:
            *_, (frame, _) = walk_tb(error.__traceback__)
            place = error.filename or (WRITING if frame.f_code is click.echo.__code__ else "the system says")
            wrong = Stop(USAGE if error.filename else FAILED, [f"{place}: {error.strerror or error}"])
        if not ctx.meta[JSON_FLAG]:
            raise wrong
        body = getattr(wrong, "body", None)
        shown = body or {"error": {"message": wrong.format_message(), "exit_code": wrong.exit_code}}
        click.echo(json_text(shown), err=True)
        raise click.exceptions.Exit(wrong.exit_code)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        room = next((row.room for row in COMMANDS if row.name == cmd_name), None)
        if room is None:
            return None
        here = vars(import_module(f"{__name__}.{room}"))
        commands = (value for value in (*here.values(), *here.get("MADE", ())) if isinstance(value, click.Command))
        return next((command for command in commands if command.name == cmd_name), None)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer commands from the table, or the flags of `serve`."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(row.name, help=row.summary) for row in COMMANDS if row.name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.summary) for row in COMMANDS])


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="payment-sandbox", message="%(prog)s %(version)s")
def main() -> None:
    """A payment processor's API on your own machine: real states, real errors, no real money."""
