"""Asking a running sandbox for something in the name of a key: what the commands about webhooks share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from mock_server.cli.output import FAILED, USAGE, stop
from mock_server.cli.probe import target, target_options
from mock_server.settings import ENVIRONMENT_PREFIX

if TYPE_CHECKING:
    from mock_server.domain.api_keys import ApiKey

KEY_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}API_KEY"
F = TypeVar("F", bound=Callable[..., Any])


def asking_options(function: F) -> F:
    """Add the options that say which sandbox is meant, and whose workspace."""
    key = click.option("--key", help=f"The secret key whose workspace it is; without it {KEY_VARIABLE}.")
    return key(target_options(function))


def key_of(text: str | None) -> ApiKey:
    """Return the key that was given or stands in the environment; without one the command ends."""
    from mock_server.domain.api_keys import ApiKey, parse

    parsed = parse(text or os.environ.get(KEY_VARIABLE))
    if not isinstance(parsed, ApiKey):
        stop(USAGE, [f"say whose workspace it is with --key snd_… or {KEY_VARIABLE}"])
    return parsed


class Asking:
    """Control calls to one sandbox; anything but a good answer ends the command."""

    def __init__(self, key: str | None, url: str | None, port_file: str | None) -> None:
        from mock_server.scenario.story.client import OverHttp

        try:
            base, token = target(url, port_file)
        except (OSError, ValueError) as wrong:
            stop(FAILED, [str(wrong)])
        self._client = OverHttp(base, key_of(key), token=token)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Return the answer's body; `path` comes after `/_sandbox/`."""
        from mock_server.scenario.story.client import LineBroken

        try:
            reply = self._client.request(method, f"/_sandbox/{path}", body, {})
        except (OSError, LineBroken) as wrong:
            stop(FAILED, [f"the sandbox does not answer: {wrong}"])
        if reply.status != 200:
            stop(FAILED, _said(reply.status, reply.body))
        return reply.body


def _said(status: int, body: Any) -> list[str]:
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return [f"the sandbox answered {status}"]
    fields = (f"{one.get('field')} {one.get('message')}" for one in error.get("fields") or ())
    return [str(error.get("message")), *fields]
