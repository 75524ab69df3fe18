"""A running sandbox: its address, whether it is ready, calls with a workspace's key; and `why` and `timeline`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from http.client import HTTPException
from pathlib import Path
from threading import Event
from typing import Any, Final, TypeVar
from urllib.parse import quote, unquote

import click

from mock_server.addresses import is_address, query_of, reachable, sentence_for, with_scheme
from mock_server.cli.output import FAILED, FILE, USAGE, colour_option, has_colours, json_text, offers, show, stop, write
from mock_server.cli.port_file import PORT_TEXT, beginning
from mock_server.cli.serve import read_settings, serve, texts
from mock_server.clock import SystemClock
from mock_server.connections import Http
from mock_server.contract.control_operations import PREFIX
from mock_server.domain.api_keys import ApiKey, key_of_workspace
from mock_server.domain.ids import KINDS
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.story.over_http import CONTROL_PATIENCE_S, PATIENCE_S, OverHttp
from mock_server.scenario.story.player import LineBroken, StoryReply
from mock_server.settings import ENVIRONMENT_PREFIX, ROWS, SettingsRefused
from mock_server.settings.durations import spelled_out_ms
from mock_server.settings.load import nearest_table

_PASSWORD: Final = re.compile(".*@")
TOKEN_HEADER: Final = "X-Sandbox-Token"
URL_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}URL"
NOT_IN_NAMES: Final = re.compile("%2F|%3B|%00")
"""Characters that no path can contain, as servers take them for something else."""
OURS: Final = "payment-sandbox"
PAUSE_S: Final = 0.1
COMMANDS: Final = {  # what the API's messages name, as somebody types it here
    "GET /_sandbox/errors lists": "`payment-sandbox cards --declines` lists",
    "GET /_sandbox/scenarios lists them": "`payment-sandbox scenarios list` lists the shipped ones",
    "GET /_sandbox/snapshots lists": "`payment-sandbox snapshot list` lists",
    "X-Sandbox-Scenario": "--scenario",
}
_CALL: Final = re.compile("|".join(COMMANDS))
_PROJECT_FILE: Final = ".payment-sandbox.toml"
PROJECT_KEYS: Final = ("url", "key", "port_file")
"""What a project's file can have; `serve` has its own settings."""

F = TypeVar("F", bound=Callable[..., Any])


class ServerAddress(click.ParamType[str]):
    """An address that a connection can be made to."""

    name = "URL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value.strip():
            return str(value)  # an empty one is refused with all empty options
        if not is_address(address := with_scheme(value)):
            self.fail(f"{_PASSWORD.sub('…@', value)} is not an http or https URL", param, ctx)
        return address


def target_options(function: F) -> F:
    """Add the options for the address of the sandbox."""
    url = click.option(
        "--url",
        type=ServerAddress(),
        help=f"URL of the sandbox; by default {URL_VARIABLE}, then {_PROJECT_FILE}, then host and port.",
    )
    return url(click.option("--port-file", help="File written by `serve --port-file`.")(function))


def ask(url: str | None, port_file: str | None, patience_s: float = PATIENCE_S) -> tuple[bool, str]:
    """Ask once whether a sandbox is ready; return that, and its answer or the system's error."""
    try:
        base, token = _target(url, port_file)
        http = Http(base, keeps=False)
    except (OSError, ValueError) as error:
        return False, str(error)
    try:
        answer = http.call("GET", f"{PREFIX}readyz", None, {TOKEN_HEADER: token} if token else {}, patience_s)
    except (OSError, HTTPException) as error:
        return False, _away(base, error, patience_s)
    said = answer.body[:10_000].decode("utf-8", "replace").strip()
    if wrong := _stranger(base, answer.status, answer.headers):
        return False, wrong
    return answer.status == 200, f"{base} answered {answer.status} {said}".strip()


def _stranger(base: str, status: int, headers: Mapping[str, str]) -> str | None:
    """What is wrong with the answer of another server, which a URL names by mistake; hardly any has our IDs."""
    is_ours = headers.get("x-request-id", "").startswith(KINDS["request"].prefix)
    return None if is_ours else f"{base} is another server: it answered {status} without an X-Request-Id of ours"


