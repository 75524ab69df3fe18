"""The commands that act: one table over operations of the API and of the control API.

`contract.acts` says which operation a command calls and what it does; a row here has its parameters, and how its
answer is printed. The values of parameters fill the parts of the operation's path; the rest is its body, with the API's
own names.
"""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

import click

from mock_server.addresses import query_of
from mock_server.cli import completion, output, saying
from mock_server.cli.asking import RunningSandbox, asks_sandbox, duration
from mock_server.cli.output import FAILED, USAGE, Guessing, MinorUnits, Stop, json_text, offers, show, stop
from mock_server.contract.acts import BY_COMMAND
from mock_server.contract.control_operations import CONTROL_OPERATIONS, EVERY
from mock_server.contract.operation import PARTS, Needs
from mock_server.domain import declines, ids
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.events import PROFILE, EventType
from mock_server.domain.outcomes import Challenge, OutcomeStatus
from mock_server.domain.statuses import DisputeStage
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.story.requests import card_fields

Given = dict[str, Any]
LAST: Final = "last"
LISTS: Final = {f"{kind}_id": f"records/{kind}s" for kind in ("payment", "refund", "dispute", "mandate", "event")}
"""The lists of the control API with each kind of object; a look at them leaves nothing in the journal."""
KEYLESS: Final = frozenset(row.name for row in CONTROL_OPERATIONS if row.needs is Needs.NOTHING)


class ActRow:
    """One command: its name, its operation, its help, how its answer is printed, and its parameters.

    `tell` is a text with the answer's fields, or a function that makes lines of it. `fixed` goes into every body; `act`
    replaces the call where one call is not enough.
    """

    def __init__(
        self,
        name: str,
        examples: Sequence[str],
        tell: str | Callable[[Any], Iterator[str]],
        *params: click.Parameter,
        fixed: Mapping[str, object] = MappingProxyType({}),
        act: Callable[[RunningSandbox, Given], Any] | None = None,
    ) -> None:
        self.group, _, self.word = name.rpartition(" ")
        lines = "\n".join(f"  payment-sandbox {example}" for example in examples)
        row = BY_COMMAND[name]
        self.about, self.operation = row.about, row.operation
        self.help = f"{row.about}\n\n\b\nExamples:\n{lines}"
        self.tell, self.params, self.fixed, self.act = tell, params, fixed, act

    def told(self, answer: Any) -> Iterable[str]:
        return [self.tell.format_map(answer)] if isinstance(self.tell, str) else self.tell(answer)

    def do(self, sandbox: RunningSandbox, given: Given) -> Any:
        """Do it with the given values, and return the API's object."""
        given = {**self.fixed, **given}
        return self.act(sandbox, given) if self.act else perform(sandbox, self.operation, given)


def perform(sandbox: RunningSandbox, operation: str, given: Given, *, with_key: bool = True) -> Any:
    """Call an operation, and return the API's object; an error ends the command."""
    row, values = EVERY[operation], {name: value for name, value in given.items() if value is not None}
    values |= {name: newest(sandbox, name) for name in LISTS if values.get(name) == LAST}
    path = PARTS.sub(lambda part: quote(values.pop(part[1]), safe=""), row.path)
    headers = {"X-Sandbox-Scenario": values.pop("scenario")} if "scenario" in values else {}
    if "card" in values:
        try:
            values.update(card_fields(values.pop("card"), {}))
        except ValueError as wrong:
            stop(USAGE, [f"--card: {wrong}; `payment-sandbox cards` lists them"])
    if row.method == "GET":
        path += query_of(values)
    body = values if row.method == "POST" else None
    return sandbox.ask(row.method, path, body, headers, with_key=with_key and operation not in KEYLESS)


def newest(sandbox: RunningSandbox, part: str) -> str:
    """Return the id for `last`; if there is no object yet, the command ends."""
    if not (rows := sandbox.get(LISTS[part], limit=1)["data"]):
        kind = part.removesuffix("_id")
        stop(FAILED, [f"this workspace has no {kind} yet, so `last` means nothing: create one first"])
    return str(rows[0][part])


