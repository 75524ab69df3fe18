"""Every argument, option and setting with words that nobody means: a message, never a fault of ours."""

from __future__ import annotations

import json
import random
import re
import socket
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Final

import click
import pytest

from mock_server.cli.asking import PROJECT_KEYS, project_file
from mock_server.settings import ROWS
from tests.cli.leaves import LEAVES, LOOKING, Leaf, ids, typed
from tests.counts import times
from tests.running import RunningSandbox

HOSTILE: Final = (
    "", " ", "x", "-1", "0", "9" * 24, "1e400", "nan", "é\u202e", "\udc80", "../../etc/passwd", "/", ".", "/dev/null",
    "http://[", "http://.", "http://a..b", "http://" + "a" * 70, "http://é\u202e", "http://127.0.0.1:1/é", "{", "%00",
    "@", "=", "a=b", "a/b", "a;b", "binary", "text", "::", "1d1", "-5m", "2026-13-45T99:99", "null", "x" * 5_000,
    "a=" + "[" * 20_000, "deep", "deep.json",
)  # fmt: skip
"""What nobody means: of other types, too long, and of characters that a path, a URL or a header cannot have."""
ADDRESSES: Final = (":::", "http://a:abc", "http://a:99999", "http://[::1", "http://a b", "ftp://x", "//", "http:///x")
"""More of what is no address."""
JARGON: Final = re.compile(
    r"Errno|Expecting value|codec can't|encoded slash|semicolon|X-Sandbox-Token|^\S+ '\w+'$", re.MULTILINE
)
"""What says nothing to who typed a command: of Python, of JSON's reader, of the protocol."""
ENDLESS: Final = frozenset({"serve", "mcp", "listen", "tail", "probe", "wait"})
"""Commands that do not end by themselves."""


@pytest.mark.parametrize("name", ROWS)
def test_a_setting_with_a_hostile_word(name: str) -> None:
    for word in HOSTILE:
        with suppress(ValueError):
            ROWS[name].kind.read(word)


@pytest.mark.parametrize("leaf", [one for one in LEAVES if one.name not in ENDLESS | {"conformance"}], ids=ids)
def test_with_a_hostile_word(
    leaf: Leaf, sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every argument and every option with each of them: a message or a result, never a fault of ours."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe{")
    (tmp_path / "text").write_text("{not: [JSON")
    (tmp_path / "deep").write_text('{"data":' * 6_000 + "1" + "}" * 6_000)
    (tmp_path / "deep.json").write_text("[" * 20_000)
    chance = random.Random(leaf.name)
    faults = []
    for param in leaf.command.params:
        option = None if param.param_type_name == "argument" else max(param.opts, key=len)
        if isinstance(param, click.Option) and param.is_flag:
            continue
        for word in chance.sample(HOSTILE, times(4, soak=len(HOSTILE))):
            words = [*leaf.line, f"{option}={word}"] if option else [*leaf.name.split(), "--", word]
            done = typed(words, PAYMENT_SANDBOX_URL=sandbox.base)
            is_fault = not isinstance(done.exception, SystemExit | None) or done.exit_code not in range(4)
            is_fault |= bool(JARGON.search(done.stderr))
            if is_fault or (option is None and word == "" and done.exit_code != 2):
                faults.append((words, done.exit_code, repr(done.exception), done.stderr))
    assert not faults


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No name is known, and nobody is asked for one: where no server of names answers, each would take five seconds."""
    real = socket.getaddrinfo

    def known(*given: Any, **named: Any) -> Any:
        return real(*given, **{**named, "flags": named.get("flags", 0) | socket.AI_NUMERICHOST})

    monkeypatch.setattr(socket, "getaddrinfo", known)


VARIABLES: Final = ("control_token", "host", "port", "api_key", "url", "port_file")
WAYS: Final = [*product(("flag", "file"), PROJECT_KEYS), *product(("variable",), VARIABLES)]
"""How a command is told where its sandbox is, and whose workspace is meant."""


@pytest.mark.parametrize("leaf", [one for one in LEAVES if one.has("--url") and one.name not in ENDLESS], ids=ids)
@pytest.mark.usefixtures("offline")
def test_with_a_hostile_setting_by_any_way(leaf: Leaf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address, the key and the port file, by flag, variable and the project's file: a message, never a fault."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(leaf.name)
    faults = []
    line = [*leaf.line, *(LOOKING.get(leaf.name, "").split()[len(leaf.line) - len(leaf.name.split()) :])]
    for way, name in WAYS:
        words = [*HOSTILE, *(ADDRESSES if name == "url" else ())]
        for word in chance.sample(words, times(3, soak=len(words))):
            variables: dict[str, str | None] = {"PAYMENT_SANDBOX_PORT": "1"} if name != "host" else {}
            more = []
            if way == "flag":
                more = [f"--{name.replace('_', '-')}={word}"]
            elif way == "variable":
                variables[f"PAYMENT_SANDBOX_{name.upper()}"] = word
            else:
                (tmp_path / ".payment-sandbox.toml").write_text(
                    f"{name} = {json.dumps(word)}", "utf-8", "surrogatepass"
                )
                variables = {"PAYMENT_SANDBOX_API_KEY": None} if name == "key" else {}
            project_file.cache_clear()
            done = typed([*line, *more], **variables)
            (tmp_path / ".payment-sandbox.toml").unlink(missing_ok=True)
            is_fault = not isinstance(done.exception, SystemExit | None) or done.exit_code not in range(4)
            if is_fault or JARGON.search(done.stderr):
                faults.append((way, name, word, repr(done.exception), done.stderr))
    project_file.cache_clear()
    assert not faults
