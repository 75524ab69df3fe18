"""Reads scenario files for the commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from mock_server.cli.output import USAGE, stop
from mock_server.scenario.loading.library import Library, bundled_files
from mock_server.scenario.loading.load import LoadedScenario, followed, load_bytes
from mock_server.scenario.loading.sources import SUFFIXES
from mock_server.scenario.model.mistakes import Mistake, ScenarioErrors, nearest
from mock_server.scenario.model.scenario import Scenario
from mock_server.settings.load import MOST_BYTES, read_file

NAME: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
"""A word that is a scenario's name, unless a file has this name."""


def library_of(directory: str | None) -> Library:
    """Return the scenarios of a directory and the shipped ones; a broken file ends the command with code 2."""
    try:
        return Library(Path(directory) if directory else None)
    except ScenarioErrors as broken:
        stop(USAGE, str(broken).splitlines())


def meant(words: Sequence[str], directory: str | None = None) -> list[str]:
    """Return the files for words that are paths or scenarios' names; any other word ends the command with code 2."""
    library: Library | None = None
    found = []
    for word in words:
        if Path(word).exists() or not NAME.fullmatch(word):
            found.append(word)
            continue
        library, shipped = library or library_of(directory), bundled_files()
        known = {one.name: one for one in library.entries()}
        files = {name: str(one.file if one.origin == "directory" else shipped[name]) for name, one in known.items()}
        if word not in files:
            stop(USAGE, [f"{word} is neither a scenario nor a file{nearest(word, files)}"])
        found.append(files[word])
    return found


def read_all(paths: Iterable[str]) -> tuple[list[LoadedScenario], list[Mistake]]:
    """Read files and directories, and everything that they extend; return the valid scenarios, and every mistake."""
    loaded: list[LoadedScenario] = []
    mistakes: list[Mistake] = []
    for path in map(Path, paths):
        try:
            if path.is_dir():
                library = Library(path, strict=False)
                mistakes += library.stale
                loaded += library.own
            else:
                loaded.append(_read(path))
                followed(loaded[-1].scenario, beside(loaded[-1].scenario), Library().names())
        except ScenarioErrors as broken:
            mistakes += broken.mistakes
    return loaded, mistakes


def _read(path: Path) -> LoadedScenario:
    """Return the scenario of a file. Raises ScenarioErrors, also for one that cannot be read."""
    try:
        return load_bytes(read_file(path), str(path))
    except OSError as error:
        raise ScenarioErrors([Mistake(str(path), 0, 0, f"cannot be read: {error.strerror}")]) from None


def load_files(paths: Sequence[str]) -> dict[str, Scenario]:
    """Return the scenarios of files by name. Raises ScenarioErrors with all mistakes."""
    by_name: dict[str, Scenario] = {}
    loaded, mistakes = read_all(paths)
    for scenario in (entry.scenario for entry in loaded):
        if scenario.name in by_name:
            said = f"the name {scenario.name} is already used by {by_name[scenario.name].file}"
            mistakes.append(Mistake(scenario.file, 1, 1, said))
        by_name[scenario.name] = scenario
    if mistakes:
        raise ScenarioErrors(mistakes)
    return by_name


def contents(path: str | Path, most: int = MOST_BYTES) -> str:
    """Return the text of a file; one that cannot be read ends the command with code 2."""
    try:
        return read_file(path, most).decode()
    except (OSError, UnicodeError) as error:
        stop(USAGE, [f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"])


def beside(scenario: Scenario) -> Callable[[str], Scenario | None]:
    """Return a function that finds what a scenario extends: a file in its own directory, else a shipped one."""
    directory, shipped = Path(scenario.file).parent, Library()

    def find(name: str) -> Scenario | None:
        for path in sorted(directory.glob(f"{name}.*")):
            if path.name.removeprefix(name).lower() in SUFFIXES and path.is_file():
                return _read(path).scenario
        return shipped.raw(name)

    return find