def _trigger(sandbox: RunningSandbox, given: Given) -> Any:
    """Send an event of an object; without one, create what causes the event."""
    event_type, object_id, values = given["type"], given["object_id"], overrides(given["overrides"])
    if event_type not in set(EventType):
        said = f"{event_type} is not an event{nearest(event_type, EventType)}" if event_type else "name an event"
        stop(USAGE, [f"{said}; the events are: {', '.join(EventType)}"])
    if object_id is None:
        if values:
            stop(USAGE, ["--set needs an object that exists: give its ID, or `last`"])
        return _made(sandbox, event_type)
    if object_id == LAST:
        object_id = newest(sandbox, f"{EventType(event_type).about.removesuffix('s')}_id")
    body = {"type": event_type, "object_id": object_id, "overrides": values or None}
    return perform(sandbox, "control.trigger_webhook", body)


def _made(sandbox: RunningSandbox, word: str) -> Any:
    """The event, after its recipe's calls."""
    known: Given = {}
    for operation, body in EventType(word).recipe:
        parts = PARTS.findall(EVERY[operation].path)
        if not known.keys() >= {*parts}:
            break  # the object that it is about was not created
        mine = {name: known[name] for name in (*parts, *body) if name in known}
        answer = perform(sandbox, operation, {**body, **mine})
        known |= {name: value for name, value in answer.items() if name in LISTS and value is not None}
    events = sandbox.get("webhooks", type=word, limit=100)["data"]
    if not (caused := [event for event in events if event["object_id"] in known.values()]):
        problem = "a scenario or the queue decided otherwise; see `payment-sandbox why last`"
        stop(FAILED, [f"no {word} was created: {problem}"])
    return caused[-1]


def _settle(sandbox: RunningSandbox, given: Given) -> Any:
    """A refund is recognised by the prefix of its id; `last` is a payment."""
    is_refund = given["id"].startswith(ids.KINDS["refund"].prefix)
    operation, part = ("control.settle_refund", "refund_id") if is_refund else ("control.settle", "payment_id")
    return perform(sandbox, operation, {part: given.pop("id"), **given})


def _put(sandbox: RunningSandbox, given: Given) -> Any:
    """Upload what `scenarios check` would check; a file that cannot be read here is a usage error."""
    from mock_server.cli.shelf import contents, meant
    from mock_server.scenario.loading.sources import files_in, in_order, source

    paths = map(Path, meant(given["words"]))
    files = [str(file) for path in paths for file in (files_in(path) if path.is_dir() else [path])]
    if not files:
        stop(output.NOTHING_TO_DO, ["there is no scenario to upload"])
    if given["name"] and len(files) != 1:
        stop(USAGE, [f"--name is for one scenario, not for {len(files)}"])
    try:
        sources = in_order([source(contents(file), Path(file).stem, file=file) for file in files])
    except ValueError as wrong_names:
        stop(USAGE, [str(wrong_names)])
    answers = []
    for one in sources:
        try:
            path = f"/_sandbox/scenarios/{quote(given['name'] or one.name, safe='')}"
            answers.append(sandbox.ask("PUT", path, one.text.encode()))
        except Stop as wrong:
            if wrong.status:
                done = [f"uploaded before it: {len(answers)} of {len(files)}"][: len(files) - 1]
                wrong.lines = [f"{one.file}: {wrong.lines[0]}", *wrong.lines[1:], *done]
            raise
    return answers[0] if len(answers) == 1 else {"data": answers}


def _queue(sandbox: RunningSandbox, given: Given) -> Any:
    """Queue an outcome: a word (`insufficient_funds`, `pending`), or keys of the scenario language (`challenge=declined`)."""
    then = given["then"]
    if len(then) > 1 or "=" in then[0]:
        return perform(sandbox, "control.put_next", {**given, "then": overrides(then)})
    known: dict[str, str] = dict.fromkeys(OutcomeStatus, "outcome")
    known |= dict.fromkeys(declines.names(), "decline")
    if then[0] not in known:
        stop(USAGE, [f"{then[0]} is neither a decline nor an outcome{nearest(then[0], known)}"])
    return perform(sandbox, "control.put_next", {**given, "then": {known[then[0]]: then[0]}})


