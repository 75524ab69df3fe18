"""Files that are not this program's, or cannot be used: neither a server nor a check changes anything about them."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.lasting.datafile import APPLICATION, DataFile
from tests.running import RunningSandbox
from tests.running import call as command

Make = Callable[[Path], object]


def database(*statements: str) -> Make:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as made:
            for statement in statements:
                made.execute(statement)
            made.commit()

    return make


def own(change: Callable[[bytearray], object]) -> Make:
    """A file of this program, changed."""

    def make(path: Path) -> None:
        DataFile(str(path)).close()
        data = bytearray(path.read_bytes())
        change(data)
        path.write_bytes(data)

    return make


def damaged(data: bytearray) -> None:
    data[100:200] = b"\xff" * 100  # where every start looks


TABLE: Final = "CREATE TABLE workspaces (a)"
FILES: Final[dict[str, Make]] = {
    "text": lambda path: path.write_text("amount,currency\n" * 1_000),
    "short text": lambda path: path.write_text("hi"),
    "another program's": database("CREATE TABLE orders (id)", "INSERT INTO orders VALUES (1)"),
    "another program's, with a log": database("PRAGMA journal_mode = WAL", "CREATE TABLE orders (id)"),
    "a newer version's": database(TABLE, f"PRAGMA application_id = {APPLICATION}", "PRAGMA user_version = 99"),
    "an older version's": database(TABLE, f"PRAGMA application_id = {APPLICATION}", "PRAGMA user_version = 1"),
    "damaged": own(damaged),
    "cut": own(lambda data: data.__delitem__(slice(8192, None))),
    "empty": lambda path: path.touch(),
}
COMMANDS: Final = {"serve": ("serve", "--port", "0", "--data"), "check": ("data", "check")}


def refused(words: str, path: Path) -> tuple[int, str]:
    """The code with which it ends, and why. A check needs no process of its own; a server sets up its log for good."""
    if words == "serve":
        done = command(*COMMANDS[words], str(path))
        return done.returncode, done.stderr
    checked = CliRunner().invoke(main, [*COMMANDS[words], str(path)])
    assert isinstance(checked.exception, SystemExit), checked.exc_info
    return checked.exit_code, checked.stderr


def seen(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its permissions and bytes."""
    return {one.name: (stat.S_IMODE(one.stat().st_mode), one.read_bytes()) for one in folder.iterdir()}


REFUSED = [(sort, words) for sort in FILES for words in COMMANDS if (sort, words) != ("empty", "serve")]
"""A server begins with an empty file."""


@pytest.mark.parametrize("mode", [0o600, 0o664], ids=oct)
@pytest.mark.parametrize(("sort", "words"), REFUSED)
def test_what_is_refused_stays_as_it_is(tmp_path: Path, sort: str, words: str, mode: int) -> None:
    path = tmp_path / "file"
    FILES[sort](path)
    path.chmod(mode)
    before = seen(tmp_path)
    code, why = refused(words, path)
    assert code in (1, 2)
    assert str(path) in why
    assert "Traceback" not in why
    assert seen(tmp_path) == before


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("used") / "state.sqlite"
    with ExitStack() as ends:
        ends.enter_context(RunningSandbox("--data", str(path), "--log-level", "error"))
        yield path


@pytest.mark.parametrize("words", COMMANDS)
def test_a_file_in_use_stays_as_it_is(running: Path, words: str) -> None:
    running.chmod(0o640)
    assert refused(words, running)[0] == 2
    assert stat.S_IMODE(running.stat().st_mode) == 0o640
