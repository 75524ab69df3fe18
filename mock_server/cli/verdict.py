"""The commands `verdict`, `coverage` and `probe`: mistakes of a client, gaps of its tests, and a receiver of events."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import click

from mock_server.addresses import sentence_for
from mock_server.cli.asking import RunningSandbox, ServerAddress, asks_sandbox, target_options, timeout_option
from mock_server.cli.output import FAILED, FILE, USAGE, Guessing, json_text, show, stop, write
from mock_server.cli.shelf import contents
from mock_server.clock import SystemClock
from mock_server.domain.masking import shown_value
from mock_server.openapi.examples import recorded
from mock_server.verdict import outcomes, probing, reporting
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.probing import Probed, Receiver
from mock_server.verdict.rules import State, baseline_of, combined, judge
from mock_server.webhooks.transport_http import Network


@click.command("verdict")
@asks_sandbox
@click.option("--journal", type=FILE, help="Check saved evidence, or a saved answer of GET /_sandbox/journal.")
@click.option("--all", "every", is_flag=True, help="Check all workspaces of the sandbox; no key is needed.")
@click.option("--save", type=FILE, help="Save the evidence to this file.")
@click.option("--baseline", type=FILE, help="A TOML file with [[accepted]]: `id`, `reason`, `until`.")
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
    if journal:
        base, found = "", _read(journal, json.loads)
    elif every:
        base, found = sandbox.base, sandbox.ask("GET", "/_sandbox/verdicts", with_key=False)
    else:
        base, found = sandbox.base, {"base": sandbox.base, **gathered(sandbox.get)}
    today = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC).date()
    try:
        result = combined(found["data"], accepted, today) if every else judge(read(found), accepted, today, base=base)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        stop(USAGE, [f"this is not evidence from a sandbox: {wrong}"])
    if save:
        write(save, json_text(shown_value(found)))
    if junit:
        write(junit, reporting.junit(result, strict=strict))
    if markdown:
        write(markdown, reporting.markdown(result))
    show(json_text(reporting.as_json(result)) if as_json else "\n".join(reporting.text(result)))
    if every and (gone := found.get("not_in_memory")):
        show(f"payment-sandbox: workspaces that are not in memory, and so not checked: {gone}", err=True)
    if not result.is_judged:
        whose = "any key" if every else "this key"
        stop(USAGE, [f"nothing to check: no client called with {whose} (commands and the dashboard do not count)"])
    raise SystemExit(FAILED if result.fails(strict=strict) else 0)


def _read(path: Path, understand: Callable[[str], Any]) -> Any:
    try:
        return understand(contents(path, 1 << 30))  # a large journal with long bodies
    except json.JSONDecodeError as wrong:
        stop(USAGE, [f"{path} is not JSON: see line {wrong.lineno}, column {wrong.colno}"])
    except ValueError as wrong:
        stop(USAGE, [f"{path}: {wrong}"])
    except (KeyError, TypeError, AttributeError, RecursionError):
        stop(USAGE, [f"{path} has not the fields of such a file"])


@click.group("coverage", cls=Guessing)
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
        found = outcomes.coverage(met, outcomes.out_of_scope(Path()))
    except ValueError as wrong:
        stop(USAGE, [str(wrong)])
    if output is not None:
        write(output, json_text(outcomes.as_json(found)))
    if page is not None:
        write(page, outcomes.html(found))
    show(json_text(outcomes.as_json(found)) if as_json else "\n".join(outcomes.text(found)))
    if found.percent < fail_under:
        stop(FAILED, [f"{found.percent:.2f}% of the outcomes were tested, less than {fail_under:g}%"])


@click.command("probe")
@click.argument("receiver", type=ServerAddress())
@click.option("--secret", help="Secret to sign the events with; not needed with --key.")
@click.option("--key", help="Use the last payment_succeeded event of this key's workspace in a running sandbox.")
@target_options
@click.option("--event", "file", type=FILE, help="File with the body of an event that the receiver knows.")
@click.option("--state-url", type=ServerAddress(), help="URL of its state: any body that changes when it acts.")
@click.option("--only", multiple=True, metavar="CASE", help="Only these cases; can contain *.")
@timeout_option("Time that an answer may take.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def probe(
    receiver: str, state_url: str | None, only: tuple[str, ...], timeout_s: float, as_json: bool, **given: Any
) -> None:
    """Test a webhook receiver with events that are forged, duplicated, late, large or malformed.

    Exit codes: 0 if no case failed, 1 if one failed or the state cannot be read, 2 for a usage error.
    """
    event, signs = _event(**given)
    tells = partial(_state, state_url, timeout_s) if state_url else lambda: None
    network = Network(SystemClock().monotonic)
    try:
        results = probing.probe(Receiver(receiver, signs, event, network, tells, timeout_s, is_near=False), only)
    except ValueError as wrong:
        stop(USAGE, [str(wrong)])
    show(json_text([_record(one) for one in results]) if as_json else "\n".join(map(_line, results)))
    if any(one.state is State.FOUND for one in results):
        raise SystemExit(FAILED)


def _event(file: Path | None, key: str | None, secret: str | None, **target: str | None) -> tuple[dict[str, Any], str]:
    """The event from which all others are made, and the secret that signs it."""
    event: dict[str, Any] = (sample := recorded()["webhooks"]["payment_succeeded"])
    if any(target.values()) if key is None else file and secret:
        raise click.UsageError(
            "no sandbox is asked: --url and --port-file need --key, which --secret and --event replace"
        )
    if key is not None:
        asking = RunningSandbox(key, **target)
        last = asking.get("webhooks", type="payment_succeeded", limit=1)["data"] if file is None else []
        event = json.loads(last[-1]["payload"]) if last else sample
        signed = {"body": "", "profile_id": last[-1]["profile_id"] if last else None}
        secret = secret or asking.ask("POST", "/_sandbox/webhooks/sign", signed)["secret"]
        if file is None and not last:
            show("the workspace has no payment_succeeded event: an invented sample is sent", err=True)
    if file is not None:
        found: Any = _read(file, json.loads)
        content = found.get("content") if isinstance(found, dict) else None
        if not isinstance(content, dict) or not isinstance(content.get("object"), dict):
            stop(USAGE, [f"{file} is not the body of an event: it has no object content.object"])
        event = found
    if not secret:
        stop(USAGE, ["give the secret with --secret, or the workspace's key with --key"])
    return event, secret


def _state(url: str, timeout_s: float) -> object:
    try:
        # Past any proxy, as what it is sent.
        with build_opener(ProxyHandler({})).open(url, timeout=timeout_s) as answer:
            text = answer.read().decode("utf-8", "replace")
    except HTTPError as answer:
        with answer:
            stop(FAILED, [f"cannot read the receiver's state from {url}: the answer is {answer.code}"])
    except (OSError, ValueError) as wrong:
        stop(FAILED, [f"cannot read the receiver's state from {url}: {sentence_for(wrong, timeout_s)}"])
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _record(one: Probed) -> dict[str, str]:
    case = one.case
    return {"id": case.id, "expects": case.expects, "result": str(one.state), "said": one.said, "reason": case.reason}


def _line(probed: Probed) -> str:
    said = f": {probed.said}" if probed.said else ""
    return f"{probed.state:11} {probed.case.id} ({probed.case.expects}){said}"
