"""A scenario that is saved to its file: what is written, and everything that stops it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from mock_server.scenario.loading import saving
from mock_server.scenario.loading.saving import BLOCK, NEW, NotSaved, digest_of, save
from tests.counts import times
from tests.modules import module_of

MOST = 100_000
TEXT = "summary: café\n"


def refused(folder: Path, name: str = "mine", text: str = TEXT, seen: str = NEW, most: int = MOST) -> NotSaved:
    before = {one.name: one.lstat() for one in folder.iterdir()} if folder.is_dir() else {}
    with pytest.raises(NotSaved) as found:
        save(folder, name, text, seen, most)
    after = {one.name: one.lstat() for one in folder.iterdir()} if folder.is_dir() else {}
    assert {name: one.st_mtime_ns for name, one in after.items()} == {
        name: one.st_mtime_ns for name, one in before.items()
    }
    return found.value


@pytest.fixture(params=["by descriptor", "by path"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "by path":
        monkeypatch.setattr(os, "supports_dir_fd", set())
    return tmp_path


def test_a_text_is_written_and_changed(folder: Path) -> None:
    assert save(folder, "mine", TEXT, NEW, MOST) == "mine.yaml"
    assert (folder / "mine.yaml").read_bytes() == TEXT.encode()
    assert save(folder, "mine", "", digest_of(TEXT.encode()), MOST) == "mine.yaml"
    assert [one.name for one in folder.iterdir()] == ["mine.yaml"]
    assert (folder / "mine.yaml").read_bytes() == b""
    assert (folder / "mine.yaml").stat().st_mode & 0o111 == 0


@pytest.mark.parametrize("name", ["a", "A-b_9", "0" * 64, "console", "com", "lpt12", "nul0"])
def test_a_name_of_letters_and_digits_is_a_file(folder: Path, name: str) -> None:
    assert save(folder, name, TEXT, NEW, MOST) == f"{name}.yaml"


@pytest.mark.parametrize("name", ["", "0" * 65, ".a", "-a", "_a", "a.b", "a/b", "é", "a b", "a\n"])
def test_any_other_name_is_refused(folder: Path, name: str) -> None:
    said = "a file name must have 1 to 64 letters, digits, _ or -, and start with a letter or digit"
    assert str(refused(folder, name)) == said


@pytest.mark.parametrize("name", ["con", "PRN", "aux", "Nul", "com1", "lpt9"])
def test_a_device_is_no_file(folder: Path, name: str) -> None:
    assert str(refused(folder, name)) == f"{name} is a device name on some systems: choose another"


def test_what_someone_else_changed_stays(folder: Path) -> None:
    (folder / "mine.yaml").write_text("theirs")
    first, later = refused(folder), refused(folder, seen=digest_of(b"mine"))
    assert str(first) == "mine.yaml exists already"
    assert str(later) == "mine.yaml was changed by someone else in the meantime. Nothing was changed."
    for found in (first, later):
        assert (found.now, found.digest) == ("theirs", digest_of(b"theirs"))
    save(folder, "mine", TEXT, later.digest, MOST)
    assert (folder / "mine.yaml").read_text("utf-8") == TEXT


def test_a_mark_at_the_beginning_is_no_change(folder: Path) -> None:
    (folder / "mine.yaml").write_bytes(b"\xef\xbb\xbftheirs")
    assert save(folder, "mine", TEXT, digest_of(b"theirs"), MOST)


def test_a_file_that_was_removed_is_written_anew(folder: Path) -> None:
    assert save(folder, "mine", TEXT, digest_of(b"removed"), MOST) == "mine.yaml"


def test_names_that_differ_only_in_case_are_one_file(folder: Path) -> None:
    (folder / "Mine.yaml").write_text("theirs")
    said = "Mine.yaml exists already, which is the same file on some systems: choose another name"
    assert str(refused(folder)) == said


def test_all_files_together_have_a_size(folder: Path) -> None:
    """Each counts as a block at least; one that is replaced counts once."""
    (folder / "small.yaml").write_text("x")
    (folder / "large.yaml").write_bytes(b"x" * (BLOCK + 1))
    whole = BLOCK + (BLOCK + 1) + BLOCK
    said = f"the directory is full: it can have {whole - 1} bytes (setting scenarios_bytes_total)"
    assert str(refused(folder, most=whole - 1)) == said
    assert save(folder, "mine", TEXT, NEW, whole)
    large = "y" * (BLOCK + 2)
    refused(folder, text=large, seen=digest_of(TEXT.encode()), most=whole + 1)
    assert save(folder, "mine", large, digest_of(TEXT.encode()), whole + 2)


@pytest.mark.parametrize("make", ["link", "directory", "pipe"])
def test_only_a_regular_file_is_written(folder: Path, make: str) -> None:
    place = folder / "mine.yaml"
    match make:
        case "link":
            place.symlink_to(folder.parent / "elsewhere")
        case "directory":
            place.mkdir()
        case _:
            os.mkfifo(place)
    assert str(refused(folder)) == "mine.yaml is a link or not a regular file, so it is not written"


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    gone, link = tmp_path / "gone", tmp_path / "link"
    link.symlink_to(tmp_path)
    for folder in (gone, link):
        assert str(refused(folder)) == f"the directory {folder} no longer exists or is now a link"


def test_what_the_system_refuses_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert str(refused(folder)) == "cannot write mine.yaml: No space left on device"
    assert list(folder.iterdir()) == []


def test_a_file_system_without_links(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: Any, **named: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", none)
    assert save(folder, "mine", TEXT, NEW, MOST) == "mine.yaml"
    assert [one.read_text("utf-8") for one in folder.iterdir()] == [TEXT]


@pytest.mark.parametrize("seen", [NEW, digest_of(b"before")], ids=["new", "changed"])
def test_who_writes_at_the_same_moment_keeps_the_file(folder: Path, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer comes after the first look, and, where there was no file, also after the second."""
    if seen:
        (folder / "mine.yaml").write_text("before")
    real, place = os.fsync, folder / "mine.yaml"

    def other(descriptor: int) -> None:
        real(descriptor)
        place.write_text("theirs")

    monkeypatch.setattr(os, "fsync", other)
    with pytest.raises(NotSaved) as found:
        save(folder, "mine", TEXT, seen, MOST)
    assert (found.value.now, place.read_text()) == ("theirs", "theirs")


