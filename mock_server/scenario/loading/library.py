"""The scenarios of a server: a directory's files, inline ones, and the shipped ones, in this order.

`refresh` reads the directory again, and all changes take effect in one step. A file that became invalid keeps its last
valid version and is reported as stale. The shipped files are beside the package in the repository, inside it in the
wheel.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field, structs

import mock_server
from mock_server.scenario.loading.saving import digest_of
from mock_server.scenario.loading.sources import files_in
from mock_server.scenario.model.mistakes import Mistake, ScenarioErrors
from mock_server.scenario.schema.long_work import long_work
from mock_server.settings.load import MOST_BYTES, read_file

if TYPE_CHECKING:
    from mock_server.scenario.loading.load import LoadedScenario
    from mock_server.scenario.model.scenario import Scenario

INLINE_FILE: Final = "PAYMENT_SANDBOX_SCENARIOS_INLINE"


@cache
def bundled_directory() -> Path | None:
    """The directory of the shipped files; None in an installation without them."""
    package = Path(mock_server.__file__).parent
    places = (package / "_scenarios", package.parent / "scenarios")
    return next((directory for directory in places if directory.is_dir()), None)


def bundled_files() -> dict[str, Path]:
    """The shipped files by name, none of them read."""
    directory = bundled_directory()
    return {} if directory is None else {path.stem: path for path in files_in(directory)}


MISTAKES: Final = {
    "broken": "has mistakes, so its previous version stays in use",
    "unusable": "has mistakes, and is not there until they are corrected",
    "alone": "does not fit the other files, so it goes on without what it extends, or is not used beside its namesake",
}
"""What is wrong with a file that changed, or with one beside others that did."""


class Change(Struct, frozen=True):
    """What a refresh did with one file: `added`, `changed`, `removed`, or found, in the words of `MISTAKES`."""

    what: str
    name: str
    file: str
    mistakes: tuple[Mistake, ...] = ()

    @property
    def problem(self) -> str | None:
        """What is wrong, if it is no plain change."""
        return MISTAKES.get(self.what)


class LibraryEntry(Struct, frozen=True):
    """One scenario of a list: its origin (`directory`, `inline`, `bundled`; `workspace` has no file), whether stale."""

    name: str
    file: str | None
    origin: str
    stale: bool = False


class _File(Struct, frozen=True):
    """A file as it was last seen, with its last valid version, if it had one."""

    path: Path
    seen: tuple[int, int, int]
    digest: str
    loaded: LoadedScenario | None
    revision: int = 0
    mistakes: tuple[Mistake, ...] = ()


class _Shelf(Struct, frozen=True):
    """The result of reading the directory once; a refresh replaces it as a whole."""

    files: dict[Path, _File] = field(default_factory=dict)
    by_name: dict[str, Scenario] = field(default_factory=dict)
    between: tuple[Mistake, ...] = ()
    followed: dict[str, Scenario] = field(default_factory=dict)

    def valid(self) -> list[tuple[_File, LoadedScenario]]:
        """The files with a valid version, in order."""
        return [(file, file.loaded) for file in self.files.values() if file.loaded is not None]


class Library:
    """Scenarios by name. Everything but `refresh` can be called from any thread."""

    def __init__(
        self, directory: Path | None = None, inline: str | None = None, *, bundled: bool = True, strict: bool = True
    ) -> None:
        """Reads the directory and the inline text. Raises ScenarioErrors with all mistakes, if it is `strict`."""
        self._directory = directory
        self._bundled = bundled_files() if bundled else {}
        mistakes: list[Mistake] = []
        self._inline = _read_inline(inline, mistakes) if inline else {}
        self._shelf = _Shelf()
        if directory is not None and not directory.is_dir():
            mistakes.append(Mistake(str(directory), 0, 0, "is not a directory of scenarios"))
        self.refresh()
        mistakes += self.stale
        if mistakes and strict:
            raise ScenarioErrors(mistakes)

    def find(self, name: str) -> Scenario | None:
        """The scenario of a name, with everything it extends."""
        shelf = self._shelf
        found = shelf.followed.get(name)
        if found is None:
            raw = self.raw(name, shelf)
            if raw is None:
                return None
            found = shelf.followed[name] = self._follow(raw, shelf, [])
        return found

    def raw(self, name: str, shelf: _Shelf | None = None) -> Scenario | None:
        """The scenario as it was written, of what was read last or just now."""
        found = (shelf or self._shelf).by_name.get(name) or self._inline.get(name)
        path = self._bundled.get(name)
        if found is not None or path is None:
            return found
        from mock_server.scenario.loading.load import load_bytes

        return load_bytes(path.read_bytes(), f"{path.parent.name.lstrip('_')}/{path.name}").scenario

    def names(self, shelf: _Shelf | None = None) -> tuple[str, ...]:
        """Every name, in order, of what was read last or just now."""
        return tuple(sorted({*(shelf or self._shelf).by_name, *self._inline, *self._bundled}))

    def entries(self) -> tuple[LibraryEntry, ...]:
        """Every scenario, in order of names, without reading the shipped ones."""
        shipped = {name: LibraryEntry(name, path.name, "bundled") for name, path in self._bundled.items()}
        inline = {name: LibraryEntry(name, found.file, "inline") for name, found in self._inline.items()}
        unfit = {mistake.file for mistake in self._shelf.between}
        files = {
            name: LibraryEntry(name, str(file.path), "directory", bool(file.mistakes) or str(file.path) in unfit)
            for file, loaded in reversed(self._shelf.valid())
            for name in [loaded.scenario.name]
        }
        known = {**shipped, **inline, **files}
        return tuple(known[name] for name in sorted(known))

    @property
    def stale(self) -> tuple[Mistake, ...]:
        """Why files of the directory are not used as they are now."""
        shelf = self._shelf
        return (*(mistake for file in shelf.files.values() for mistake in file.mistakes), *shelf.between)

    @property
    def own(self) -> list[LoadedScenario]:
        """The valid scenarios of the directory's files, in order of their names, without namesakes."""
        used = [one for _, one in self._shelf.valid() if self._shelf.by_name[one.scenario.name] is one.scenario]
        return sorted(used, key=lambda one: one.scenario.name)

    def refresh(self) -> list[Change]:
        """Reads the directory again; all changes take effect in one step."""
        before, shelf = self._shelf, _Shelf()
        changes: list[Change] = []
        is_there = self._directory is not None and self._directory.is_dir()
        for path in files_in(self._directory) if self._directory is not None and is_there else ():
            shelf.files[path], change = _look(before.files.get(path), path)
            changes += [] if change is None else [change]
        gone = [(file, loaded) for file, loaded in before.valid() if file.path not in shelf.files]
        changes += [Change("removed", loaded.scenario.name, str(file.path)) for file, loaded in gone]
        mistakes: list[Mistake] = []
        owners: dict[str, Path] = {}
        for file, loaded in shelf.valid():
            name = shelf.by_name.setdefault(loaded.scenario.name, loaded.scenario).name
            if (owner := owners.setdefault(name, file.path)) != file.path:
                mistakes.append(Mistake(str(file.path), 1, 1, f"the name {name} is already used by {owner}"))
        for scenario in (*shelf.by_name.values(), *self._inline.values()):
            self._follow(scenario, shelf, mistakes)
        fresh = [mistake for mistake in dict.fromkeys(mistakes) if mistake not in before.between]
        changes += [Change("alone", Path(mistake.file).stem, mistake.file, (mistake,)) for mistake in fresh]
        self._shelf = structs.replace(shelf, between=tuple(dict.fromkeys(mistakes)))
        return changes

    def _follow(self, raw: Scenario, shelf: _Shelf, mistakes: list[Mistake]) -> Scenario:
        if raw.extends is None:
            return raw
        from mock_server.scenario.loading.load import followed

        try:
            return followed(raw, lambda name: self.raw(name, shelf), self.names(shelf))
        except ScenarioErrors as wrong:  # a server that runs goes on with what the scenario itself says
            mistakes += wrong.mistakes
            return raw


