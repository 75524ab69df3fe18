"""`payment-sandbox probe`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import click

from mock_server.cli.asking import RunningSandbox
from mock_server.cli.output import FAILED, FILE, USAGE, json_text, stop
from mock_server.cli.probe import ServerAddress, target_options
from mock_server.clock import SystemClock
from mock_server.verdict import probing
from mock_server.verdict.probing import CASES, EVENT, Probed, Receiver
from mock_server.verdict.rules import State
from mock_server.webhooks.transport_http import Network


@click.command("probe")
@click.argument("receiver", type=ServerAddress())
@click.option("--secret", help="Secret to sign the events with; not needed with --key.")
@click.option("--key", help="Use the last payment_succeeded event of this key's workspace in a running sandbox.")
@target_options
@click.option("--event", "file", type=FILE, help="File with the body of an event that the receiver knows.")
@click.option(
    "--state-url", type=ServerAddress(), help="URL of the receiver's state: any body that changes when it acts."
)
@click.option("--only", multiple=True, metavar="CASE", help="Only these cases; can contain *.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 600),
    default=30.0,
    show_default=True,
    help="Seconds in which the receiver must answer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def probe(
    receiver: str,
    secret: str | None,
    key: str | None,
    url: str | None,
    port_file: str | None,
    file: Path | None,
    state_url: str | None,
    only: tuple[str, ...],
    timeout: float,
    as_json: bool,
) -> None:
    """Test a webhook receiver with events that are forged, duplicated, late, large or malformed.

    Exit codes: 0 if no case failed, 1 if a case failed, 2 for a usage error.
    """
    known = {case.id for case in CASES}
    if unknown := [one for one in only if "*" not in one and one not in known]:
        stop(USAGE, [f"there is no case {unknown[0]}; the cases are: {', '.join(sorted(known))}"])
    event, signs = _event(file, key, url, port_file, secret)
    tells = (lambda: _state(state_url, timeout)) if state_url else None
    network = Network(SystemClock().monotonic)
    results = probing.probe(Receiver(receiver, signs, event, network, tells, timeout_s=timeout), only)
    click.echo(json_text([_record(one) for one in results]) if as_json else "\n".join(map(_line, results)))
    if any(one.state is State.FOUND for one in results):
        raise SystemExit(FAILED)


def _event(
    file: Path | None, key: str | None, url: str | None, port_file: str | None, secret: str | None
) -> tuple[dict[str, Any], str]:
    """The event from which all others are made, and the secret that signs it."""
    event: dict[str, Any] = EVENT
    if key is not None:
        asking = RunningSandbox(key, url, port_file)
        found = asking.call("GET", "webhooks?type=payment_succeeded&limit=1")["data"]
        secret = secret or asking.call("GET", "webhooks/target")["secret"]
        event = json.loads(found[-1]["payload"]) if found else EVENT
    if file is not None:
        try:
            event = json.loads(file.read_text("utf-8"))
            event["content"]["object"].keys()
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as wrong:
            stop(USAGE, [f"{file} is not the body of an event: {wrong}"])
    if not secret:
        stop(USAGE, ["give the secret with --secret, or the workspace's key with --key"])
    return event, secret


def _state(url: str, timeout: float) -> object:
    try:
        with urlopen(url, timeout=timeout) as answer:
            text = answer.read().decode("utf-8", "replace")
    except (OSError, ValueError) as wrong:
        stop(FAILED, [f"cannot read the receiver's state from {url}: {wrong}"])
    try:
        return json.loads(text)
    except ValueError:
        return text


def _record(one: Probed) -> dict[str, str]:
    return {
        "id": one.case.id,
        "expects": one.case.expects,
        "result": str(one.state),
        "said": one.said,
        "reason": one.case.reason,
    }


def _line(one: Probed) -> str:
    said = f": {one.said}" if one.said else ""
    return f"{one.state:11} {one.case.id} ({one.case.expects}){said}"
