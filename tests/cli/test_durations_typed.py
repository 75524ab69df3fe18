"""A duration that a person types has its unit, in every command and in the fixture: `clock advance 24` is no day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click
import pytest
from click.testing import CliRunner

from mock_server.cli import COMMANDS, main
from mock_server.testing import Sandbox

SETTINGS: Final = frozenset({"serve", "data"})
"""Their flags are settings, of which docs/how-to/configure.md says that a bare number is seconds."""
SECONDS: Final = "--timeout"
"""A bare number of it is seconds, as in other programs."""
BARE: Final = ("1", "24", "0.5", "86400")


def commands(parent: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(parent, click.Group):
        for word in parent.list_commands(click.Context(parent)):
            child = parent.get_command(click.Context(parent), word)
            assert child is not None
            yield from commands(child, f"{name} {word}".strip())
    else:
        yield name, parent


def takes_duration(param: click.Parameter) -> bool:
    """Whether its word, its help or its default says so."""
    says = f"{param.metavar} {getattr(param, 'help', '')} {param.default}"
    return re.search(r"\bDURATION\b|\b\d+(ms|s|m|h|d)\b", says) is not None


TYPED: Final = [
    (name, param.opts[0] if isinstance(param, click.Option) else "")
    for name, command in commands(main)
    for param in command.params
    if name.split()[0] not in SETTINGS and takes_duration(param) and param.opts[0] != SECONDS
]


def test_the_commands_are_found() -> None:
    assert {row.name for row in COMMANDS} >= {name.split()[0] for name, _ in TYPED}
    assert {("clock advance", ""), ("payments", "--since")} <= {*TYPED}
    assert len(TYPED) >= 6


@pytest.mark.parametrize("number", BARE)
@pytest.mark.parametrize(("name", "option"), TYPED, ids=lambda part: part.replace(" ", "-") or "argument")
def test_a_command_asks_for_the_unit(name: str, option: str, number: str) -> None:
    given = [f"{option}={number}"] if option else [number]
    own = ["--key", "snd_typed_by_a_person"] if option == "--since" else []
    done = CliRunner().invoke(main, [*name.split(), *given, *own])
    assert done.exit_code == 2, done.output
    assert f"has no unit; write {number}s or {number}ms" in done.stderr or option == "--since"
    assert (option or "DURATION") in done.stderr


@pytest.mark.parametrize("number", BARE)
def test_the_fixture_asks_for_the_unit(payment_sandbox: Sandbox, number: str) -> None:
    before = payment_sandbox.clock.freeze()
    with pytest.raises(TypeError, match='by="24h"'):
        payment_sandbox.clock.advance(number)
    assert payment_sandbox.clock.now == before


@pytest.mark.parametrize(
    ("value", "wrong"), [("0.1", ""), ("100ms", ""), ("0", "more than 0"), ("1x", "not a duration")]
)
def test_a_time_to_wait_can_be_a_number_of_seconds(value: str, wrong: str) -> None:
    done = CliRunner().invoke(main, ["wait", "--url", "http://127.0.0.1:1", "--timeout", value])
    assert (done.exit_code, wrong in done.stderr) == (2 if wrong else 1, True), done.output
