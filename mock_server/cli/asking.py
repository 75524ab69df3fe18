"""Calls to a running sandbox with a workspace's key, and the commands `why` and `timeline`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click

from mock_server.cli.output import FAILED, FILE, USAGE, colour_option, has_colours, json_text, offers, show, stop, write
from mock_server.cli.probe import PROJECT_FILE, project_file, target, target_options
from mock_server.domain.api_keys import REST_MAX, REST_MIN, ApiKey, KeyKind, KeyProblem, flaw_of, parse
from mock_server.scenario.story.client import LineBroken, StoryReply
from mock_server.scenario.story.over_http import CONTROL_PATIENCE_S, OverHttp
from mock_server.settings import ENVIRONMENT_PREFIX

KEY_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}API_KEY"
TONES: Final = {"good": "green", "bad": "red", "wait": "yellow"}
"""The colours of the control API's tones."""
FORMATS: Final = ("text", "json", "mermaid", "svg")


class RunningSandbox:
    """Calls to one sandbox; an error ends the command."""

    def __init__(self, key: str | None, url: str | None, port_file: str | None) -> None:
        self._key = key
        self._url = url
        self._port_file = port_file
        self.unreachable = FAILED
        """The exit code if the sandbox does not answer."""

    @property
    def base(self) -> str:
        """Its address."""
        return self._target[0]

    @cached_property
    def _target(self) -> tuple[str, str | None]:
        try:
            return target(self._url, self._port_file)
        except (OSError, ValueError) as wrong:
            stop(self.unreachable, [str(wrong)])

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Return the body of a control call's answer; `path` follows `/_sandbox/`."""
        return self.ask(method, f"/_sandbox/{path}", body)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        with_key: bool = True,
    ) -> Any:
        """Return the body of any call's answer; a body of bytes is a scenario's YAML."""
        base, token = self._target
        key = key_of(self._key) if with_key else None
        client = OverHttp(base, key, token=token, patience_s=CONTROL_PATIENCE_S)
        try:
            if isinstance(body, bytes):
                reply = client.send(method, path, body, "application/yaml", headers)
            else:
                reply = client.request(method, path, body, headers or {})
        except (OSError, LineBroken) as wrong:
            stop(self.unreachable, [f"cannot reach the sandbox: {wrong}"])
        if reply.status != 200:
            stop(self.unreachable, refusal(reply), reply.body)
        return reply.body


def asks_sandbox(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options for the sandbox and its workspace; the command gets them as `sandbox`."""

    @click.option("--key", help=f"Secret key of the workspace; by default {KEY_VARIABLE}, then {PROJECT_FILE}.")
    @target_options
    @wraps(function)
    def asked(key: str | None, url: str | None, port_file: str | None, **given: Any) -> None:
        function(sandbox=RunningSandbox(key, url, port_file), **given)

    return asked


def key_of(text: str | None) -> ApiKey:
    """Return the key that was given, or that of the environment or project; without one the command ends."""
    given = text or os.environ.get(KEY_VARIABLE) or project_file().get("key")
    parsed = parse(given)
    if parsed is KeyProblem.MALFORMED:
        form = f"snd_ and {REST_MIN} to {REST_MAX} letters, digits, _ or -"
        stop(USAGE, [f"this key {flaw_of(given or '')}: a key is {form}"])
    if parsed is KeyProblem.PRODUCTION:
        stop(USAGE, ["this is a production key: the sandbox takes keys that begin with snd_"])
    if not isinstance(parsed, ApiKey):
        stop(USAGE, [f"give the workspace's secret key with --key snd_…, {KEY_VARIABLE} or key in {PROJECT_FILE}"])
    if parsed.kind is not KeyKind.SECRET:
        stop(USAGE, ["this is a publishable key: give the workspace's secret key, which begins with snd_"])
    return parsed


def refusal(reply: StoryReply) -> list[str]:
    """Return the message of an error, and a line for each wrong field that it does not quote."""
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    if not isinstance(error, dict):
        return [f"the sandbox answered {reply.status}"]
    said = str(error.get("message"))
    wrong = ((str(one.get("field")), str(one.get("message"))) for one in error.get("fields") or ())
    return [said, *(f"{field} {message}" for field, message in wrong if message not in said)]


@click.command("why")
@click.argument("payment", shell_complete=offers(lambda: ("last",)))
@asks_sandbox
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@colour_option
def why(sandbox: RunningSandbox, payment: str, as_json: bool, colour: str) -> None:
    """Explain the status of a payment: every decision, and the rules that did not match.

    PAYMENT is its id, or `last` for the newest payment.
    """
    found = sandbox.call("GET", f"payments/{quote(payment, safe='')}/why")
    text = json_text(found) if as_json else "\n".join(_why_lines(found))
    show(text, colours=not as_json and has_colours(colour), wraps=not as_json)


def _why_lines(found: Any) -> Iterator[str]:
    failure, waits = found["failure"], found["waits_for"]
    yield click.style(f"{found['payment_id']} is {found['status']}", fg=TONES.get(found["tone"]), bold=True)
    yield f"  {found['headline']}"
    if failure:
        yield f"  reason: {failure['decline']}"
    for one in found["decisions"]:
        yield f"{click.style(one['at'], dim=True)} {one['operation']}: {one['text']}"
        yield from (click.style(f"    not {near['rule']}: {near['failed']}", dim=True) for near in one["near_misses"])
    if waits:
        yield f"waiting for {waits['kind']}" + (f" (result: {waits['ends']})" if waits["ends"] else "")
    yield from (f"{click.style(due['at'], dim=True)} scheduled: {due['what']}" for due in found["due"])
    yield click.style(found["page"], dim=True)


@click.command("timeline")
@click.argument("payment", shell_complete=offers(lambda: ("last",)))
@asks_sandbox
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format.")
@click.option("--output", "-o", type=FILE, help="Write to this file instead of standard output.")
@colour_option
def timeline(sandbox: RunningSandbox, payment: str, form: str, output: Path | None, colour: str) -> None:
    """Show the history of a payment: calls, decisions, webhooks, and changes of the clock.

    PAYMENT is its id, or `last` for the newest payment.
    """
    colours = form == "text" and output is None and has_colours(colour)
    asked = f"format={form}&colour={'true' if colours else 'false'}"
    found = sandbox.call("GET", f"payments/{quote(payment, safe='')}/timeline?{asked}")
    text = found if isinstance(found, str) else json_text(found)
    if output is None:
        show(text.removesuffix("\n"), colours=colours, wraps=form == "text")
    else:
        write(output, text.removesuffix("\n") + "\n")
