"""`payment-sandbox why`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import click

from mock_server.cli.output import FAILED, USAGE, json_text, stop
from mock_server.cli.probe import target, target_options
from mock_server.settings import ENVIRONMENT_PREFIX

KEY_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}API_KEY"


@click.command("why")
@click.argument("payment")
@click.option("--key", help=f"The secret key whose world it is in; without it {KEY_VARIABLE}.")
@target_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(payment: str, key: str | None, url: str | None, port_file: str | None, as_json: bool) -> None:
    """Say why a payment of a running sandbox stands where it stands: every decision, and what nearly decided."""
    found = _asked(payment, key or os.environ.get(KEY_VARIABLE), url, port_file)
    click.echo(json_text(found) if as_json else "\n".join(_lines(found)))


def _asked(payment: str, key: str | None, url: str | None, port_file: str | None) -> Any:
    """Return the control API's answer; anything else ends the command."""
    from mock_server.domain.api_keys import ApiKey, parse
    from mock_server.scenario.over_http import OverHttp
    from mock_server.scenario.playing import LineBroken

    parsed = parse(key)
    if not isinstance(parsed, ApiKey):
        stop(USAGE, [f"say whose payment it is with --key snd_… or {KEY_VARIABLE}"])
    try:
        base, token = target(url, port_file)
        reply = OverHttp(base, parsed, token=token).request("GET", f"/_sandbox/payments/{payment}/why", None, {})
    except (OSError, ValueError, LineBroken) as wrong:
        stop(FAILED, [f"the sandbox does not answer: {wrong}"])
    if reply.status != 200:
        said = reply.body.get("error") if isinstance(reply.body, dict) else None
        stop(FAILED, [str(said["message"]) if said else f"answered {reply.status}"])
    return reply.body


def _lines(found: Any) -> Iterator[str]:
    failure, waits = found["failure"], found["waits_for"]
    yield f"{found['payment_id']} is {found['status']}"
    if failure:
        yield f"  {failure['decline']}: {failure['error_code']} {failure['error_message']}"
    for one in found["decisions"]:
        yield f"{one['at']} {one['operation']}: {one['text']}"
        yield from (f"    not {near['rule']}: {near['failed']}" for near in one["near_misses"])
    if waits:
        yield f"waits for {waits['kind']}" + (f", which ends {waits['ends']}" if waits["ends"] else "")
    yield from (f"{due['at']} due: {due['what']}" for due in found["due"])
