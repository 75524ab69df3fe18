"""`payment-sandbox scenarios`: list, check, play, schema, new; what acts on a running sandbox is in `acting.py`."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Final

import click
from msgspec import structs

from mock_server.cli import output
from mock_server.cli.acting import commands_of
from mock_server.cli.asking import timeout_option
from mock_server.cli.completion import scenarios_and_files
from mock_server.cli.har import from_har
from mock_server.cli.shelf import beside, library_of, load_files, meant, read_all
from mock_server.domain.nouns import noun
from mock_server.scenario.expectations import ExpectationResult
from mock_server.scenario.loading.load import load_text
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.model.scenario import Scenario
from mock_server.scenario.schema.top import json_schema
from mock_server.scenario.story.player import LineBroken, extended

SCHEMA_FILE: Final = ".payment-sandbox.schema.json"
"""The schema for editors; its name begins with a dot, so it is not read as a scenario."""
TEMPLATE: Final = Path(__file__).with_name("new_scenario.yaml")


@click.group("scenarios", cls=output.Guessing)
def scenarios() -> None:
    """List, check, run, create and turn on scenarios."""


DIRECTORY: Final = click.option(
    "--scenarios", "directory", metavar="DIR", help="Your own scenarios, which take precedence over the shipped ones."
)


@scenarios.command("list")
@DIRECTORY
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(directory: str | None, as_json: bool) -> None:
    """List the shipped scenarios, and your own from a directory."""
    library = library_of(directory)
    entries = ((entry, library.raw(entry.name)) for entry in library.entries())
    rows = tuple((entry.name, entry.origin, scenario.summary if scenario else "") for entry, scenario in entries)
    output.print_table(output.TextTable(("name", "origin", "summary"), rows), as_json=as_json)


@scenarios.command("check")
@click.argument("words", nargs=-1, required=True, metavar="DIR|FILE|NAME...", shell_complete=scenarios_and_files)
@DIRECTORY
def check(words: tuple[str, ...], directory: str | None) -> None:
    """Check scenario files; exit with 2 if one has a mistake, with 3 if there is nothing to check.

    Each mistake is one line: file:line:column: message.
    """
    loaded, mistakes = read_all(meant(words, directory))
    for warning in (warning for one in loaded for warning in one.warnings):
        output.show(f"{warning.file}:{warning.place}warning: {warning.message}")
    for mistake in mistakes:
        output.show(str(mistake))
    if mistakes:
        raise SystemExit(output.USAGE)
    if not loaded:
        output.stop(output.NOTHING_TO_DO, ["there is no scenario to check"])
    click.echo(f"{len(loaded)} {noun(len(loaded), 'scenario is', 'scenarios are')} valid")


@scenarios.command("play")
@click.argument("words", nargs=-1, required=True, metavar="DIR|FILE|NAME...", shell_complete=scenarios_and_files)
@DIRECTORY
@timeout_option("Time after which a call counts as timed out.", "5s")
@click.option("--strict", is_flag=True, help="Fail on assertions that had nothing to compare, too.")
@output.colour_option
def play(words: tuple[str, ...], directory: str | None, timeout_s: float, strict: bool, colour: str) -> None:
    """Run the stories of scenarios against a fresh sandbox; exit with 1 if a step or an assertion fails.

    Every step is a real call over a real connection. It is printed with the reason for its outcome.
    The files are checked first: exit code 2 means a mistake in a file, 3 that no scenario has a story.
    """
    try:
        loaded = load_files(meant(words, directory))
    except ScenarioErrors as broken:
        output.stop(output.USAGE, str(broken).splitlines())
    with_story = [one for one in loaded.values() if one.story]
    if silent := [one.name for one in loaded.values() if not one.story]:
        output.show(f"skipped, because they have no story: {', '.join(silent)}")
    if not with_story:
        output.stop(output.NOTHING_TO_DO, ["there is no story to run"])
    failed = [one.name for one in with_story if not _play(one, loaded, timeout_s, strict, output.has_colours(colour))]
    click.echo(f"{len(with_story) - len(failed)} of {len(with_story)} passed")
    if failed:
        output.stop(output.FAILED, [f"failed: {', '.join(failed)}"])


def _play(scenario: Scenario, loaded: dict[str, Scenario], timeout_s: float, strict: bool, colours: bool) -> bool:
    """Play one scenario and print every step; return whether everything was as expected."""
    from mock_server.cli.playing import CannotPlay, perform, stage

    output.show(f"{scenario.file}: {scenario.summary or scenario.name}")
    find, holds = beside(scenario), True
    needed = extended(scenario, lambda name: loaded.get(name) or find(name))
    try:
        with stage(timeout_s) as client:
            for result in perform(scenario, needed, client):
                if strict and isinstance(result, ExpectationResult) and result.is_empty:
                    result = structs.replace(result, holds=False)
                head, *below = str(result).split("\n")
                mark = click.style(head[:4], fg="green" if result.holds else "red", bold=True)
                text = "\n".join([mark + head[4:], *(click.style(one, dim=result.holds) for one in below)])
                output.show(text, colours=colours, wraps=True)
                holds = holds and result.holds
        return holds
    except (CannotPlay, LineBroken) as wrong:  # of what looks: a step's broken connection is a result
        output.show(f"FAIL {wrong}")
        return False
    finally:
        click.echo()


@scenarios.command("schema")
def schema() -> None:
    """Print the JSON Schema of the scenario language, for editors."""
    click.echo(output.json_text(json_schema()))


@scenarios.command("new")
@click.argument("name")
@click.option("--dir", "directory", default=".", show_default=True, help="Directory for the file, created if missing.")
def new(name: str, directory: str) -> None:
    """Create a scenario NAME.yaml to start from. An existing file is not replaced.

    The JSON Schema of the scenario language is written next to it, so that editors can complete and explain keys.
    """
    path = Path(directory) / f"{name}.yaml"
    text = TEMPLATE.read_text("utf-8").replace("name: new\n", f"name: {name}\n")
    try:
        load_text(text, str(path))
    except ScenarioErrors:
        output.stop(output.USAGE, [f"{name[:64]!r} is no name: at most 64 letters, digits, _ . and -, and no number"])
    output.write(path, text, new=True, folders=True)
    output.write(path.with_name(SCHEMA_FILE), output.json_text(json_schema()) + "\n")
    output.show(f"{path}\n\nRun it:  payment-sandbox scenarios play {quote(str(path))}")


for command in (*commands_of("scenarios"), from_har):
    scenarios.add_command(command)