def test_who_takes_the_name_last_keeps_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(*given: Any, **named: Any) -> None:
        (folder / "mine.yaml").write_text("theirs")
        raise FileExistsError

    monkeypatch.setattr(os, "link", taken)
    with pytest.raises(NotSaved) as found:
        save(folder, "mine", TEXT, NEW, MOST)
    assert str(found.value) == "mine.yaml exists already"
    assert [one.read_text() for one in folder.iterdir()] == ["theirs"]
    assert saving.NEW == ""


ELSEWHERE = module_of(Path(saving.__file__))
"""What another process has: the same code, with locks of its own."""


@pytest.mark.parametrize("servers", [(saving,), (saving, ELSEWHERE)], ids=["one server", "two servers"])
@pytest.mark.parametrize("old", ["", None], ids=["changed", "new"])
def test_of_many_who_save_at_once_one_does_and_all_others_are_told(
    folder: Path, old: str | None, servers: tuple[Any, ...]
) -> None:
    """Each began with the same text: a second one would replace the first one's without having seen it."""
    if len(servers) > 1 and os.open not in os.supports_dir_fd:
        return  # there, servers have no lock together
    seen = NEW if old is None else digest_of(old.encode())
    for turn in range(times(40, soak=2_000)):
        file, begins, saved = folder / f"at_{turn}.yaml", Barrier(6), list[int]()

        def go(one: int, turn: int = turn, begins: Barrier = begins, saved: list[int] = saved) -> None:
            begins.wait()
            module = servers[one % len(servers)]
            with suppress(module.NotSaved):
                module.save(folder, f"at_{turn}", f"summary: {one}\n", seen, 10**9)
                saved.append(one)

        if old is not None:
            file.write_text(old)
        threads = [Thread(target=go, args=(one,)) for one in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [f"summary: {one}\n" for one in saved] == [file.read_text()]
        file.unlink()


def test_a_directory_that_another_program_has_locked_is_no_endless_wait(tmp_path: Path) -> None:
    if os.open not in os.supports_dir_fd:
        return
    import fcntl

    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert "another server" in str(refused(tmp_path))
    os.close(descriptor)
    save(tmp_path, "mine", TEXT, NEW, MOST)
