"""`payment-sandbox conformance`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, groupby
from pathlib import Path
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIEnvironment

import click

from mock_server.cli.asking import URL_VARIABLE, ServerAddress, timeout_option
from mock_server.cli.output import FAILED, FILE, USAGE, show, stop, write
from mock_server.clock import SystemClock
from mock_server.conformance.answer import INTERFACE, SPEECHES, Broken
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import Check, CheckOutcome, CheckResult, Suite, chosen, spoken
from mock_server.conformance.target import PATIENCE_S, ConformanceTarget, Delivery, Means, WebhookListener, problems
from mock_server.domain.nouns import noun
from mock_server.guesses import hint
from mock_server.junit import JUnitCase, as_junit
from mock_server.randomness import Randomness
from mock_server.server import Server
from mock_server.settings import ENVIRONMENT_PREFIX

SUITE: Final = "payment-sandbox conformance"
MARKS: Final = {CheckOutcome.PASSED: ".", CheckOutcome.FAILED: "F", CheckOutcome.SKIPPED: "s"}
TOKEN_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}CONTROL_TOKEN"


@click.command("conformance")
@click.option("--target", "url", type=ServerAddress(), envvar=URL_VARIABLE, help=f"Its URL, or {URL_VARIABLE}.")
@click.option("--dialect", type=click.Choice(sorted(SPEECHES)), default=INTERFACE, show_default=True, help="Dialect.")
@click.option("--key", help="Secret key; by default every check creates its own merchant.")
@click.option("--other-key", help="Secret key of another merchant.")
@click.option("--publishable-key", help="Publishable key that belongs to --key.")
@click.option("--admin-key", help="Admin key.")
@click.option("--token", envvar=TOKEN_VARIABLE, help=f"Control token of the sandbox; by default {TOKEN_VARIABLE}.")
@click.option("--profile", "profile_id", default="pro_conformance", show_default=True, help="Business profile.")
@click.option(
    "--listener",
    metavar="HOST",
    help="Host name under which the target reaches this machine, for webhooks; `none` skips webhooks. "
    "The default is 127.0.0.1 if the target runs on this machine.",
)
@timeout_option("Time limit for one answer.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this check or group; can contain *.")
@click.option("--list", "listed", is_flag=True, help="List the checks without running them.")
@click.option("--junit", type=FILE, help="Write the results to this file as JUnit XML.")
def conformance(url: str | None, only: tuple[str, ...], listed: bool, junit: Path | None, **given: Any) -> None:
    """Run the conformance suite against a server.

    Exit codes: 0 if all checks passed, 1 if a check failed or the server did not answer, 2 for a usage error.
    """
    checks = spoken(CHECKS, given["dialect"])
    names = {name for check in checks for name in (check.name, check.group)}
    for pattern in only:
        if not chosen(checks, [pattern]):
            stop(USAGE, [f"no check matches {pattern}{hint(pattern, names)}; --list shows all"])
    checks = chosen(checks, only)
    if listed:
        click.echo("\n".join(listing(checks)))
        return
    base = url or stop(USAGE, [f"give the server with --target URL or {URL_VARIABLE}"])
    target = ConformanceTarget(url=base.rstrip("/"), **given)
    if wrong := problems(target):
        stop(USAGE, wrong)
    results = _results(target, checks)
    show("\n".join(summary(results)))
    if junit is not None:
        write(junit, junit_document(results, target.url))
    if any(result.outcome is CheckOutcome.FAILED for result in results):
        raise SystemExit(FAILED)


def _results(target: ConformanceTarget, checks: list[Check]) -> list[CheckResult]:
    """Run the checks and print the progress: a line for each group, with a sign for each check."""
    chance = Randomness(None, "conformance")
    try:
        suite = Suite(target, Means(SystemClock(), (chance.token("name", n, 16) for n in count()), listening))
        refused = suite.refused()
    except Broken as broken:
        stop(FAILED, [f"cannot reach {target.url}: {broken.seen}"])
    try:
        if refused:
            stop(FAILED, [f"{target.url} cannot be checked: {refused}"])
        show(f"{len(checks)} {noun(len(checks), 'check')} against {target.url}\n")
        results: list[CheckResult] = []
        for group, members in groupby(map(suite.run, checks), key=lambda result: result.check.group):
            click.echo(f"{group:<13} ", nl=False)
            for result in members:
                click.echo(MARKS[result.outcome], nl=False)
                results.append(result)
            click.echo()
        return results
    finally:
        suite.close()


@contextmanager
def listening(host: str, patience_s: float = PATIENCE_S) -> Iterator[WebhookListener]:
    """A receiver of webhooks on a free port: of the loopback interface if that is the host, otherwise of all."""

    def receive(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        sent = {name.removeprefix("HTTP_"): str(value) for name, value in environ.items()}
        headers = {name.replace("_", "-").lower(): value for name, value in sent.items()}
        status = listener.accept(Delivery(headers, environ["wsgi.input"].read()))
        start_response(f"{status} Received", [("Content-Length", "0")])
        return ()

    with Server(receive, "127.0.0.1" if host == "127.0.0.1" else "0.0.0.0", slow=lambda path: True) as server:
        listener = WebhookListener(host, server.port, patience_s)
        yield listener


def summary(results: Sequence[CheckResult]) -> Iterator[str]:
    """The lines after the progress: complete failures, skipped checks by reason, and the count."""
    for result in results:
        if result.outcome is CheckOutcome.FAILED:
            yield from ("", *failure(result))
    skipped = sorted((r for r in results if r.outcome is CheckOutcome.SKIPPED), key=lambda result: result.reason)
    for reason, members in groupby(skipped, key=lambda result: result.reason):
        yield ""
        yield f"skipped, because {reason}:"
        yield f"  {', '.join(result.check.name for result in members)}"
    yield ""
    yield counted(results)


def failure(result: CheckResult) -> Iterator[str]:
    """What a failed check expects, what was received instead, and how to repeat the call."""
    check, broken = result.check, result.broken
    yield f"FAILED {check.name}: {check.about} ({check.source})"
    if broken is None:
        return
    yield f"  {broken.what}"
    yield f"    expected: {broken.expected}"
    yield f"    seen:     {broken.seen}"
    if broken.sent is not None:
        yield f"    after:    {broken.sent.curl}"


def counted(results: Sequence[CheckResult]) -> str:
    """The number of checks with each result, and the time of all."""
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in CheckOutcome}
    said = [f"{number} {outcome}" for outcome, number in numbers.items() if number]
    return f"{', '.join(said) or 'nothing to do'} in {sum(result.seconds for result in results):.1f} s"


def listing(checks: Iterable[Check]) -> Iterator[str]:
    """One line per check: its name, what it checks, the source, and what it needs."""
    for check in checks:
        needs = f"; needs {', '.join(sorted(check.needs))}" if check.needs else ""
        yield f"{check.name:<31} {check.about} ({check.source}{needs})"


def junit_document(results: Sequence[CheckResult], url: str) -> bytes:
    """The whole file."""
    return as_junit(SUITE, [_case(result) for result in results], {"target": url})


def _case(result: CheckResult) -> JUnitCase:
    case = JUnitCase(f"conformance.{result.check.group}", result.check.name, result.seconds)
    if result.outcome is CheckOutcome.SKIPPED:
        return case._replace(kind="skipped", attributes={"message": result.reason})
    if result.broken is None:
        return case
    said = {"type": "Broken", "message": str(result.broken)}
    return case._replace(kind="failure", text="\n".join(failure(result)), attributes=said)