def _away(base: str, wrong: Exception, patience_s: float) -> str:
    said = _what(wrong, patience_s)
    advice = "`payment-sandbox serve` starts a sandbox, --url says where another one is"
    if "certificate" in said:
        advice = "`payment-sandbox ca` shows how to trust a sandbox, and `serve --tls-name` gives it another name"
    return f"cannot reach {base}: {said}; {advice}"


def _what(wrong: Exception, patience_s: float) -> str:
    is_odd = isinstance(wrong, LineBroken) and wrong.how == "malformed"
    return "the answer is not JSON" if is_odd else sentence_for(wrong.__context__ or wrong, patience_s)


def _target(url: str | None, port_file: str | None) -> tuple[str, str | None]:
    """Return the sandbox's address and control token; OSError or ValueError for an invalid port file."""
    loaded = read_settings({**flags_of_first_process(), **({"port_file": port_file} if port_file else {})})
    settings = loaded.settings
    for warning in loaded.warnings:
        warn_of_variable(warning)
    base = url or _from_port_file(settings.host, port_file) or os.environ.get(URL_VARIABLE)
    base = base or _from_port_file(settings.host, settings.port_file)
    if not base and (settings.host, settings.port) == (ROWS["host"].default, ROWS["port"].default):
        project = project_file()
        base = project.get("url") or _from_port_file(settings.host, project.get("port_file"))
    base = with_scheme(base or reachable(settings.host, settings.port)).rstrip("/")
    if not is_address(base):  # the flag and the project's file were checked
        name = URL_VARIABLE if os.environ.get(URL_VARIABLE) else "host and port"
        said = f"{name}: {_PASSWORD.sub('…@', base)} is not an http or https URL"
        stop(USAGE, [f"{said}; --url and --port-file say where the sandbox is"])
    return base, settings.control_token


@cache
def warn_of_variable(warning: str) -> None:
    """Say once that a variable is none of ours, which may be meant to say where the sandbox is."""
    show(f"warning: {warning}", err=True)


@cache
def project_file() -> Mapping[str, str]:
    """Return the content of the nearest project file, from this folder upwards; a mistake in it ends the command."""
    try:
        path, read = nearest_table(_PROJECT_FILE, Path())
    except SettingsRefused as wrong:
        stop(USAGE, wrong.mistakes)
    values = {name.replace("-", "_"): value for name, value in read.items()}
    mistakes = [f"{path}: {mistake}" for name, value in values.items() if (mistake := _mistake(name, value))]
    if mistakes:
        stop(USAGE, mistakes)
    return {**values, "port_file": str(path.parent / values["port_file"])} if "port_file" in values else values


def _mistake(name: str, value: object) -> str | None:
    if name not in PROJECT_KEYS:
        return f"{name} is not one of {', '.join(PROJECT_KEYS)}{nearest(name, PROJECT_KEYS)}"
    if not isinstance(value, str) or not value:
        return f"{name} must be a string that is not empty"
    return f"{name} must be an http or https URL" if name == "url" and not is_address(with_scheme(value)) else None


def _from_port_file(host: str, path: str | None) -> str | None:
    if not path:
        return None
    try:
        held = beginning(Path(path)).rstrip()
    except OSError as wrong:
        raise ValueError(f"{path} cannot be read: {wrong.strerror}") from None
    if not PORT_TEXT.fullmatch(held) or not 0 < int(held) < 1 << 16:
        raise ValueError(f"{path} does not hold a port")
    return reachable(host, int(held))


