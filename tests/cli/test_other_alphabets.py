"""What a command prints into a file or a pipe is the same bytes wherever it runs: programs read it as UTF-8."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import Final

import click
import pytest

from mock_server.cli import main
from tests.cli.leaves import LEAVES, LOOKING, Leaf
from tests.cli.over_http import ask
from tests.counts import SOAK, times
from tests.running import RunningSandbox
from tests.wire import KEY, card_payment

ALPHABETS: Final = ("latin-1", "ascii", "iso8859-9", "cp1252", "koi8-r", "euc-jp")[: times(1, soak=6)]
"""As the locales of other machines have them, where Python knows no better one."""
DESCRIPTION: Final = "Zwei Plätze – 中文 😀"
ALONE: Final = ("cards", "errors", "openapi", "states", "completion bash", "scenarios list", "scenarios schema")
"""Commands that print, and look at no workspace."""
FLAGS: Final = ("--json", "--yaml", "--mermaid")


def forms(leaf: Leaf) -> Iterator[list[str]]:
    """The command in every form that it can print."""
    words = f"{leaf.name} {LOOKING.get(leaf.name, '')}".split()
    yield words
    for param in leaf.command.params:
        name = max(param.opts, key=len)
        if name in FLAGS:
            yield [*words, name]
        elif isinstance(param.type, click.Choice) and name in ("--as", "--format"):
            yield from ([*words, name, one] for one in param.type.choices)


ROWS: Final = [row for leaf in LEAVES if leaf.name in (*LOOKING, *ALONE) for row in forms(leaf)]
SLOW: Final = [["openapi", "--yaml"]]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with RunningSandbox() as running:
        body = {**card_payment("success"), "confirm": True, "description": DESCRIPTION, "metadata": {"ä": "→"}}
        ask(running, "POST", "/payments", body)
        ask(running, "POST", "/_sandbox/clock/freeze")
        yield running


def printed(words: list[str], alphabet: str) -> tuple[bytes, bytes]:
    """What the command writes to stdout and stderr."""
    with TextIOWrapper(BytesIO(), alphabet) as out, TextIOWrapper(BytesIO(), alphabet) as err:
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit):
            main.main(words, prog_name="payment-sandbox")
        err.flush()
        return out.buffer.getvalue(), err.buffer.getvalue()


@pytest.mark.parametrize("words", [row for row in ROWS if SOAK or row not in SLOW], ids=" ".join)
def test_it_is_the_same_in_every_alphabet(
    words: list[str], sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", sandbox.base)
    monkeypatch.setenv("PAYMENT_SANDBOX_API_KEY", KEY)
    expected, said = printed(words, "utf-8")
    assert expected, said
    for alphabet in ALPHABETS:
        assert printed(words, alphabet) == (expected, said), alphabet


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_so_is_an_error(alphabet: str, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", sandbox.base)
    monkeypatch.setenv("PAYMENT_SANDBOX_API_KEY", KEY)
    _, said = printed(["get", "pay_ä😀", "--json"], alphabet)
    assert "pay_ä😀" in json.loads(said)["error"]["message"]
