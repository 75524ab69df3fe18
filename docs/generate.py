"""Writes the tables of the docs from the tables of the code, between `<!-- generated:NAME -->` and its end.

`make docs` writes them; `make docs-check` (with `--check`) fails where a file is not what would be written.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from docs import fixture, gallery, limits, tables
from mock_server.cli import tables as printed
from mock_server.cli.output import TextTable
from mock_server.domain.dispute import CHALLENGE_MS
from mock_server.domain.issuer import SETTLE_AFTER_MS, UPI_APPROVED_AFTER_MS
from mock_server.domain.machines import MACHINES, ShownMachine
from mock_server.engine.payments.capture import OVERCAPTURE_PERCENT
from mock_server.engine.refunds import SCHEDULED_AFTER_MS
from mock_server.scenario.deciding.decide import SETTLES_AFTER
from mock_server.settings import ROWS, duration_ms
from mock_server.settings.table import workspace_time

if TYPE_CHECKING:
    from docs.fields import Pages

ROOT: Final = Path(__file__).resolve().parents[1]
DIALECT: Final = "interface"
BLOCK: Final = re.compile(
    r"(?P<begin><!-- generated:(?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end of generated -->)", re.DOTALL
)

FIRST_CARDS: Final = (
    "visa_success",
    "mastercard_success",
    "visa_generic_decline",
    "visa_insufficient_funds",
    "visa_expired_card",
    "visa_3ds_required",
    "visa_3ds_insufficient_funds",
    "visa_pending_succeeds",
    "visa_pending_fails",
    "visa_review",
    "visa_partial_authorization",
)
"""The cards that the README shows; the reference shows all."""
FIGURES: Final = tuple(
    ROWS[name]
    for name in (
        "authorization_expiry",
        "page_expiry",
        "voucher_expiry",
        "transfer_expiry",
        "rate_limit",
        "max_body",
        "before_response_timeout",
        "advance_delivery_timeout",
        "advance_timeout",
        "max_snapshot",
    )
)
"""The settings whose defaults are inventions of this project."""


def first_cards() -> TextTable:
    every = {row["name"]: row for row in printed.cards_table().as_records()}
    columns = ("number", "name", "what happens")
    return TextTable(columns, tuple((every[n]["number"], n, every[n]["what_happens"]) for n in FIRST_CARDS))


def invented_figures() -> TextTable:
    """The figures that no public text settles, read from where the code has them."""
    waits = (
        (
            "an asynchronous charge by a test card or a method settles after",
            SETTLE_AFTER_MS,
            "the scenario language's `settles`",
        ),
        (
            "one by `pending:succeeded` or `pending:failed` settles after",
            duration_ms(SETTLES_AFTER),
            "a time behind it, as in `pending:succeeded:1h`",
        ),
        ("a UPI customer approves after", UPI_APPROVED_AFTER_MS, "the trigger `authenticate`"),
        ("a scheduled refund is carried out after", SCHEDULED_AFTER_MS, "the trigger `settle`"),
        ("a dispute must be challenged within, in each stage", CHALLENGE_MS, "the trigger `advance`"),
    )
    rows = [(what, workspace_time(0, value).show(value), changed) for what, value, changed in waits]
    rows.append(("an overcapture may take, over what was authorized", f"{OVERCAPTURE_PERCENT} %", ""))
    settings = ((_as_item(row.doc), row.shown_default(), f"`{row.flag}`") for row in FIGURES)
    return TextTable(("what", "figure", "changed by"), (*rows, *settings))


def checkout(urls: Mapping[str, str] | None = None) -> str:
    """Return how to get a checkout: from `project.urls`, the one place that has the project's address."""
    if urls is None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        urls = project.get("urls", {})
    if "Repository" not in urls:
        return (
            "Nothing is published yet, neither a package nor an image, and the project has no public address. All\n"
            "commands of these pages run in a checkout of it.\n"
        )
    clone = f"$ git clone {urls['Repository']} payment-sandbox && cd payment-sandbox\n"
    return f"<!-- not run: it needs the network -->\n```console\n{clone}```\n"


def _as_item(sentence: str) -> str:
    """Return what a sentence begins with, as an item of a list."""
    first = sentence.partition(";")[0].rstrip(".")
    return first[0].lower() + first[1:]


def markdown(table: TextTable, code: tuple[str, ...] = ()) -> str:
    """Return a Markdown table; the cells of the columns named in `code` are set as code."""
    coded = [column in code for column in table.columns]
    head = "| " + " | ".join(table.columns) + " |\n" + "|---" * len(table.columns) + "|\n"
    return head + "".join(
        "| " + " | ".join(_cell(cell, is_code) for cell, is_code in zip(row, coded, strict=True)) + " |\n"
        for row in table.rows
    )


