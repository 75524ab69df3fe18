"""The first call that `serve` prints works as it is told, whatever the settings are."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from operator import itemgetter
from typing import Any, Final

import pytest

from mock_server.cli.serving import ready_text
from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.settings import ROWS, Settings
from tests.wire import Wire, wire

BASE: Final = "http://127.0.0.1:12190"
BASES: Final = (BASE, "http://[::1]:12190")
SHELLS: Final = (("sh",), ("bash", "--norc"), ("zsh", "-f"))
KEYS: Final = ("snd_of_the_first_shop", "snd_of_the_second")
SEPARATE: Final = frozenset({"dialect", "port", "tls_port"})
"""Settings that the app is not made with: the dialect is handed to it (below), a port is the server's."""


def values(name: str) -> list[Any]:
    """Every word that a setting can be, or the lowest figure that it can."""
    kind = ROWS[name].kind
    if kind.words:
        return [kind.read(word) for word in kind.words]
    lowest = re.search(r"\bfrom (\S+) to ", kind.allowed)
    return [kind.read(lowest[1])] if lowest else []


SETTINGS: Final = [
    pytest.param({name: value}, id=f"{name}={value}") for name in ROWS if name not in SEPARATE for value in values(name)
]
LIMITED: Final[list[dict[str, Any]]] = [
    {"keys": KEYS},
    {"keys": ("snd_first_steps", *KEYS)},
    {"keys": KEYS, "unknown_profiles": "refuse"},
    {"control_token": "hush"},
    {"public_url": "https://pay.example.test/base"},
]


def as_told(text: str, api: Wire) -> tuple[str, Wire, dict[str, Any]]:
    """The path of the printed call, the client and the body, with what the text says to put into them."""
    told, words = text.split(":\n\n", 1)[0], shlex.split(text[text.index("  curl ") :].split("\n\n")[0])
    key = words[words.index("-H") + 1].removeprefix("api-key: ")
    body = json.loads(words[words.index("-d") + 1])
    client = api.as_key(KEYS[0] if f"instead of {key}" in told else key)
    if f"instead of {body['profile_id']}" in told:
        client.get("/health")
        merchant = client.get("/_sandbox/workspaces")["data"][0]["merchant_id"]
        body["profile_id"] = client.post(f"/account/{merchant}/business_profile", {"profile_name": "mine"})[
            "profile_id"
        ]
    return words[2].removeprefix(BASE), client, body


@pytest.mark.parametrize("dialect", [None, HYPERSWITCH], ids=["interface", "public"])
@pytest.mark.parametrize("settings", [*SETTINGS, *LIMITED])
def test_the_first_call_pays(settings: dict[str, Any], dialect: Dialect | None) -> None:
    api = wire(dialect=dialect, **settings)
    path, client, body = as_told(ready_text(BASE, Settings(**settings)), api)
    reply = client.post(path, body)
    assert (reply.status, reply.json.get("status")) == (200, "succeeded"), reply.raw


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("shell", SHELLS, ids=itemgetter(0))
def test_each_shell_passes_the_first_call_on_as_it_is_printed(shell: tuple[str, ...], base: str) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"{shell[0]} is not installed")
    printed = ready_text(base, Settings())
    command = printed[printed.index("  curl ") :].split("\n\n")[0]
    echo = "curl() { printf '%s\\n' \"$@\"; }\n"
    done = subprocess.run([*shell, "-c", echo + command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["-s", f"{base}/payments", *shlex.split(command.replace("\\\n", ""))[3:]]


@pytest.mark.parametrize("secret", [None, "mine"])
@pytest.mark.parametrize("keys", [None, KEYS, (*KEYS, "snd_first_steps")])
def test_the_secret_that_is_printed_signs_the_events_of_that_key(secret: str | None, keys: Any) -> None:
    settings = Settings(webhook_url="http://127.0.0.1:9/hook", webhook_secret=secret, keys=keys)
    text = ready_text(BASE, settings)
    printed = text.rpartition("signed with ")[2].removesuffix(".\n")
    if match := re.fullmatch(r"(\w+) for this key", printed):
        api = wire(webhook_url=settings.webhook_url, keys=keys).as_key("snd_first_steps")
        assert api.get("/_sandbox/webhooks/target")["secret"] == match[1]
    else:
        assert bool(secret) or keys == KEYS, text