def _look(known: _File | None, path: Path) -> tuple[_File, Change | None]:
    """One file as it is now, and what changed."""
    from mock_server.scenario.loading.load import load_bytes

    seen, digest = (0, 0, 0), ""  # as of what cannot be read, which is tried again each time
    valid, revision = (None, 0) if known is None else (known.loaded, known.revision)
    try:
        stat = path.stat()
        present = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size)
        if known is not None and known.seen == present:
            return known, None
        seen = present if stat.st_size > MOST_BYTES else seen  # too large until it changes
        raw = read_file(path)
        seen, digest = present, digest_of(raw)
        if known is not None and known.digest == digest:
            return structs.replace(known, seen=seen), None
        with long_work(len(raw)):
            loaded = load_bytes(raw, str(path))
    except OSError as wrong:
        mistakes: tuple[Mistake, ...] = (Mistake(str(path), 0, 0, f"cannot be read: {wrong.strerror}"),)
        if known is not None and known.mistakes == mistakes:
            return structs.replace(known, seen=seen), None
    except ScenarioErrors as wrong:
        mistakes = wrong.mistakes
    else:
        if valid is not None:  # counters are kept under the stamp, so those of the new version start at 0
            revision += 1
            scenario = structs.replace(loaded.scenario, stamp=f"{loaded.scenario.stamp}.{revision}", index={})
            loaded = structs.replace(loaded, scenario=scenario)
        change = Change("added" if valid is None else "changed", loaded.scenario.name, str(path))
        return _File(path, seen, digest, loaded, revision), change
    what, name = ("unusable", path.stem) if valid is None else ("broken", valid.scenario.name)
    return _File(path, seen, digest, valid, revision, mistakes), Change(what, name, str(path), mistakes)


def _read_inline(text: str, mistakes: list[Mistake]) -> dict[str, Scenario]:
    """The scenarios of a text, separated by `---`; places count from the beginning of the whole text."""
    from mock_server.scenario.loading.load import load_text

    parts, lines = list[str](), list[str]()
    for at, line in enumerate([*text.splitlines(keepends=True), "---"]):
        if line.rstrip() == "---":
            parts.append("".join(lines))
            lines = ["\n"] * (at + 1)
        else:
            lines.append(line)
    found: dict[str, Scenario] = {}
    for number, part in enumerate((part for part in parts if part.strip()), start=1):
        try:
            scenario = load_text(part, INLINE_FILE, name=f"inline{number}" if number > 1 else "inline").scenario
        except ScenarioErrors as wrong:
            mistakes += wrong.mistakes
            continue
        if scenario.name in found:
            mistakes.append(Mistake(INLINE_FILE, 1, 1, f"the name {scenario.name} is used twice"))
        found[scenario.name] = scenario
    return found
