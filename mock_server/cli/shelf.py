"""Scenario files as the commands read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mock_server.cli.output import USAGE, stop
from mock_server.scenario.bundled import SUFFIXES
from mock_server.scenario.extending import followed
from mock_server.scenario.library import Library
from mock_server.scenario.loading import Loaded, load_bytes
from mock_server.scenario.mistakes import Mistake, ScenarioErrors
from mock_server.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a look at files: how many there were, what is wrong, and what is surely not meant."""

    count: int
    mistakes: tuple[Mistake, ...]
    warnings: tuple[Mistake, ...]


def library_of(directory: str | None) -> Library:
    """Return the scenarios of a directory and the shipped ones; a broken file ends the command with code 2."""
    try:
        return Library(Path(directory) if directory else None)
    except ScenarioErrors as broken:
        stop(USAGE, str(broken).splitlines())


def checked(paths: Sequence[str]) -> Checked:
    """Read files and directories, and everything that they extend."""
    mistakes: list[Mistake] = []
    warnings: list[Mistake] = []
    count = 0
    for path in map(Path, paths):
        try:
            loaded = _directory(path) if path.is_dir() else [_file(path)]
        except ScenarioErrors as broken:
            mistakes += broken.mistakes
            continue
        count += len(loaded)
        warnings += [warning for one in loaded for warning in one.warnings]
    return Checked(count, tuple(mistakes), tuple(warnings))


def _directory(path: Path) -> list[Loaded]:
    library = Library(path)
    own = [entry for entry in library.entries() if entry.origin == "directory"]
    found = [Loaded(one) for entry in own if (one := library.find(entry.name))]
    return [*found[:-1], Loaded(found[-1].scenario, library.warnings)] if found else []


def _file(path: Path) -> Loaded:
    loaded = _read(path)
    find = beside(loaded.scenario)
    followed(loaded.scenario, find, Library().names())
    return loaded


def _read(path: Path) -> Loaded:
    """Return what a file says. Raises ScenarioErrors, also for one that cannot be read."""
    try:
        return load_bytes(path.read_bytes(), str(path))
    except OSError as error:
        raise ScenarioErrors([Mistake(str(path), 0, 0, f"cannot be read: {error.strerror}")]) from None


def load_files(paths: Sequence[str]) -> dict[str, Scenario]:
    """Return the scenarios of files by name. Raises ScenarioErrors with the mistakes of all of them."""
    found: dict[str, Scenario] = {}
    mistakes: list[Mistake] = []
    for path in map(Path, paths):
        try:
            scenario = _file(path).scenario
        except ScenarioErrors as broken:
            mistakes += broken.mistakes
            continue
        if scenario.name in found:
            mistakes.append(
                Mistake(str(path), 1, 1, f"the name {scenario.name} is taken by {found[scenario.name].file}")
            )
        found[scenario.name] = scenario
    if mistakes:
        raise ScenarioErrors(mistakes)
    return found


def beside(scenario: Scenario) -> Callable[[str], Scenario | None]:
    """Return how a scenario finds others: files of that name in its own directory, else the shipped ones."""
    directory, shipped = Path(scenario.file).parent, Library()

    def find(name: str) -> Scenario | None:
        for suffix in SUFFIXES:
            path = directory / f"{name}{suffix}"
            if path.is_file():
                return _read(path).scenario
        return shipped.raw(name)

    return find