def flags_of_first_process(told: Path = Path("/proc/1/cmdline")) -> Mapping[str, str]:
    """Return the flags of `serve` in a container's first process, by their settings' names.

    A health check is another process of the container, and must use the port that these flags set.
    """
    try:
        arguments = told.read_text("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return {}
    names = [word.rpartition("/")[2] for word in arguments]
    given = arguments[names.index(OURS) + 1 :] if OURS in names else []  # an init can come before it
    if given[:1] == [serve.name]:
        del given[0]
    elif not given or not given[0].startswith("--"):
        return {}
    with serve.make_context("serve", given, resilient_parsing=True) as context:
        return texts(context.params)


@click.command("ready")
@target_options
def ready(url: str | None, port_file: str | None) -> None:
    """Check whether a running sandbox is ready; exit with 0 or 1."""
    is_ready, said = ask(url, port_file)
    if not is_ready:
        stop(FAILED, [f"not ready: {said}"])
    show(said)


def duration(value: str, of: str | None = None) -> int:
    """Read a duration with its unit, in milliseconds; `of` names its parameter, if click does not."""
    try:
        return spelled_out_ms(value)
    except ValueError as wrong:
        raise click.BadParameter(f"{value[:40]!r} {wrong}", param_hint=of) from None


def _seconds(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """Read how long to wait; a bare number is seconds, as in other programs."""
    found = duration(f"{value}s" if value.isascii() and value[-1:].isdecimal() else value) / 1000
    if not 0 < found <= 24 * 60 * 60:
        raise click.BadParameter(f"{value[:40]!r} is not a time to wait: more than 0 and at most 24h")
    return found


def timeout_option(about: str, default: str = "30s") -> Callable[[F], F]:
    """Return the option with a time limit in real time, as `timeout_s`."""
    return click.option("--timeout", "timeout_s", callback=_seconds, default=default, show_default=True, help=about)


@click.command("wait")
@target_options
@timeout_option("How long to wait.")
def wait(url: str | None, port_file: str | None, timeout_s: float) -> None:
    """Wait until a sandbox is ready; exit with 1 if it is not ready in time."""
    clock = SystemClock()
    end = clock.monotonic() + timeout_s
    is_ready, said = False, ""
    while not is_ready:
        is_ready, said = ask(url, port_file, min(max(round(end - clock.monotonic(), 1), PAUSE_S), PATIENCE_S))
        if not is_ready and clock.monotonic() >= end:
            stop(FAILED, [f"not ready after {timeout_s:g} s: {said}"])
        Event().wait(0 if is_ready else PAUSE_S)
    show(said)


KEY_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}API_KEY"
takes_key = click.option("--key", help=f"Secret key of the workspace; by default {KEY_VARIABLE}, then {_PROJECT_FILE}.")
TONES: Final = {"good": "green", "bad": "red", "wait": "yellow"}
FORMATS: Final = ("text", "json", "mermaid", "svg")


class RunningSandbox:
    """Calls to one sandbox; an error ends the command."""

    def __init__(self, key: str | None, url: str | None, port_file: str | None) -> None:
        self._key = key
        self._url = url
        self._port_file = port_file
        self.unreachable = FAILED
        """The exit code if the sandbox does not answer."""
        self.is_away = False  # as far as somebody who waits for it knows

    @property
    def base(self) -> str:
        return self._target[0]

    @property
    def _target(self) -> tuple[str, str | None]:
        try:
            return _target(self._url, self._port_file)
        except (OSError, ValueError) as wrong:
            stop(self.unreachable, [str(wrong)])

    def get(self, path: str, **query: object) -> Any:
        """Return the body of a control call's answer; `path` follows `/_sandbox/`, values of None are left out."""
        return self.ask("GET", f"{PREFIX}{path}{query_of(query)}")

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] = {}, *, with_key: bool = True
    ) -> Any:
        """Return the body of any call's answer; a body of bytes is a scenario's YAML."""
        base, token = self._target
        if odd := NOT_IN_NAMES.search(path.partition("?")[0]):
            stop(USAGE, [f"a name or an ID cannot contain {unquote(odd[0])!r}"])
        key = key_of(self._key) if with_key else None
        client = OverHttp(base, key, token=token, patience_s=CONTROL_PATIENCE_S)
        try:
            if isinstance(body, bytes):
                reply = client.send(method, path, body, "application/yaml", headers)
            else:
                reply = client.request(method, path, body, headers)
        except (OSError, LineBroken) as wrong:
            if isinstance(wrong, LineBroken) and not path.startswith(PREFIX) and ask(self._url, self._port_file)[0]:
                what = f"{_what(wrong, CONTROL_PATIENCE_S)}; the sandbox is ready, so a scenario did this"
                advice = "`payment-sandbox tail --no-follow` shows whether the call took effect"
                stop(self.unreachable, [f"{method} {path}: {what}; {advice}"])
            stop(self.unreachable, [_away(base, wrong, CONTROL_PATIENCE_S)])
        if not path.startswith(f"{PREFIX}ui/") and (strange := _stranger(base, reply.status, reply.headers)):
            stop(self.unreachable, [strange])
        if reply.status != 200:
            stop(self.unreachable, refusal(reply), reply.body, reply.status)
        return reply.body


