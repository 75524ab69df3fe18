"""A file that is no good, given to whatever reads one: the command says which file and why, and ends."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.settings.load import read_file
from mock_server.verdict.outcomes import out_of_scope
from tests.cli.leaves import LEAVES
from tests.running import COMMAND

DEEP: Final = 100_000
"""Levels, more than any parser can go down."""


def holding(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(4 << 30)  # without a byte on the disk


FILES: Final[dict[str, Callable[[Path], object]]] = {
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "large": large,
    "deep list": holding(b"seed = " + b"[" * DEEP),
    "deep table": holding(b"seed = " + b"{a = " * DEEP),
    "deep flow": holding(b"[" * DEEP),
    "deep object": holding(b'{"a":' * DEEP),
    "UTF-16": holding("seed: a\n".encode("utf-16")),
    "NUL": holding(b"seed: a\0\n"),
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "not a table": holding(b"[tool]\npayment-sandbox = 1\n"),
}
READERS: Final[dict[str, tuple[str, ...]]] = {
    "config.yaml": ("serve", "--port", "0", "--config", "config.yaml"),
    "config.toml": ("serve", "--port", "0", "--config", "config.toml"),
    "keys": ("serve", "--port", "0", "--keys", "keys"),
    "check.yaml": ("scenarios", "check", "check.yaml"),
    "check.json": ("scenarios", "check", "check.json"),
    "play.yaml": ("scenarios", "play", "play.yaml"),
    "put.yaml": ("scenarios", "put", "put.yaml", "--key", "snd_test_0123456789", "--url", "http://127.0.0.1:1"),
    "calls.har": ("scenarios", "from-har", "calls.har"),
    ".payment-sandbox.toml": ("payments",),
}
NAMED: Final[dict[str, tuple[str, ...]]] = {
    **{name: line for name, line in READERS.items() if name in line and name != "keys"},
    "body.json": ("sign", "--secret", "s", "body.json"),
    "event.json": ("probe", "http://127.0.0.1:1", "--secret", "s", "--event", "event.json"),
    "journal.json": ("verdict", "--journal", "journal.json"),
    "accepted.toml": ("verdict", "--journal", "/dev/null", "--baseline", "accepted.toml"),
    "outcomes.json": ("coverage", "combine", "outcomes.json"),
    "data.sqlite": ("data", "check", "data.sqlite"),
}
"""All that a user names a file for."""
READ: Final = frozenset({"config", "file", "files", "words", "journal", "baseline"})
"""What commands call the files that they read."""
"""Commands, by the name under which each finds its file."""
NO_FILE: Final = frozenset({"folder", "link to itself", "link to nothing"})
"""For who looks around for a file there is none, and a folder has no scenarios."""
BY_FLAG: Final = {"keys": "--keys"}
"""What a message says instead of the file's name, which could be a key."""


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", FILES)
def test_a_command_says_which_file_is_wrong(name: str, kind: str, tmp_path: Path) -> None:
    FILES[kind](tmp_path / name)
    with chdir(tmp_path):
        done = CliRunner().invoke(main, READERS[name])
    assert isinstance(done.exception, SystemExit), repr(done.exception)
    assert done.exit_code in (1, 2, 3)
    is_sent = name == "put.yaml" and kind not in (
        "endless",
        "large",
        "UTF-16",
        *NO_FILE,
    )  # the server says what is wrong
    if not is_sent and not (kind in NO_FILE and (name[0] == "." or kind == "folder")):
        assert BY_FLAG.get(name, name) in done.output
        assert "Node" not in done.output, "a name of Python's"


def test_every_command_that_reads_a_file_is_tried() -> None:
    readers = {leaf.name for leaf in LEAVES if any(one.name in READ for one in leaf.command.params)}
    lines = [" ".join(line) for line in NAMED.values()]
    assert [name for name in readers - {"scenarios next"} if not any(line.startswith(name) for line in lines)] == []
    assert len(readers) > len(READ)


FOLDERS: Final = frozenset({"check.yaml", "check.json", "play.yaml", "put.yaml"})
"""Commands that take a folder too, in which there is nothing to do."""


@pytest.mark.parametrize("kind", sorted(NO_FILE))
@pytest.mark.parametrize("name", NAMED)
def test_a_file_that_cannot_be_read_is_a_usage_error(name: str, kind: str, tmp_path: Path) -> None:
    """As the table of exit codes says."""
    FILES[kind](tmp_path / name)
    with chdir(tmp_path):
        done = CliRunner().invoke(main, NAMED[name])
    is_empty = kind == "folder" and name in FOLDERS
    assert (done.exit_code, is_empty or name in done.output) == (3 if is_empty else 2, True), done.output


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind not in ("endless", *NO_FILE)])
def test_a_project_file_that_is_wrong_is_named(kind: str, tmp_path: Path) -> None:
    FILES[kind](tmp_path / "pyproject.toml")
    with pytest.raises(ValueError, match=r"pyproject\.toml"):
        out_of_scope(tmp_path)


def test_an_endless_project_file_is_none(tmp_path: Path) -> None:
    FILES["endless"](tmp_path / "pyproject.toml")
    assert out_of_scope(tmp_path) == []


def test_a_small_file_takes_little_memory_whatever_it_might_have(tmp_path: Path) -> None:
    (tmp_path / "journal.json").write_bytes(b"[1]")
    tracemalloc.start()
    try:
        assert read_file(tmp_path / "journal.json", 1 << 30) == b"[1]"
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("more", "is_read"), [(0, True), (1, False), (2 << 20, False)])
def test_a_file_is_read_up_to_its_bound(tmp_path: Path, more: int, is_read: bool) -> None:
    most = 3 << 20
    (tmp_path / "file").write_bytes(bytes(most + more))
    if is_read:
        assert len(read_file(tmp_path / "file", most)) == most
        return
    with pytest.raises(OSError, match="more than"):
        read_file(tmp_path / "file", most)


LIMITED: Final = (
    *(sys.executable, "-c"),
    "import os, resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n",
)
"""Before a command's line: it can write files of at most 100 bytes."""


def test_a_new_file_that_a_full_disk_cuts_is_none(tmp_path: Path) -> None:
    line = [*LIMITED, *COMMAND, "scenarios", "new", "one", "--dir", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, env={"PYTHONDONTWRITEBYTECODE": "1"}, check=False)
    assert (done.returncode, "cannot write" in done.stderr) == (2, True), done.stderr
    assert list(tmp_path.iterdir()) == [], "the next run is not refused because of it"


@pytest.mark.parametrize("folder", ["a file", "a file/below it", "a" * 300])
def test_a_folder_that_cannot_be_is_not_said_to_hold_the_file(tmp_path: Path, folder: str) -> None:
    (tmp_path / "a file").touch()
    done = CliRunner().invoke(main, ["scenarios", "new", "one", "--dir", str(tmp_path / folder)])
    assert (done.exit_code, "cannot write" in done.output) == (2, True), done.output
    assert [path.name for path in tmp_path.iterdir()] == ["a file"]
