"""The commands `verdict` and `coverage`: the mistakes of a client, and the gaps of its tests."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from mock_server.cli.asking import RunningSandbox, asks_sandbox
from mock_server.cli.output import FAILED, FILE, USAGE, json_text, stop, write
from mock_server.clock import SystemClock
from mock_server.verdict import coverage_page, outcomes, reporting
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.rules import baseline_of, combined, judge


@click.command("verdict")
@asks_sandbox
@click.option(
    "--journal",
    type=FILE,
    help="Read a saved answer of GET /_sandbox/journal, or saved evidence, instead of a running sandbox.",
)
@click.option("--all", "every", is_flag=True, help="Check all workspaces of the sandbox; no key is needed.")
@click.option("--save", type=FILE, help="Save the evidence to this file.")
@click.option("--baseline", type=FILE, help="A TOML file with [[accepted]]: id, reason, until.")
@click.option("--strict", is_flag=True, help="Fail on advice too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--junit", type=FILE, help="Write a JUnit XML report to this file as well.")
@click.option("--markdown", type=FILE, help="Write a summary for a pull request to this file as well.")
def verdict(
    sandbox: RunningSandbox,
    journal: Path | None,
    every: bool,
    save: Path | None,
    baseline: Path | None,
    strict: bool,
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
) -> None:
    """Find mistakes in how a client uses the API, from the calls and webhooks that a sandbox recorded.

    Exit codes: 0 if there are no errors, 1 if there are (with --strict also for advice), 2 if nothing could be checked.
    """
    accepted = _read(baseline, lambda text: baseline_of(tomllib.loads(text))) if baseline else {}
    sandbox.unreachable = USAGE
    if every and (journal or save):
        raise click.UsageError("--all reads every workspace of a running sandbox: give it without --journal and --save")
    if journal:
        base, found = "", _read(journal, json.loads)
    elif every:
        base, found = sandbox.base, sandbox.ask("GET", "/_sandbox/verdicts", with_key=False)
    else:
        base = sandbox.base
        found = {"base": base, **gathered(lambda path: sandbox.call("GET", path))}
    today = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC).date()
    try:
        result = combined(found["data"], accepted, today) if every else judge(read(found), accepted, today, base=base)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        stop(USAGE, [f"this is not evidence from a sandbox: {wrong}"])
    if save:
        write(save, json_text(found))
    if junit:
        write(junit, reporting.junit(result, strict=strict))
    if markdown:
        write(markdown, reporting.markdown(result))
    click.echo(json_text(reporting.as_json(result)) if as_json else "\n".join(reporting.text(result)))
    if not result.is_judged:
        whose = "any key" if every else "this key"
        stop(USAGE, [f"nothing to check: no client called with {whose} (commands and the dashboard do not count)"])
    if result.fails(strict=strict):
        raise SystemExit(FAILED)


def _read(path: Path, understand: Callable[[str], Any]) -> Any:
    try:
        return understand(path.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        stop(USAGE, [f"{path}: {wrong}"])


@click.group("coverage")
def coverage() -> None:
    """Show which outcomes of payments a test suite has not tested."""


@coverage.command("combine")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--output", "-o", type=FILE, help="Save the merged coverage to this file.")
@click.option("--html", "page", type=FILE, help="Write an HTML report to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--fail-under", type=click.FloatRange(0, 100), default=0.0, help="Exit with 1 below this percentage.")
def combine(files: tuple[Path, ...], output: Path | None, page: Path | None, as_json: bool, fail_under: float) -> None:
    """Merge the coverage files of several runs, written by `--payment-sandbox-coverage=json:FILE`, and report on them.

    Outcomes that are out of scope are listed in `pyproject.toml`, under [tool.payment-sandbox.coverage].
    """
    met = outcomes.Met()
    for file in files:
        met = met.and_also(_read(file, lambda text: outcomes.from_json(json.loads(text))))
    try:
        found = outcomes.coverage(met, outcomes.out_of_scope(Path.cwd()))
    except (ValueError, KeyError) as wrong:
        stop(USAGE, [str(wrong)])
    if output is not None:
        write(output, json_text(coverage_page.as_json(found)))
    if page is not None:
        write(page, coverage_page.html(found))
    click.echo(json_text(coverage_page.as_json(found)) if as_json else "\n".join(coverage_page.text(found)))
    if found.percent < fail_under:
        stop(FAILED, [f"{found.percent:.2f}% of the outcomes were tested, less than {fail_under:g}%"])