def asks_sandbox(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options for the sandbox and its workspace; the command gets them as `sandbox`."""

    @takes_key
    @target_options
    @wraps(function)
    def asked(key: str | None, url: str | None, port_file: str | None, **given: Any) -> None:
        function(sandbox=RunningSandbox(key, url, port_file), **given)

    return asked


def key_of(text: str | None) -> ApiKey:
    """Return the key that was given, or that of the environment or project; without one the command ends."""
    if not (given := text or os.environ.get(KEY_VARIABLE) or project_file().get("key")):
        stop(USAGE, [f"give the workspace's secret key with --key snd_…, {KEY_VARIABLE} or key in {_PROJECT_FILE}"])
    try:
        return key_of_workspace(given)
    except ValueError as wrong:
        place = "--key" if text else KEY_VARIABLE if os.environ.get(KEY_VARIABLE) else _PROJECT_FILE
        stop(USAGE, [f"{place}: {wrong}"])


def refusal(reply: StoryReply) -> list[str]:
    """Return the message of an error, and a line for each wrong field that it does not quote."""
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    if not isinstance(error, dict):
        return [f"the sandbox answered {reply.status}"]
    said = str(error.get("message"))
    if error.get("fields"):  # they say more than the general advice after an unknown ID
        said = said.partition("; check the ")[0]
    if TOKEN_HEADER in said:
        said = f"this sandbox requires a token: set {ROWS['control_token'].variable}"
    lines = [said]
    for field, message in ((str(row.get("field")), str(row.get("message"))) for row in error.get("fields") or ()):
        if message.startswith("is not the name of "):  # which is said, but not what was meant
            lines[0] = said.replace(" here", " here" + "".join(message.partition(" (")[1:]), 1)
        elif message not in said:
            lines.append(f"{field} {message}")
    return [_CALL.sub(lambda call: COMMANDS[call[0]], line) for line in lines]


@click.command("why")
@click.argument("payment", shell_complete=offers(lambda: ("last",)))
@asks_sandbox
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@colour_option
def why(sandbox: RunningSandbox, payment: str, as_json: bool, colour: str) -> None:
    """Explain the status of a payment: every decision, and the rules that did not match.

    PAYMENT is its ID, or `last` for the newest payment.
    """
    found = sandbox.get(f"payments/{quote(payment, safe='')}/why")
    text = json_text(found) if as_json else "\n".join(_why_lines(found))
    show(text, colours=not as_json and has_colours(colour), wraps=not as_json)


def _why_lines(answer: Any) -> Iterator[str]:
    failure, waits = answer["failure"], answer["waits_for"]
    yield click.style(f"{answer['payment_id']} is {answer['status']}", fg=TONES.get(answer["tone"]), bold=True)
    yield f"  {answer['headline']}"
    if failure:
        yield f"  reason: {failure['decline']}"
    if answer["calls_since"]:
        yield f"calls before {answer['calls_since']} are no longer in the journal"
    for decision in answer["decisions"]:
        yield f"{click.style(decision['at'], dim=True)} {decision['operation']}: {decision['text']}"
        for near in decision["near_misses"]:
            yield click.style(f"    not {near['rule']}: {near['failed']}", dim=True)
    if waits:
        yield f"waiting for {waits['kind']}" + (f" (result: {waits['ends']})" if waits["ends"] else "")
    for due in answer["due"]:
        yield f"{click.style(due['at'], dim=True)} scheduled: {due['what']} of {due['subject']}"
    yield click.style(answer["page"], dim=True)


@click.command("timeline")
@click.argument("payment", shell_complete=offers(lambda: ("last",)))
@asks_sandbox
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format.")
@click.option("--output", "-o", type=FILE, help="Write to this file instead of standard output.")
@colour_option
def timeline(sandbox: RunningSandbox, payment: str, form: str, output: Path | None, colour: str) -> None:
    """Show the history of a payment: calls, decisions, webhooks, and changes of the clock.

    PAYMENT is its ID, or `last` for the newest payment.
    """
    if form != "text" and colour == "always":
        raise click.UsageError(f"{form} has no colours: give --colour with --format text")
    colours = form == "text" and (output is None or colour == "always") and has_colours(colour)
    path = f"payments/{quote(payment, safe='')}/timeline"
    found = sandbox.get(path, format=form, colour="true" if colours else "false")
    text = found if isinstance(found, str) else json_text(found)
    if output is None:
        show(text.removesuffix("\n"), colours=colours, wraps=form == "text")
    else:
        write(output, text.removesuffix("\n") + "\n")
