"""Each argument and option of every command with values that are none: what is said names the place, and a way out.

The way out is a command that does what it says when it is typed as it is printed; no call, header or body of HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import click
import pytest

from tests.cli.leaves import LEAVES, Leaf, complaint, typed
from tests.counts import times
from tests.running import RunningSandbox

OWN_WAY: Final = frozenset(
    {"serve", "mcp", "wait", "listen", "conformance", "probe", "scenarios check", "reset", "verdict"}
)
"""They run on, or write what they find to standard output."""
VALUES: Final = (
    "", " ", "nobody", "Last", " last", "lost_respons", "insufficient_fund", "succes", "-5", "0", "1.5",
    "9" * 20, "9" * 5_000, "#", "x" * 100, "snd_abcdefgh.", "prd_0123456789abcdef", "4242424242424242",
)  # fmt: skip
OF_HTTP: Final = re.compile(r"(GET|PUT|POST|DELETE) /|X-Sandbox|api-key header|The body is not|line 1, column")
OF_THE_REST: Final = (
    "not allow",
    "not possible",
    "payment pay_1 here",
    "snapshot paid here",
    "last is neither",
    "last cannot",
)
"""Of what is right in the call: a status, and an argument that needs a payment."""
COMMAND: Final = re.compile(r"`payment-sandbox ([^`]+)`")


class Place(NamedTuple):
    """An argument or option of a command."""

    leaf: Leaf
    param: click.Parameter

    def line(self, value: str) -> list[str]:
        words = list(self.leaf.line)
        if isinstance(self.param, click.Option):
            return [*words, *(("--no-follow",) if self.leaf.name == "tail" else ()), f"{self.param.opts[0]}={value}"]
        arguments = [one for one in self.leaf.command.params if isinstance(one, click.Argument)]
        at = len(self.leaf.name.split()) + [one.name for one in arguments].index(self.param.name)
        return [*words[:at], *("payment_failed" for _ in range(at - len(words))), "--", value, *words[at + 1 :]]

    @property
    def names(self) -> list[str]:
        metavar = self.param.make_metavar(click.Context(self.leaf.command))
        return [*self.param.opts, self.param.opts[0].strip("-"), str(self.param.name), metavar]


PLACES: Final = tuple(
    Place(leaf, param)
    for leaf in LEAVES
    for param in leaf.command.params
    if leaf.name not in OWN_WAY and not getattr(param, "is_flag", False) and param.name not in ("output", "save")
)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with RunningSandbox() as running:
        typed(["pay"], PAYMENT_SANDBOX_URL=running.base)
        yield running.base


@cache
def works(command: str, base: str) -> bool:
    """Whether what a message says can be typed."""
    return command == "serve" or typed(command.split(), PAYMENT_SANDBOX_URL=base).exit_code == 0


def test_each_command_is_tried() -> None:
    assert len(PLACES) > 150
    assert {place.leaf.name for place in PLACES} >= {leaf.name for leaf in LEAVES if leaf.has("--key")} - OWN_WAY


@pytest.mark.parametrize("place", PLACES[:: times(12, soak=1)], ids=lambda one: f"{one.leaf.name} {one.param.name}")
def test_a_wrong_value(place: Place, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text("what is signed")
    for value in VALUES:
        done = typed(place.line(value), PAYMENT_SANDBOX_URL=base)
        assert isinstance(done.exception, SystemExit | None), (value, done.exc_info)
        if done.exit_code == 0 or any(one in done.stderr for one in OF_THE_REST):
            continue  # it is a value of the field
        said = complaint(done, done.exit_code)
        assert not OF_HTTP.search(said), (value, said)
        assert all(works(command, base) for command in COMMAND.findall(said)), (value, said)
        assert place.param.name != "key" or not value.strip() or value not in said, said
        shown = (*place.names, value.strip()[:40] or place.names[0], "[number]", "[hidden]")
        assert any(one in said for one in shown), (value, said)
