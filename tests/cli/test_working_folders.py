"""Every command in a folder that was removed, whose parents nobody may look into, or whose path is too long.

Whoever runs a command as another user, or in a folder that a build has cleaned, is in such a folder. A command that
needs no file there does what it does elsewhere; one that does names the file.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final

import pytest

from mock_server.cli import main
from mock_server.cli.asking import project_file
from tests.cli.leaves import CALLING, KEY, LEAVES, READY, Leaf
from tests.cli.test_hostile_words import ENDLESS
from tests.counts import SOAK, times
from tests.running import COMMAND, RunningSandbox, environment

HERE: Final = [one for one in LEAVES if one.name not in ENDLESS | {"conformance"}]
SLOW: Final = frozenset({"openapi", "scenarios list", "scenarios schema"})
"""Commands that compute long, and look at no file."""
NOBODY: Final = 65_534
"""The user that a test of root's becomes, who may look everywhere."""


@contextmanager
def removed(place: Path) -> Iterator[None]:
    place.joinpath("gone").mkdir()
    os.chdir(place / "gone")
    place.joinpath("gone").rmdir()
    yield


@contextmanager
def closed(place: Path) -> Iterator[None]:
    place.joinpath("closed", "inner").mkdir(parents=True)
    place.joinpath("closed", "inner").chmod(0o777)
    os.chdir(place / "closed" / "inner")
    place.joinpath("closed").chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        place.joinpath("closed").chmod(0o700)


@contextmanager
def deep(place: Path) -> Iterator[None]:
    os.chdir(place)
    for _ in range(20):
        Path("d" * 250).mkdir()
        os.chdir("d" * 250)
    yield


FOLDERS: Final[dict[str, Callable[[Path], AbstractContextManager[None]]]] = {
    "removed": removed,
    "closed": closed,
    "deep": deep,
}
ROWS: Final = [
    pytest.param(leaf, folder, key, id=f"{leaf.name} {folder} {key}")
    for number, leaf in enumerate(HERE)
    for turn, folder in enumerate(FOLDERS)
    for key in ([KEY, ""] if leaf in CALLING else [KEY])
    if SOAK or (number % len(FOLDERS) == turn and leaf.name not in SLOW)
]


def ended(words: list[str]) -> tuple[object, str]:
    """The exit code of the command, and what it says on stderr."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said, pytest.raises(SystemExit) as end:
        main.main(words, prog_name="payment-sandbox")
    return end.value.code, said.getvalue()


@pytest.mark.parametrize(("leaf", "folder", "key"), ROWS)
def test_a_command_does_there_what_it_does_elsewhere(
    leaf: Leaf, folder: str, key: str, sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if leaf.name not in READY:
        monkeypatch.setenv("PAYMENT_SANDBOX_URL", sandbox.base)
    monkeypatch.setenv("PAYMENT_SANDBOX_API_KEY", key)
    project_file.cache_clear()
    expected = ended(leaf.line), ended(leaf.line)  # the second time, what it makes or deletes is there or gone
    project_file.cache_clear()
    with FOLDERS[folder](tmp_path):
        code, said = ended(leaf.line)
    project_file.cache_clear()
    names_a_file = code == 2 and ("cannot write " in said or "cannot be read" in said)
    assert (code, said) in expected or (names_a_file and "cannot write the output" not in said)


NAMING: Final = {
    "--data": "d.db",
    "--config": "c.yaml",
    "--port-file": "port",
    "--tls-port-file": "tls",
    "--scenarios": "s",
    "--tls-cert": "c.pem",
}
"""Flags of a server that name a file."""
BESIDE: Final = {"--tls-port-file": ["--tls", "--tls-port", "0"], "--tls-cert": ["--tls", "--tls-key", "k.pem"]}


@pytest.mark.parametrize("flag", [*NAMING][: times(1, soak=len(NAMING))])
def test_a_server_names_the_file_that_it_cannot_have(
    flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with removed(tmp_path):
        words = [*COMMAND, "serve", "--port", "0", flag, NAMING[flag], *BESIDE.get(flag, [])]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode in (1, 2)
    assert NAMING[flag] in done.stderr and "Errno" not in done.stderr
