"""No page, template, document or recipe names a command that there is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from mock_server.cli import COMMANDS, main
from tests.architecture.sources import ROOT, files
from tests.cli.leaves import LEAVES, Leaf

NAMED: Final = re.compile(r"(?<![\w/.-])(?<!install )(?:payment-sandbox|-m mock_server) +([a-z]+)(?: +([a-z][a-z-]*))?")
SUFFIXES: Final = frozenset({".md", ".py", ".html", ".js", ".yaml", ".yml", ".toml", ".txt", ".sh", ".mjs", ""})
PLACES: Final = ("mock_server", "docs", "examples", "scenarios", ".github")
WORDS_AFTER: Final = frozenset({"command", "is", "authors", "in", "on", "it", "as", "for", "and", "or", "with", "of"})
"""Words of a sentence about the package or its command, which are none of its commands."""


def named_in() -> Iterator[Path]:
    """Where a command can be named: at the root and in the places, but for the packages that npm has installed."""
    for path in files():
        folders = path.relative_to(ROOT).parts[:-1]
        if path.suffix in SUFFIXES and (not folders or folders[0] in PLACES):
            yield path


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command that a text names, with the word after it."""
    yield from (found for found in NAMED.findall(text) if found[0] not in WORDS_AFTER)


def is_there(name: str, word: str) -> bool:
    command = main.get_command(click.Context(main), name)
    if not isinstance(command, click.Group):
        return command is not None
    return not word or word in command.commands


def test_every_command_that_is_named_exists() -> None:
    seen, wrong = set(), []
    for path in named_in():
        for name, word in commands(path.read_text("utf-8", "replace")):
            seen.add(name)
            if not is_there(name, word):
                wrong.append(f"{path.relative_to(ROOT)}: payment-sandbox {name} {word}")
    assert wrong == []
    assert len(seen) >= len(COMMANDS) // 2


PAGE: Final = ROOT / "docs" / "reference" / "command.md"
CELLS: Final = re.findall(r"^\| (`.*?`) (?:\([^)]*\) )?\| ", PAGE.read_text("utf-8"), re.MULTILINE)
"""What the first column of the reference's tables names."""
ALIKE: Final = {"--json", "--url", "--port-file", "--key", "--colour", "--help"}
"""What the reference says once for many commands."""


@pytest.mark.parametrize("leaf", [one for one in LEAVES if one.name != "serve"], ids=lambda one: one.name)
def test_the_reference_names_every_option(leaf: Leaf) -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    rows = " ".join(line for line in lines if re.search(rf"^\|[^|]*`{leaf.name}\b", line))
    rows += " ".join((PAGE.parent / link).read_text("utf-8") for link in re.findall(r"\]\(([^)#]+\.md)\)", rows))
    names = [{*one.opts, *one.secondary_opts} for one in leaf.command.params if isinstance(one, click.Option)]
    assert [found for found in names if not found & ALIKE and not any(name in rows for name in found)] == []


def test_the_reference_names_no_command_that_there_is_not() -> None:
    named = [span.split() for cell in CELLS for span in re.findall(r"`([^`]+)`", cell)]
    assert len(named) > len(COMMANDS)
    assert [
        words for words in named if not is_there(words[0], next((one for one in words[1:] if one.islower()), ""))
    ] == []


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda one: one.name)
def test_the_reference_names_each_word_as_the_usage_does(leaf: Leaf) -> None:
    page = PAGE.read_text("utf-8").replace("\\|", "|").replace("...", "…")
    told = re.findall(rf"^\| `{leaf.name} ([A-Z[][^`]*)`", page, re.MULTILINE)
    pieces = leaf.command.collect_usage_pieces(click.Context(leaf.command))[1:]
    listed = any(isinstance(param.type, click.Choice) for param in leaf.command.params)
    assert not told or listed or set(told) == {" ".join(pieces).replace("...", "…")}


OTHERWISE: Final = {"conformance": "every check creates its own merchant", "probe": "not needed with --key"}
"""What the help says of commands that look for a key nowhere else: a merchant of their own, the option `--secret`."""


@pytest.mark.parametrize("leaf", [one for one in LEAVES if one.has("--key")], ids=lambda one: one.name)
def test_a_commands_help_says_where_its_key_comes_from(leaf: Leaf) -> None:
    told = " ".join(leaf.command.get_help(click.Context(leaf.command)).split()).replace(
        ".payment- sandbox", ".payment-sandbox"
    )
    assert OTHERWISE.get(leaf.name, "PAYMENT_SANDBOX_API_KEY, then .payment-sandbox.toml") in told


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("run `payment-sandbox snapshot listen`", False),
        ("run `payment-sandbox snapshot save`", True),
        ("payment-sandbox serve --port 1", True),
        ("python -m mock_server nonsense", False),
    ],
)
def test_the_test_sees_what_is_not_there(text: str, there: bool) -> None:
    assert [is_there(*found) for found in commands(text)] == [there]
