"""Asking a running sandbox whether it is ready: what `ready` and `wait` share."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import click

from mock_server.cli import first_process
from mock_server.cli.environment import reachable, read_settings, read_text
from mock_server.settings import ENVIRONMENT_PREFIX

READY_PATH: Final = "/_sandbox/readyz"
URL_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}URL"

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether the sandbox is ready, and what it or the system said."""

    ready: bool
    said: str


def target_options(function: F) -> F:
    """Add the options that say which sandbox is meant."""
    url = click.option("--url", help=f"Its address; without it {URL_VARIABLE}, else host and port from the settings.")
    port_file = click.option("--port-file", help="The file that `serve --port-file` writes.")
    return url(port_file(function))


def ask(url: str | None, port_file: str | None, *, timeout_s: float = 5.0) -> Answer:
    """Ask once; every failure on the way is an answer too."""
    try:
        return _get(*target(url, port_file), timeout_s)
    except (OSError, ValueError) as error:
        return Answer(False, str(error))


def target(url: str | None, port_file: str | None) -> tuple[str, str | None]:
    """Return which sandbox is meant, and its control token; OSError or ValueError for a port file that is none."""
    settings = read_settings({**first_process.flags(), **({"port_file": port_file} if port_file else {})}).settings
    base = url or _from_port_file(settings.host, port_file) or os.environ.get(URL_VARIABLE)
    base = base or _from_port_file(settings.host, settings.port_file)
    base = base or reachable(settings.host, settings.port)
    return base.rstrip("/"), settings.control_token


def _from_port_file(host: str, path: str | None) -> str | None:
    return reachable(host, int(read_text(path))) if path else None


def _get(base: str, token: str | None, timeout_s: float) -> Answer:
    # Imported here because most commands ask nobody.
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    parts = urlsplit(base)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return Answer(False, f"{base} is no http or https address")
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname, parts.port, timeout=timeout_s)
    try:
        connection.request("GET", parts.path + READY_PATH, headers={"X-Sandbox-Token": token} if token else {})
        answer = connection.getresponse()
        said = answer.read(10_000).decode("utf-8", "replace").strip()
        return Answer(answer.status == 200, f"{base} answered {answer.status} {said}".strip())
    except HTTPException as error:
        return Answer(False, f"{base} does not speak HTTP: {error!r}")
    except OSError as error:
        return Answer(False, f"{base} does not answer: {error}")
    finally:
        connection.close()
