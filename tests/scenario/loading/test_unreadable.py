"""A file or folder of scenarios that cannot be read is said, by everything that reads a directory of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import pytest

from mock_server.cli.shelf import read_all
from mock_server.scenario.loading import library as library_module
from mock_server.scenario.loading.library import Library
from mock_server.scenario.loading.sources import files_in
from mock_server.scenario.model.mistakes import Mistake, ScenarioErrors
from mock_server.settings.load import read_file
from mock_server.testing.scenarios import collected

GOOD: Final = "rules: [{on: charge, then: {decline: lost_card}}]"
LONG: Final = "x" * 250
"""Folders of such names within each other soon have a path that no system accepts, whoever asks (root reads all)."""


def too_deep(at: Path) -> None:
    at.mkdir()
    with chdir(at):
        for _ in range(17):
            Path(LONG).mkdir()
            os.chdir(LONG)
        Path("deep.yaml").write_text(GOOD)


def sparse(at: Path) -> None:
    """A file that is larger than any scenario, and takes no place on the disk."""
    with at.open("wb") as file:
        file.truncate(1 << 30)


Spoil = Callable[[Path], object]
UNREADABLE: Final[dict[str, Spoil]] = {
    "link to nothing": lambda at: (at / "gone.yaml").symlink_to(at / "nothing"),
    "link to itself": lambda at: (at / "loop.yml").symlink_to(at / "loop.yml"),
    "link to nothing, below": lambda at: Path(mkdtemp(dir=at), "gone.json").symlink_to("/nothing"),
    "folder": lambda at: too_deep(at / "sub"),
    "large": lambda at: sparse(at / "dump.json"),
}
PASSED_OVER: Final[dict[str, Spoil]] = {
    "hidden link": lambda at: (at / ".#good.yaml").symlink_to("somebody@host.1"),  # Emacs marks what it has open
    "hidden folder": lambda at: too_deep(at / ".git"),
    "draft": lambda at: (at / "_draft.yaml").symlink_to("/nothing"),
    "text": lambda at: (at / "notes.txt").symlink_to("/nothing"),
    "pipe": lambda at: os.mkfifo(at / "pipe.yaml"),
    "device": lambda at: (at / "endless.yaml").symlink_to("/dev/zero"),
    "folder with such a name": lambda at: (at / "folder.yaml").mkdir(),
}


def by_start(at: Path, spoil: Spoil) -> list[Mistake]:
    spoil(at)
    with pytest.raises(ScenarioErrors) as wrong:
        Library(at)
    return list(wrong.value.mistakes)


def by_change(at: Path, spoil: Spoil) -> list[Mistake]:
    """What a server that runs says."""
    library = Library(at)
    spoil(at)
    return [mistake for change in library.refresh() for mistake in change.mistakes]


def by_check(at: Path, spoil: Spoil) -> list[Mistake]:
    spoil(at)
    return read_all([str(at)])[1]


def by_fixture(at: Path, spoil: Spoil) -> list[Mistake]:
    spoil(at)
    with pytest.raises(OSError) as wrong:
        collected(at)
    return [Mistake(str(wrong.value.filename), 0, 0, f"cannot be read: {wrong.value.strerror}")]


READERS: Final = {"start": by_start, "change": by_change, "check": by_check, "fixture": by_fixture}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("way", UNREADABLE)
def test_what_cannot_be_read_is_said(tmp_path: Path, way: str, reader: str) -> None:
    at = tmp_path / "scenarios"
    at.mkdir()
    (at / "good.yaml").write_text(GOOD)
    (mistake,) = READERS[reader](at, UNREADABLE[way])
    assert mistake.message.startswith("cannot be read: ")
    assert mistake.file.startswith(str(at))


@pytest.mark.parametrize("way", PASSED_OVER)
def test_what_is_no_scenario_is_passed_over(tmp_path: Path, way: str) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    PASSED_OVER[way](tmp_path)
    assert files_in(tmp_path) == [tmp_path / "good.yaml"]


@pytest.mark.parametrize("way", UNREADABLE)
def test_a_server_says_it_once_and_goes_on_when_it_can_be_read(tmp_path: Path, way: str) -> None:
    library = Library(tmp_path)
    UNREADABLE[way](tmp_path)
    assert [change.what for change in library.refresh()] == ["unusable"]
    assert library.refresh() == []
    assert library.stale, "it is still so"
    for found in files_in(tmp_path) if way != "folder" else ():
        found.unlink()
        found.write_text('{"rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}')
        assert [change.what for change in library.refresh()] == ["added"]
        assert not library.stale


def test_a_large_file_is_read_once_for_each_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def counted(path: Path) -> bytes:
        read.append(path)
        return read_file(path)

    monkeypatch.setattr(library_module, "read_file", counted)
    library = Library(tmp_path)
    for number in (1, 2):
        sparse(tmp_path / "dump.json")
        os.utime(tmp_path / "dump.json", ns=(number, number))
        for _ in range(3):
            library.refresh()
        assert len(read) == number


def test_an_edit_that_leaves_size_and_time_as_they_were_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(GOOD)
    before, library = path.stat(), Library(tmp_path)
    path.write_text(GOOD.replace("lost_card", "lost-card"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as an archive or rsync sets it
    assert [change.what for change in library.refresh()] == ["broken"]