def _cell(text: str, is_code: bool) -> str:
    plain = text.replace("|", "\\|")
    return f"`{plain}`" if is_code and plain else plain


def of_machine(machine: ShownMachine) -> dict[str, Callable[[], str]]:
    """What is written of one state machine: its states, the ways between them, and a picture of both."""
    name = machine.name.replace("_", "-")
    return {
        f"{name}-states": lambda: markdown(printed.states_table(machine), ("status",)),
        f"{name}-ways": lambda: markdown(printed.ways_table(machine), ("from", "cause", "to", "event")),
        f"{name}-diagram": lambda: f"```mermaid\n{printed.diagram(machine)}\n```\n",
    }


def conformance(name: str) -> str:
    """Return the checks of the conformance suite, or the mutants that its tests put in."""
    from tests.conformance import tables as conformance_tables

    if name == "checks":
        return markdown(conformance_tables.checks(), ("check",))
    return markdown(conformance_tables.mutants(), ("mutant",))


@cache
def _api() -> Pages:
    from docs.fields import Pages

    return Pages()


def of_api() -> dict[str, Callable[[], str]]:
    """Every field of bodies and answers: one page a resource."""
    from docs.fields import pages

    return {f"api-{name.replace('_', '-')}": partial(lambda page: _api().page(page), name) for name in pages()}


GENERATED: Final[Mapping[str, Callable[[], str]]] = {
    **of_api(),
    **{name: write for machine in MACHINES for name, write in of_machine(machine).items()},
    "checkout": checkout,
    "api-limits": lambda: markdown(limits.api_limits()),
    "invented-figures": lambda: markdown(invented_figures()),
    "settings": lambda: markdown(tables.settings(), ("flag", "variable", "default")),
    "cards": lambda: markdown(printed.cards_table(), ("number", "name")),
    "first-cards": lambda: markdown(first_cards(), ("number", "name")),
    "declines": lambda: markdown(
        printed.declines_table(), ("name", "error code", "unified code", "standardised code", "advice")
    ),
    "errors": lambda: markdown(printed.errors_table(DIALECT), ("code", "type", "cause")),
    "operations": lambda: markdown(tables.operations(), ("path", "operation")),
    "routes": lambda: markdown(tables.routes(), ("path",)),
    "shared-errors": lambda: markdown(tables.shared_errors()),
    "left-out": lambda: markdown(tables.left_out(), ("route",)),
    "control-operations": lambda: markdown(tables.control_operations(), ("path", "operation")),
    "fixture": fixture.text,
    "scenarios": gallery.entries,
    "scenario-list": lambda: markdown(gallery.overview()),
    "control-requests": lambda: markdown(tables.control_requests(), ("operation", "field", "example")),
    "conformance-checks": lambda: conformance("checks"),
    "conformance-mutants": lambda: conformance("mutants"),
    "verdict-rules": lambda: markdown(tables.verdict_rules(), ("rule",)),
    "probe-cases": lambda: markdown(tables.probe_cases(), ("case",)),
    "dialect-words": lambda: markdown(tables.dialect_words(), ("`interface`", "`hyperswitch`")),
    "dialect-fields": lambda: markdown(tables.dialect_fields()),
    "dialect-lists": lambda: markdown(tables.dialect_lists(), ("list",)),
    "codes": lambda: markdown(printed.codes_table(DIALECT), ("code", "type")),
    "metrics": lambda: markdown(tables.metrics(), ("metric", "type")),
    "metrics-bounds": tables.bounds,
    "log-fields": lambda: markdown(tables.log_fields(), ("field",)),
    "acting": lambda: markdown(tables.acting(), ("command", "operation", "flags")),
    "analytics-metrics": lambda: markdown(tables.analytics(), ("metric", "value")),
    "analytics-dimensions": lambda: markdown(tables.dimensions(), ("dimension",)),
    "analytics-reports": lambda: markdown(tables.reports(), ("report", "`report_type`")),
}


def documents(root: Path = ROOT) -> Iterator[Path]:
    """Yield every document that may hold generated parts."""
    yield root / "README.md"
    yield from sorted((root / "docs").rglob("*.md"))


def written(text: str) -> str:
    """Return the document with its generated parts written anew; KeyError names an unknown one."""
    return BLOCK.sub(lambda found: found["begin"] + GENERATED[found["name"]]() + found["end"], text)


def main(check: bool) -> int:
    """Write the documents, or only say which are out of date; return the exit code."""
    stale = [path for path in documents() if written(path.read_text("utf-8")) != path.read_text("utf-8")]
    for path in stale:
        if check:
            sys.stderr.write(f"{path.relative_to(ROOT)} is out of date: run `make docs`\n")
        else:
            path.write_text(written(path.read_text("utf-8")), "utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
