"""Each page of the file in turn is no good: who is refused because of it learns of the damage, and what looks at it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

import pytest

from mock_server.app import create_app
from mock_server.sandbox import build
from mock_server.sandbox.outliving import check
from mock_server.settings import Settings
from mock_server.store.protocol import StateRefused
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, card_payment

KEYS: Final = [f"snd_page_{number:08}" for number in range(3)]
PAGE: Final = 8192
CHECK: Final = "payment-sandbox data check"


def client(path: Path) -> Wire:
    sandbox = build(Settings(seed="tests", rate_limit=0, data=str(path)), clock=ManualClock())
    return Wire(create_app(sandbox), sandbox, KEYS[0])


def end(api: Wire) -> None:
    assert api.sandbox.lasting is not None
    api.sandbox.lasting.end()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file in which each workspace has pages of its own."""
    path = tmp_path_factory.mktemp("sound") / "state.sqlite"
    api = client(path)
    for key in KEYS:
        for _ in range(30):
            assert api.as_key(key).post("/payments", card_payment("success")).status == 200
    end(api)
    return path.read_bytes()


@pytest.mark.parametrize("how", ["ones", "zeros", "another page's"])
def test_who_is_refused_learns_of_the_damage(how: str, sound: bytes, tmp_path: Path) -> None:
    path, told = tmp_path / "state.sqlite", 0
    pages = len(sound) // PAGE
    for page in Random(how).sample(range(pages), times(min(8, pages), soak=pages)):
        damaged = bytearray(sound)
        other = sound[-PAGE:] if how == "another page's" else (b"\xff" if how == "ones" else b"\0") * PAGE
        damaged[page * PAGE : (page + 1) * PAGE] = other
        path.write_bytes(damaged)
        for message in refusals(path):
            told += 1
            assert str(path) in message, (page, message)
            assert "in a second" not in message, (page, message)
            assert CHECK in message or "damaged" not in message, (page, message)
        assert not any(CHECK in line for line in checked(path)), "the command does not advise itself"
    assert told


def refusals(path: Path) -> Iterator[str]:
    try:
        api = client(path)
    except StateRefused as refused:
        yield str(refused)
        return
    for key in KEYS:
        one = api.as_key(key)
        for reply in (one.get("/payments/list"), one.post("/customers", {}), one.get("/_sandbox/readyz")):
            assert reply.status in (200, 503), reply.raw
            if reply.status == 503 and "status" not in reply.json:
                yield reply.error["message"]
    end(api)


def checked(path: Path) -> list[str]:
    try:
        return check(str(path))[1]
    except StateRefused as refused:
        return [str(refused)]


@pytest.mark.parametrize("statement", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", "SELECT * FROM workspaces"])
def test_who_has_it_open_is_not_known(statement: str, sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    path.write_bytes(sound)
    with closing(sqlite3.connect(path, isolation_level=None)) as shell:
        shell.execute(statement).fetchone()
        with pytest.raises(StateRefused, match="is in use: another program has it open"):
            client(path)
        assert "is in use: another program has it open" in checked(path)[0]