def overrides(values: Sequence[str]) -> Given:
    """Return the object of words such as `a.b=1`; a value that is not JSON is text."""
    made: Given = {}
    for pair in values:
        name, sign, text = pair.partition("=")
        if not name or not sign:
            stop(USAGE, [f"expected NAME=VALUE, not {pair!r}"])
        *parents, last = name.split(".")
        inside: Any = made
        for parent in parents:
            inside = inside.setdefault(parent, {}) if isinstance(inside, dict) else inside
        if not isinstance(inside, dict) or last in inside:
            stop(USAGE, [f"{name} is given twice, or both as a value and as an object"])
        try:
            inside[last] = json.loads(text)
        except (ValueError, RecursionError):
            inside[last] = text
    return made


def _amount(said: str = "Amount; the full amount by default", field: str = "amount") -> click.Option:
    return click.Option(["--amount", field], type=MinorUnits(), help=f"{said}; in minor units: 6540 is 65.40 USD.")


_PAYMENT: Final = click.Argument(["payment_id"], metavar="PAYMENT", shell_complete=completion.last)
_NAME: Final = click.Argument(["name"], metavar="NAME")
_SCENARIO: Final = click.Argument(["name"], metavar="NAME", shell_complete=completion.scenarios)

ACTS: Final = (
    ActRow("pay", ("pay", "pay --card visa_insufficient_funds", "pay --amount 1000 --currency EUR --manual-capture", "pay --three-ds"), saying.payment_lines,
        click.Option(["--card"], default="success", show_default=True, shell_complete=completion.cards, help="Name or number of a test card; see payment-sandbox cards."),
        click.Option(["--amount"], type=MinorUnits(), default=6540, show_default=True, help="Amount in minor units: 6540 is 65.40 USD, or 6540 JPY."),
        click.Option(["--currency"], default="USD", show_default=True, help="Three-letter currency code."),
        click.Option(["--manual-capture", "capture_method"], flag_value="manual", help="Authorize only; capture later with `capture`."),
        click.Option(["--three-ds", "authentication_type"], flag_value="three_ds", help="Request 3-D Secure; complete it with `authenticate`."),
        click.Option(["--scenario"], shell_complete=completion.scenarios, help="A scenario for this call only."),
        click.Option(["--profile", "profile_id"], default=PROFILE, show_default=True, help="Business profile."),
        fixed={"confirm": True}),
    ActRow("refund", ("refund last", "refund last --amount 1000"), saying.refund_lines,
        _PAYMENT, _amount(), click.Option(["--reason"], help="Reason, as free text.")),
    ActRow("capture", ("capture last", "capture last --amount 4000"), saying.payment_lines, _PAYMENT, _amount("Amount; by default all, unless several captures are possible", "amount_to_capture")),
    ActRow("cancel", ("cancel last",), saying.payment_lines, _PAYMENT, click.Option(["--reason", "cancellation_reason"], help="Reason, as free text.")),
    ActRow("approve", ("pay --card visa_review", "approve last"), saying.payment_lines, _PAYMENT),
    ActRow("reject", ("pay --card visa_review", "reject last"), saying.payment_lines, _PAYMENT),
    ActRow("authenticate", ("pay --three-ds", "authenticate last", "authenticate last declined"), saying.payment_lines,
        _PAYMENT, click.Argument(["result"], default=Challenge.APPROVED.value, type=click.Choice([one.value for one in Challenge]))),
    ActRow("dispute", ("dispute last", "dispute last --reason product_not_received --amount 1000"), saying.dispute_lines,
        _PAYMENT, _amount("Disputed amount; by default what is neither refunded nor disputed"),
        click.Option(["--reason"], default="fraudulent", show_default=True, shell_complete=offers(lambda: REASON_CODES), help="Reason that the customer gives."),
        click.Option(["--stage"], type=click.Choice([one.value for one in DisputeStage]), help="Stage of the dispute.")),
    ActRow("settle", ("settle last", "settle last --as failed --decline settlement_failed", "settle ref_0123456789abcdefghij"),
        lambda settled: (saying.refund_lines if "refund_id" in settled else saying.payment_lines)(settled),
        click.Argument(["id"], metavar="ID", shell_complete=completion.last), _amount("Amount received of a payment; the full amount by default"),
        click.Option(["--as", "as"], type=click.Choice(["succeeded", "failed", "pending"]), default="succeeded", show_default=True, help="Result."),
        click.Option(["--decline"], shell_complete=offers(declines.names), help="Reason for the failure."), act=_settle),
    ActRow("clock advance", ("clock advance 24h",), saying.clock_lines, click.Argument(["by"], metavar="DURATION", type=lambda text: f"{duration(text)}ms")),
    ActRow("clock freeze", ("clock freeze", "clock freeze --at 2026-01-31T09:05:00Z"), saying.clock_lines, click.Option(["--at"], metavar="INSTANT", help="Time to freeze it at; now by default.")),
    ActRow("clock resume", ("clock resume",), saying.clock_lines),
    ActRow("reset", ("reset", "reset --all"), "workspaces reset: {reset}",
        click.Option(["--all", "everything"], is_flag=True, help="Reset all workspaces; needs no key."),
        click.Option(["--seed"], help="Seed that makes IDs, secrets and random choices the same in every run."),
        act=lambda sandbox, given: perform(sandbox, "control.reset", {"seed": given["seed"]}, with_key=not given["everything"])),
    ActRow("snapshot save", ("snapshot save paid",), "snapshot {name} saved: {bytes} bytes", _NAME),
    ActRow("snapshot restore", ("snapshot restore paid",), "snapshot {restored} restored; payments: {workspace[payments]}, customers: {workspace[customers]}", _NAME),
    ActRow("snapshot list", ("snapshot list",), saying.snapshots_lines),
    ActRow("snapshot delete", ("snapshot delete paid",), "snapshot {name} deleted", _NAME),
    ActRow("scenarios put", ("scenarios put slow_bank.yaml", "scenarios put slow_bank.yaml --name slow", "scenarios put scenarios/"), saying.uploaded_lines,
        click.Argument(["words"], nargs=-1, required=True, metavar="DIR|FILE|NAME...", shell_complete=completion.scenarios_and_files), click.Option(["--name"], help="Name; by default the one in the text, else the file's."), act=_put),
    ActRow("scenarios on", ("scenarios on lost_response",), "scenario {name} is on", _SCENARIO),
    ActRow("scenarios off", ("scenarios off lost_response",), "scenario {name} is off", _SCENARIO),
    ActRow("scenarios next", ("scenarios next insufficient_funds", "scenarios next pending --times 2", "scenarios next challenge=declined", "scenarios next failed --on refunds.create"), saying.queue_lines,
        click.Argument(["then"], nargs=-1, required=True, metavar="THEN...", shell_complete=offers(lambda: (*declines.names(), *OutcomeStatus))),
        click.Option(["--on"], default="charge", show_default=True, help="Operation to which it applies."),
        click.Option(["--times"], type=click.IntRange(1, 1_000), help="Number of calls; one by default."), act=_queue),
    ActRow("search", ("search order-42", "search 65.40", "search insufficient_funds"), saying.found_lines, click.Argument(["text"], metavar="TEXT")),
    ActRow("resend", ("resend last",), saying.resent_lines, click.Argument(["event_id"], metavar="EVENT", shell_complete=completion.last)),
    ActRow("trigger", ("trigger payment_failed", "trigger refund_succeeded", "trigger payment_expired last --set metadata.order=42"), saying.event_lines,
        click.Argument(["type"], metavar="EVENT", required=False, shell_complete=completion.events),
        click.Argument(["object_id"], metavar="[OBJECT]", required=False, shell_complete=completion.last),
        click.Option(["--set", "overrides"], multiple=True, metavar="NAME=VALUE", help="Change a value in the object; names can contain dots."), act=_trigger),
)  # fmt: skip


def command(row: ActRow) -> click.Command:
    """The row as a command, with the options that all have."""

    @asks_sandbox
    @click.option("--json", "as_json", is_flag=True, help="Print the API object as JSON.")
    def run(sandbox: RunningSandbox, as_json: bool, **given: Any) -> None:
        answer = row.do(sandbox, given)
        show(json_text(answer) if as_json else row.told(answer), wraps=not as_json)

    made = click.command(row.word, help=row.help)(run)
    made.params[:0] = row.params
    return made


def commands_of(group: str) -> list[click.Command]:
    """Return the commands of a group; with an empty text, those without a group."""
    return [command(row) for row in ACTS if row.group == group]


MADE: Final = (
    *commands_of(""),
    Guessing("snapshot", commands=commands_of("snapshot"), help="Save and restore a workspace."),
)
