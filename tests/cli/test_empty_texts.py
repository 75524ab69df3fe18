"""An option of no text, as of a variable that is not set, is refused: as if it were not there, it acts elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from mock_server.cli import main
from tests.cli.test_durations_typed import commands

FOUND: Final = dict(commands(main))
TEXTS: Final = [
    (name, option)
    for name, command in FOUND.items()
    for param in command.params
    if name != "serve" and isinstance(param, click.Option) and not param.is_flag
    for option in param.opts
]
NOWHERE: Final = {
    "PAYMENT_SANDBOX_URL": "http://127.0.0.1:1",  # where an empty text would go on to
    "PAYMENT_SANDBOX_API_KEY": "snd_of_somebody_else",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own, for what a command writes that does not refuse."""
    monkeypatch.chdir(tmp_path)


def test_the_options_are_found() -> None:
    assert {("reset", "--key"), ("verdict", "--journal"), ("ready", "--port-file"), ("sign", "--secret")} <= {*TEXTS}
    assert len(TEXTS) > 100


@pytest.mark.parametrize(("name", "option"), TEXTS, ids=lambda part: part.replace(" ", "-"))
def test_an_empty_text_is_refused(name: str, option: str) -> None:
    needed = ["x" for param in FOUND[name].params if isinstance(param, click.Argument) and param.required]
    ways = [[option, ""]] + ([[f"{option}="]] if option.startswith("--") else [])
    for way in ways:
        done = CliRunner(env=NOWHERE).invoke(main, [*name.split(), *needed, *way])
        assert done.exit_code == 2, done.output
        assert option in done.stderr
        assert "Traceback" not in done.stderr


ARGUMENTS: Final = [
    name for name, command in FOUND.items() if name != "serve" and any(
        isinstance(param, click.Argument) and not isinstance(param.type, click.Choice) for param in command.params
    )
]  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_empty_argument_is_refused(name: str) -> None:
    many = sum(isinstance(param, click.Argument) for param in FOUND[name].params)
    done = CliRunner(env=NOWHERE).invoke(main, [*name.split(), *["trial"] * (many - 1), ""])
    assert done.exit_code == 2, done.output
    assert "Error" in done.stderr


@pytest.mark.parametrize(
    "words", [["trigger", "payment_failed", "--set", "a="], ["scenarios", "next", "x", "--on=a=b"]]
)
def test_a_text_that_ends_in_a_sign_is_none(words: list[str]) -> None:
    assert "it is empty" not in CliRunner(env=NOWHERE).invoke(main, words).output
