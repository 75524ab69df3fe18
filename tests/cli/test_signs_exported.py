"""Signs that a terminal obeys and does not show: what is exported still says what was sent, and no view obeys them."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
import yaml

from tests.cli.leaves import LOOKING, typed
from tests.cli.over_http import ask
from tests.cli.test_forged_lines import FORGED, SIGNS
from tests.counts import times
from tests.running import RunningSandbox
from tests.wire import KEY, card_payment

UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
TEXTS: Final = [
    *(f"of a{sign}{FORGED}" for sign in ("\n", "\r\n", *SIGNS, "\ufeff")),
    *(f"of \x1b{code}{FORGED}" for code in ("[8m", "[31m", "[2J", "]0;x\x07", "[1A", "c")),
    "of 'a' \"b\" $HOME `id` $(id) \\ \\n %s {x} !!", "\u00e9 \U0001f600 \u4e2d",
]  # fmt: skip
"""What stands in a payment's description and metadata; each begins or goes on in its own way."""


def from_curl(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        words = shlex.split(line)
        yield from (json.loads(words[at + 1]) for at, word in enumerate(words) if word == "-d")


def from_pytest(text: str) -> Iterator[Any]:
    yield from (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))


def from_har(text: str) -> Iterator[Any]:
    for entry in json.loads(text)["log"]["entries"]:
        yield json.loads(entry["request"]["postData"]["text"])


FORMS: Final[dict[str, Callable[[str], Any]]] = {
    "curl": from_curl,
    "pytest": from_pytest,
    "har": from_har,
    "scenario": yaml.safe_load,
}


def texts(value: Any) -> Iterator[str]:
    """Every text in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from (name, *texts(one))
    elif not isinstance(value, int | float | None):
        for one in value:
            yield from texts(one)


@pytest.fixture(scope="module")
def paid(sandbox: RunningSandbox) -> dict[str, str]:
    """A payment for each text, by its id."""
    chosen = TEXTS[:: times(9, soak=1)]
    made = {}
    for text in chosen:
        body = {**card_payment(), "confirm": True, "description": text, "metadata": {"note": text}}
        made[ask(sandbox, "POST", "/payments", body)["payment_id"]] = text
    return made


def said(sandbox: RunningSandbox, line: list[str]) -> str:
    done = typed(line, PAYMENT_SANDBOX_URL=sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY)
    assert done.exit_code in range(3), done.output
    return done.output


@pytest.mark.parametrize("form", FORMS)
def test_what_is_exported_says_what_was_sent(sandbox: RunningSandbox, paid: dict[str, str], form: str) -> None:
    wrong = []
    for payment, text in paid.items():
        printed = said(sandbox, ["export", payment, "--as", form])
        if UNSEEN.search(printed) or list(texts(FORMS[form](printed))).count(text) < 2:
            wrong.append((text, printed))
    assert wrong[:1] == [], len(wrong)


LOOKS: Final = [*(f"{name} {words}".strip() for name, words in LOOKING.items() if name != "sign"), "search pay_",
    "payments --limit 100", "events --limit 100", "tail --no-follow --lines 100"]  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
def test_no_view_obeys_them(sandbox: RunningSandbox, paid: dict[str, str], look: str) -> None:
    for payment in list(paid)[: times(3, soak=len(paid)) if "last" in look.split() else 1]:
        words = [payment if word == "last" else word for word in look.split()]
        coloured = [[*words, "--colour", "always"]] if words[0] in ("why", "timeline", "tail") else []
        for line in (words, *coloured):
            printed = said(sandbox, line)
            bare = re.sub(r"\x1b\[(?:0|1|2|3[1-7]|[\d;]*38;5;\d+)m", "", printed)
            assert not UNSEEN.search(bare), (line, printed)
            assert not re.search(f"^{FORGED}", bare, re.MULTILINE), (line, printed)


@pytest.mark.parametrize("command", ["get", "why", "scenarios on", "snapshot restore", "search", "resend"])
def test_no_message_obeys_them(sandbox: RunningSandbox, command: str) -> None:
    for text in TEXTS[:: times(9, soak=1)]:
        if "\0" not in text:
            printed = said(sandbox, [*command.split(), "--", text])
            assert not UNSEEN.search(printed), (command, text, printed)
            assert not re.search(f"^{FORGED}", printed, re.MULTILINE), (command, text, printed)
