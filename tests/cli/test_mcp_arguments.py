"""Each argument of each tool, with JSON values of every kind: it is refused, or the command gets what was given.

An agent's library may send what the schema of a tool does not allow, and 0 and false are values too: `refund` with
the amount 0 must not become a refund of everything.
"""

from __future__ import annotations

import re
from typing import Any, Final

import click
import pytest

from mock_server.cli.mcp import command_line, input_schema, own_options, run, tools
from mock_server.cli.output import APART
from tests.counts import times

SCALARS: Final[tuple[Any, ...]] = (0, 1, 7, -1, 0.0, 10.5, "", "0", "7", "false", "true", "no", "--all", "last", "a=b")
OTHERS: Final[tuple[Any, ...]] = (True, False, {}, {"a": 1}, [True], [None], [["last"]], [{}])
LISTS: Final[tuple[Any, ...]] = ([], [0], ["last"], ["false"], [1, 2], ["last", "a=b"])
VALUES: Final = (*SCALARS, *OTHERS, *LISTS)


def typed(schema: dict[str, Any], value: Any) -> list[str] | None:
    """What a person would type for this value; None if it is not of the argument's kind."""
    several = schema["type"] == "array"
    values = value if several and isinstance(value, list) else [value]
    if schema["type"] == "boolean":
        return None if not isinstance(value, bool) else ["given"] if value else []
    if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in values):
        return None
    return [str(one) for one in values]


def named(command: click.Command, name: str) -> click.Parameter:
    """The parameter that an argument is: an option by its name, a word by that of the usage, or the list of words."""
    options = {param.opts[0].lstrip("-").replace("-", "_"): param for param in command.params}
    words = {param.human_readable_name.strip("[].").lower(): param for param in command.params}
    lists = {str(param.name): param for param in command.params}
    return {**lists, **words, **options}[name]


def parsed(command: click.Command, line: list[str], param: click.Parameter) -> tuple[str, Any]:
    """What the command gets for a parameter, or how it refuses the line, whatever else is missing."""
    command = click.Command(command.name, params=[param])
    try:
        return "taken", command.make_context("tool", list(line)).params[str(param.name)]
    except click.UsageError as wrong:
        return "refused", wrong.format_message()


@pytest.mark.parametrize("tool", tools())
def test_a_value_reaches_the_command_as_it_was_given_or_is_refused(tool: str) -> None:
    command = tools()[tool]
    for name, schema in input_schema(command)["properties"].items():
        param = named(command, name)
        option = isinstance(param, click.Option)
        for value in VALUES:
            words = typed(schema, value)
            if words is None:
                with pytest.raises(ValueError, match=f"^{name} must be "):
                    command_line(command, {name: value})
                continue
            if schema["type"] == "boolean":
                line = [param.opts[0] for _ in words]
            else:
                line = [f"{param.opts[0]}={word}" for word in words] if option else ["--", *words]
            assert parsed(command, command_line(command, {name: value}), param) == parsed(command, line, param), value


@pytest.mark.parametrize("tool", tools())
def test_a_default_that_a_terminal_shows_is_in_the_schema(tool: str) -> None:
    """An agent has no `--help` either: it would not know that `pay` charges 65.40 USD, or `dispute` says fraudulent."""
    command = tools()[tool]
    shown = re.findall(r"\[default: ([^;\]]+)", " ".join(command.get_help(click.Context(command)).split()))
    rows = input_schema(command)["properties"].values()
    assert sorted(str(row["default"]) for row in rows if "default" in row) == sorted(
        one for one in shown if one != "auto"
    )


@pytest.mark.parametrize("tool", tools())
def test_an_argument_that_is_null_is_not_given(tool: str) -> None:
    command = tools()[tool]
    names = input_schema(command)["properties"]
    assert command_line(command, dict.fromkeys(names)) == command_line(command, {})


def test_an_unknown_argument_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="there is no argument url; there are receiver, secret, "):
        command_line(tools()["probe"], {"url": "http://127.0.0.1:8000"})
    with pytest.raises(ValueError, match=r"there is no argument amuont \(did you mean amount\?\)$"):
        command_line(tools()["pay"], {"amuont": 1})


SETUP: Final = {"key": "snd_of_the_server_1", "url": "http://127.0.0.1:9"}
NEEDED: Final = {"duration": "1h", "words": ["nothing.yaml"], "then": ["failed"], "receiver": "http://127.0.0.1:9"}
WRONG: Final = ("", "-1", "no such word")


def arguments(tool: str) -> dict[str, Any]:
    """What a tool needs at least."""
    schema = input_schema(tools()[tool])
    return {name: NEEDED.get(name, "last") for name in schema["required"]}


def told(tool: str, given: dict[str, Any], setup: dict[str, str] = SETUP) -> str:
    """What a tool says."""
    command = tools()[tool]
    return run([*tool.split("_"), *own_options(command, given, setup), *command_line(command, given)])[0]


@pytest.mark.parametrize("tool", tools())
def test_no_mistake_is_answered_with_advice_for_a_terminal(tool: str) -> None:
    """An agent has no `--help`, and types no usage line."""
    needed, schema = arguments(tool), input_schema(tools()[tool])["properties"]
    lists, several = {name: row["type"] == "array" for name, row in schema.items()}, WRONG[: times(2, soak=3)]
    texts = [name for name, row in schema.items() if row["type"] != "boolean"]
    wrong = [{**needed, name: [one] if lists[name] else one} for name in texts for one in several]
    for given in ({}, needed, *wrong):
        said = told(tool, given)
        assert not ("--help" in said or "Usage:" in said), (given, said)


def argument(command: click.Command, strong: str) -> tuple[click.Parameter, str]:
    """A parameter of a command, and the name of its argument."""
    param = {one.name: one for one in command.params}[strong]
    return param, param.opts[0].lstrip("-").replace("-", "_")


@pytest.mark.parametrize(("tool", "strong", "weak"), [
    (name, strong, weak)
    for name, command in tools().items()
    for of, strong, several in APART if of in ("", command.name)
    for weak in several.split() if {strong, weak} <= {param.name for param in command.params}
    # Where it is no argument, the server itself was started with both, which `mcp` refuses.
    if argument(command, strong)[1] in input_schema(command)["properties"]
])  # fmt: skip
def test_an_option_of_the_server_gives_way(tool: str, strong: str, weak: str) -> None:
    """`verdict` with `all` takes no key, also that of the server; what an agent gives itself is refused."""
    command = tools()[tool]
    param, name = argument(command, strong)
    given = {**arguments(tool), name: True if getattr(param, "is_flag", False) else "given"}
    if weak in SETUP:
        assert "has no effect beside" not in told(tool, given)
    elif weak in input_schema(command)["properties"]:
        assert "has no effect beside" in told(tool, {**given, weak: "given"})
