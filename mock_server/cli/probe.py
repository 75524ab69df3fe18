"""`payment-sandbox ready` and `wait`: the address of the sandbox, and whether it is ready."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from pathlib import Path
from threading import Event
from typing import Any, Final, TypeVar

import click

from mock_server.addresses import is_address, with_scheme
from mock_server.cli.output import FAILED, USAGE, stop
from mock_server.cli.serve import read_settings, read_text, serve, texts
from mock_server.clock import Clock, SystemClock
from mock_server.connections import Http
from mock_server.scenario.model.mistakes import nearest
from mock_server.settings import ENVIRONMENT_PREFIX, ROWS, duration_ms
from mock_server.settings.load import nearest_file

READY_PATH: Final = "/_sandbox/readyz"
URL_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}URL"
FIRST: Final = Path("/proc/1/cmdline")
OURS: Final = "payment-sandbox"
PAUSE_S: Final = 0.1
PROJECT_FILE: Final = ".payment-sandbox.toml"
PROJECT_KEYS: Final = ("url", "key", "port_file")
"""What a project's file can have; `serve` has its own settings."""

F = TypeVar("F", bound=Callable[..., Any])


class ServerAddress(click.ParamType[str]):
    """An address that a connection can be made to."""

    name = "URL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        address = with_scheme(value)
        return address if is_address(address) else self.fail(f"{value} is not an http or https URL", param, ctx)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether the sandbox is ready, and its answer or the system's error."""

    ready: bool
    said: str


def target_options(function: F) -> F:
    """Add the options for the address of the sandbox."""
    url = click.option(
        "--url",
        type=ServerAddress(),
        help=f"URL of the sandbox; by default {URL_VARIABLE}, then {PROJECT_FILE}, then host and port.",
    )
    port_file = click.option("--port-file", help="File written by `serve --port-file`.")
    return url(port_file(function))


def ask(url: str | None, port_file: str | None, *, timeout_s: float = 5.0) -> Readiness:
    """Ask once; every failure is an answer too."""
    try:
        return _get(*target(url, port_file), timeout_s)
    except (OSError, ValueError) as error:
        return Readiness(False, str(error))


def target(url: str | None, port_file: str | None) -> tuple[str, str | None]:
    """Return the sandbox's address and control token; OSError or ValueError for an invalid port file."""
    settings = read_settings({**flags_of_first_process(), **({"port_file": port_file} if port_file else {})}).settings
    base = url or _from_port_file(settings.host, port_file) or os.environ.get(URL_VARIABLE)
    base = base or _from_port_file(settings.host, settings.port_file)
    if not base and (settings.host, settings.port) == (ROWS["host"].default, ROWS["port"].default):
        found = project_file()
        base = found.get("url") or _from_port_file(settings.host, found.get("port_file"))
    base = base or reachable(settings.host, settings.port)
    return with_scheme(base).rstrip("/"), settings.control_token


@cache
def project_file() -> Mapping[str, str]:
    """Return the content of the nearest project file, from this folder upwards; a mistake in it ends the command."""
    import tomllib  # late: most projects have no such file

    path = nearest_file(PROJECT_FILE, Path.cwd())
    if path is None:
        return {}
    try:
        read = tomllib.loads(read_text(str(path)))
    except tomllib.TOMLDecodeError as wrong:
        stop(USAGE, [f"{path}: not TOML: {wrong}"])
    except (OSError, UnicodeError) as wrong:
        stop(USAGE, [f"{path}: cannot be read: {getattr(wrong, 'strerror', None) or wrong}"])
    found = {name.replace("-", "_"): value for name, value in read.items()}
    mistakes = [f"{path}: {mistake}" for name, value in found.items() if (mistake := _mistake(name, value))]
    if mistakes:
        stop(USAGE, mistakes)
    return {**found, "port_file": str(path.parent / found["port_file"])} if "port_file" in found else found


def _mistake(name: str, value: object) -> str | None:
    if name not in PROJECT_KEYS:
        return f"{name} is not one of {', '.join(PROJECT_KEYS)}{nearest(name, PROJECT_KEYS)}"
    return None if isinstance(value, str) and value else f"{name} must be a string that is not empty"


def _from_port_file(host: str, path: str | None) -> str | None:
    return reachable(host, int(read_text(path))) if path else None


def _get(base: str, token: str | None, timeout_s: float) -> Readiness:
    try:
        answer = Http(base, keeps=False).call(
            "GET", READY_PATH, None, {"X-Sandbox-Token": token} if token else {}, timeout_s
        )
    except HTTPException as error:
        return Readiness(False, f"{base} does not speak HTTP: {error!r}")
    except OSError as error:
        return Readiness(False, f"cannot reach {base}: {error}")
    said = answer.body[:10_000].decode("utf-8", "replace").strip()
    return Readiness(answer.status == 200, f"{base} answered {answer.status} {said}".strip())


def reachable(host: str, port: int) -> str:
    """Return the address of a server bound to this host, on this machine: the loopback one for all addresses."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://[{near}]:{port}" if ":" in near else f"http://{near}:{port}"


def flags_of_first_process(told: Path = FIRST) -> Mapping[str, str]:
    """Return the flags of `serve` in a container's first process, by their settings' names.

    A health check is another process of the container, and must use the port that these flags set.
    """
    try:
        words = told.read_text("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return {}
    names = [word.rpartition("/")[2] for word in words]
    given = words[names.index(OURS) + 1 :] if OURS in names else []  # an init can come before it
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
    answer = ask(url, port_file)
    if not answer.ready:
        stop(FAILED, [f"not ready: {answer.said}"])
    click.echo(answer.said)


def seconds(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """Read a duration in the format of the settings."""
    try:
        return duration_ms(value) / 1000
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a duration such as 250ms, 30s or 2m") from None


@click.command("wait")
@target_options
@click.option("--timeout", "timeout_s", callback=seconds, default="30s", show_default=True, help="How long to wait.")
def wait(url: str | None, port_file: str | None, timeout_s: float) -> None:
    """Wait until a sandbox is ready; exit with 1 if it is not ready in time."""
    answer = until_ready(lambda: ask(url, port_file), timeout_s, SystemClock(), lambda: Event().wait(PAUSE_S))
    if not answer.ready:
        stop(FAILED, [f"not ready after {timeout_s:g} s: {answer.said}"])
    click.echo(answer.said)


def until_ready(
    probe: Callable[[], Readiness], timeout_s: float, clock: Clock, pause: Callable[[], object]
) -> Readiness:
    """Return the first answer that is ready, or the last one within the time."""
    end = clock.monotonic() + timeout_s
    while not (answer := probe()).ready and clock.monotonic() < end:
        pause()
    return answer
