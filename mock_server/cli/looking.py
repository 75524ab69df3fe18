"""The commands that look at a workspace and leave nothing in its journal: lists, one object, and an export."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

import click

from mock_server.cli import completion, saying
from mock_server.cli.acting import LAST, LISTS, commands_of, newest
from mock_server.cli.asking import RunningSandbox, asks_sandbox, duration
from mock_server.cli.output import FAILED, FILE, Guessing, json_text, show, stop, write
from mock_server.domain import ids, instants
from mock_server.domain.statuses import ALIASES, DisputeStatus, MandateStatus, PaymentStatus, RefundStatus

DELIVERY: Final = {"delivered": {"is_delivered": "true"}, "undelivered": {"is_delivered": "false"}}
EXPORTS: Final = ("pytest", "curl", "har", "scenario")
"""The forms of an export, as on the payment's page in the dashboard."""


class LookRow(NamedTuple):
    """A kind of object: its list, its id's name, the query for each `--status`, and how one is printed."""

    name: str
    part: str
    statuses: Mapping[str, Mapping[str, str]]
    tell: Callable[[Any], Iterator[str]]


def _by_status(kind: type[StrEnum]) -> dict[str, dict[str, str]]:
    words = [*kind, *(word for word, status in ALIASES.items() if isinstance(status, kind))]
    return {str(word): {"status": str(word)} for word in words}


LOOKS: Final = (
    LookRow("payments", "payment_id", _by_status(PaymentStatus), saying.payment_lines),
    LookRow("refunds", "refund_id", _by_status(RefundStatus), saying.refund_lines),
    LookRow("disputes", "dispute_id", _by_status(DisputeStatus), saying.dispute_lines),
    LookRow("mandates", "mandate_id", _by_status(MandateStatus), saying.mandate_lines),
    LookRow("events", "event_id", DELIVERY, saying.event_lines),
)


def listing(row: LookRow) -> click.Command:
    """The row as a command that lists its objects."""

    @click.command(row.name, help=f"List {row.name}, newest first. The journal does not record it.")
    @asks_sandbox
    @click.option("--status", type=click.Choice(list(row.statuses)), help="Only those with this status.")
    @click.option("--since", metavar="TIME", help="Only those created since then: 2h, or 2026-01-31T09:05:00Z.")
    @click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Maximum number.")
    @click.option("--json", "as_json", is_flag=True, help="Print the API objects as JSON.")
    def run(sandbox: RunningSandbox, status: str | None, since: str | None, limit: int, as_json: bool) -> None:
        asked = row.statuses[status] if status else {}
        page = sandbox.get(LISTS[row.part], limit=limit, **asked, created_gte=_since(sandbox, since) if since else None)
        lines = [line for record in page["data"] for line in row.tell(record)]
        if page["total_count"] > len(page["data"]):
            lines.append(f"{page['total_count']:,} {row.name}, {len(page['data'])} listed")
        show(json_text(page) if as_json else lines or f"no {row.name}", wraps=not as_json)

    return run


def _since(sandbox: RunningSandbox, said: str) -> str:
    """The instant of `--since`; a duration counts back from the workspace's time."""
    with suppress(ValueError):
        return instants.iso(instants.parse(said))
    ago = duration(said, "--since (2h, or 2026-01-31T09:05:00Z)")
    return instants.iso(max(0, instants.parse(sandbox.get("clock")["now"]) - ago))


AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print the API object as JSON.")


@click.group("clock", cls=Guessing, commands=commands_of("clock"), invoke_without_command=True)
@asks_sandbox
@AS_JSON
@click.pass_context
def clock(ctx: click.Context, sandbox: RunningSandbox, as_json: bool) -> None:
    """Show the time of a workspace; advance, freeze and resume its clock."""
    typed = {name: value for name, value in ctx.params.items() if value}
    ctx.default_map = dict.fromkeys(clock.commands, typed)  # for the command whose name follows
    if ctx.invoked_subcommand is None:
        answer = sandbox.get("clock")
        show(json_text(answer) if as_json else saying.clock_lines(answer), wraps=not as_json)


@click.command("get")
@click.argument("object_id", metavar="ID", shell_complete=completion.last)
@asks_sandbox
@AS_JSON
def get(sandbox: RunningSandbox, object_id: str, as_json: bool) -> None:
    """Print a payment, refund, dispute, mandate or event. ID is its ID, or `last` for the newest payment.

    It does not count as a poll, and the journal does not record it.
    """
    prefixed = (row for row in LOOKS if object_id.startswith(ids.KINDS[row.part.removesuffix("_id")].prefix))
    row = next(prefixed, LOOKS[0])  # an id without a prefix of ours is a payment's
    wanted = newest(sandbox, row.part) if object_id == LAST else object_id
    if not (records := sandbox.get(LISTS[row.part], id=wanted)["data"]):
        said = f"there is no {row.name[:-1]} {wanted} in this workspace"
        stop(FAILED, [f"{said}; `payment-sandbox {row.name}` lists them"])
    show(json_text(records[0]) if as_json else row.tell(records[0]), wraps=not as_json)


@click.command("export")
@click.argument("payment", shell_complete=completion.last)
@asks_sandbox
@click.option("--as", "form", type=click.Choice(EXPORTS), default="pytest", show_default=True, help="Form.")
@click.option("--output", "-o", type=FILE, help="Write to this file instead of standard output.")
def export(sandbox: RunningSandbox, payment: str, form: str, output: Path | None) -> None:
    """Export the history of a payment as a test, as curl commands, as an HTTP archive or as a scenario.

    PAYMENT is its ID, or `last` for the newest payment.
    """
    why = sandbox.get(f"payments/{quote(payment, safe='')}/why")
    answer = sandbox.ask("GET", f"{urlsplit(why['page']).path}/export?as={form}")
    if (form == "curl" and "curl " not in str(answer)) or '"entries": []' in answer:
        stop(FAILED, [f"the journal has no call of {payment}: it was given or restored, or they were cleared or lost"])
    if why["calls_since"] and form in ("curl", "har"):
        show(f"left out: calls before {why['calls_since']}, which are no longer in the journal", err=True)
    text = (answer if isinstance(answer, str) else json_text(answer)).removesuffix("\n")
    if output is None:
        show(text)
    else:
        write(output, f"{text}\n")


MADE: Final = (*map(listing, LOOKS), get, export)
