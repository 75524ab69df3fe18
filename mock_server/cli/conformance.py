"""`payment-sandbox conformance`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import click

from mock_server.cli.output import FAILED, FILE, USAGE, stop
from mock_server.cli.probe import URL_VARIABLE, seconds
from mock_server.clock import SystemClock
from mock_server.conformance.answer import INTERFACE, SPEECHES, Broken
from mock_server.conformance.checking import Check, CheckOutcome, CheckResult, Suite, chosen, spoken
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.listening import listening
from mock_server.conformance.report import follow, junit_document, listing, summary
from mock_server.conformance.target import ConformanceTarget, Means, problems
from mock_server.randomness import Randomness
from mock_server.settings import ENVIRONMENT_PREFIX

TOKEN_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}CONTROL_TOKEN"


@click.command("conformance")
@click.option("--target", "url", metavar="URL", help=f"URL of the server; by default {URL_VARIABLE}.")
@click.option(
    "--dialect",
    type=click.Choice(sorted(SPEECHES)),
    default=INTERFACE,
    show_default=True,
    help="Dialect of the server.",
)
@click.option("--key", help="Secret key; by default every check creates its own merchant.")
@click.option("--other-key", help="Secret key of another merchant.")
@click.option("--publishable-key", help="Publishable key that belongs to --key.")
@click.option("--admin-key", help="Admin key.")
@click.option("--token", help=f"Control token of the sandbox; by default {TOKEN_VARIABLE}.")
@click.option("--profile", "profile_id", default="pro_conformance", show_default=True, help="Business profile.")
@click.option(
    "--listener",
    metavar="HOST",
    help="Host name under which the target reaches this machine, for webhooks; `none` skips webhooks. "
    "The default is 127.0.0.1 if the target runs on this machine.",
)
@click.option(
    "--timeout", "timeout_s", callback=seconds, default="30s", show_default=True, help="Time limit for one answer."
)
@click.option(
    "--only", multiple=True, metavar="NAME", help="Check or group to run; can contain *, and can be repeated."
)
@click.option("--list", "listed", is_flag=True, help="List the checks without running them.")
@click.option("--junit", type=FILE, help="Write the results to this file as JUnit XML.")
def conformance(url: str | None, only: tuple[str, ...], listed: bool, junit: Path | None, **given: Any) -> None:
    """Run the conformance suite against a server.

    Exit codes: 0 if all checks passed, 1 if a check failed or the server did not answer, 2 for a usage error.
    """
    checks = _chosen(only, given["dialect"])
    if listed:
        click.echo("\n".join(listing(checks)))
        return
    found = url or os.environ.get(URL_VARIABLE) or stop(USAGE, [f"give the server with --target URL or {URL_VARIABLE}"])
    given["token"] = given["token"] or os.environ.get(TOKEN_VARIABLE) or None
    _hold(ConformanceTarget(url=found.rstrip("/"), **given), checks, junit)


def _chosen(only: tuple[str, ...], dialect: str) -> list[Check]:
    checks = spoken(CHECKS, dialect)
    for pattern in only:
        if not chosen(checks, [pattern]):
            stop(USAGE, [f"no check matches {pattern}; see --list"])
    return chosen(checks, only)


def _hold(target: ConformanceTarget, checks: list[Check], junit: Path | None) -> None:
    if wrong := problems(target):
        stop(USAGE, wrong)
    results = _results(target, checks)
    click.echo("\n".join(summary(results)))
    if junit is not None:
        try:
            junit.write_bytes(junit_document(results, target.url))
        except OSError as problem:
            stop(FAILED, [f"the report could not be written: {problem}"])
    if any(result.outcome is CheckOutcome.FAILED for result in results):
        raise SystemExit(FAILED)


def _results(target: ConformanceTarget, checks: list[Check]) -> list[CheckResult]:
    try:
        suite = Suite(target, Means(SystemClock(), _names(), listening))
        refused = suite.refused()
    except Broken as broken:
        stop(FAILED, [f"cannot reach {target.url}: {broken.seen}"])
    if refused:
        suite.close()
        stop(FAILED, [f"{target.url} cannot be checked: {refused}"])
    click.echo(f"{len(checks)} {'check' if len(checks) == 1 else 'checks'} against {target.url}\n")
    try:
        return follow(suite.run_all(checks), lambda text: click.echo(text, nl=False))
    finally:
        suite.close()


def _names() -> Iterator[str]:
    """Names that nobody used before, each once."""
    chance = Randomness(None, "conformance")
    return (chance.token("name", number, 16) for number in count())
