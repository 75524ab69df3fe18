"""The commands that print: tables, version, help."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mock_server import __version__
from mock_server.cli import COMMANDS, main
from mock_server.cli.output import TextTable, hung
from mock_server.cli.tables import cards_table, errors_table
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="payment-sandbox")


def records(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").output)


def test_version() -> None:
    assert run("--version").output == f"payment-sandbox {__version__}\n"


def test_help_lists_every_command() -> None:
    output = run("--help").output
    assert all(f"  {row.name} " in output and row.summary in output for row in COMMANDS)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_every_command_has_help_and_the_name_of_its_row(row: Any) -> None:
    result = run(row.name, "--help")
    assert result.exit_code == 0
    assert f"payment-sandbox {row.name}" in result.output
    command = main.get_command(None, row.name)  # type: ignore[arg-type]  # the context is not looked at
    assert command is not None
    assert command.name == row.name


def test_an_unknown_command_is_a_usage_error() -> None:
    assert run("cadrs").exit_code == 2


@pytest.mark.parametrize("command", ["--version", "--help"])
def test_small_commands_import_no_server(command: str) -> None:
    program = (
        "import sys; from mock_server.cli import main; main([sys.argv[1]], standalone_mode=False); "
        "sys.exit(', '.join({'flask', 'marshmallow', 'faker', 'yaml', 'msgspec'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program, command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_cards_prints_every_card() -> None:
    lines = run("cards").output.splitlines()
    assert lines[0].split()[:2] == ["NUMBER", "NAME"]
    assert [line.split()[:2] for line in lines[1:]] == [[card.number, card.name] for card in CARDS]


def test_cards_as_json() -> None:
    first = records("cards")[0]
    assert first == {
        "number": "4242424242424242",
        "name": "visa_success",
        "brand": "Visa",
        "type": "credit",
        "what_happens": "succeeded",
        "source": "facts §7.1",
    }


def test_declines() -> None:
    assert [row["name"] for row in records("cards", "--declines")] == [decline.name for decline in DECLINES]


def test_errors_prints_every_cause_with_its_code() -> None:
    printed = records("errors")
    assert [row["cause"] for row in printed] == [str(cause) for cause in Cause]
    assert all(row["code"] and row["http"].isdigit() and row["type"] for row in printed)


def test_codes_that_are_never_raised_have_a_reason() -> None:
    never = records("errors", "--never")
    assert never
    assert all(row["reason"] for row in never)
    assert not {row["code"] for row in never} & {row["code"] for row in records("errors")}


def test_a_table_is_aligned() -> None:
    text = TextTable(("a", "long name"), (("wide cell", "x"), ("y", "z"))).as_text()
    assert text == "A          LONG NAME\nwide cell  x\ny          z"


def test_a_table_shows_no_sources() -> None:
    assert TextTable(("a", "source"), (("x", "facts §1"),)).as_text() == "A\nx"


def test_a_wide_column_wraps_below_its_beginning() -> None:
    text = TextTable(("number", "what"), (("4242424242424242", "one two three four five six seven"),)).as_text(40)
    assert text.splitlines() == [
        "NUMBER            WHAT",
        "4242424242424242  one two three four",
        "                  five six seven",
    ]


@pytest.mark.parametrize(("table", "width"), [(cards_table(), 92), (errors_table("interface"), 120)])
def test_tables_fit_a_terminal(table: TextTable, width: int) -> None:
    lines = table.as_text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) > len(table.rows) + 1


def test_flags_without_a_command_are_those_of_serve() -> None:
    result = run("--port", "none")
    assert (result.exit_code, "none" in result.output) == (2, True)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("short", ["short"]),
        ("  one two three four five six", ["  one two three four", "      five six"]),
        ("\x1b[31mone two\x1b[0m three four five", ["\x1b[31mone two\x1b[0m three four", "    five"]),
        ("a_word_that_is_wider_than_it and", ["a_word_that_is_wider_than_it", "    and"]),
        ("", [""]),
    ],
)
def test_a_long_line_goes_on_below_its_own_beginning(line: str, parts: list[str]) -> None:
    assert list(hung(line, 20)) == parts
