"""Rows of a file that hold what no server wrote: a workspace with one is refused by name, and nobody else notices."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from mock_server.app import create_app
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.sandbox import build, identity, outliving
from mock_server.settings import Settings
from mock_server.store.protocol import StateRefused
from tests.causes.raising import ADMIN
from tests.clocks import ManualClock
from tests.control import full_workspace
from tests.counts import times
from tests.running import RunningSandbox
from tests.running import call as command
from tests.wire import Wire

PACK: Final = msgspec.msgpack.encode
SOUND: Final = "snd_sound_0123456789"
PATIENCE_S: Final = 10.0
"""Whoever is not answered by then hangs."""
TYPES: Final[tuple[Any, ...]] = (None, True, -1, 2**62, 1.5, "x", b"x", [], [1], ["x"], {}, {"rate": 1}, [[]], [[1]])
READS: Final = (
    "/payments/list", "/customers/list", "/refunds/list", "/disputes/list", "/mandates/list",
    "/blocklist?data_kind=card_bin",
    "/_sandbox/journal", "/_sandbox/webhooks", "/_sandbox/clock", "/_sandbox/scenarios",
    "/_sandbox/webhooks/target", "/_sandbox/dialect", "/_sandbox/next",
)  # fmt: skip
REPLACE: Final = (
    "UPDATE OR REPLACE rows SET part = ?, key = ?, value = ? "
    "WHERE part = ? AND key = ? AND space = (SELECT space FROM workspaces WHERE name = '')"
)
EVERYBODYS: Final = ("workspaces", "metrics", "readyz", "livez", "verdicts", "snapshots")
ROWS: Final = times(60, soak=400)
"""The number of workspaces with a hostile row, of the server with one, and of those in which some bytes are others."""
SERVERS: Final = times(30, soak=500)
GARBLED: Final = times(20, soak=200)
LONG: Final = 2_000
"""Lines with more bytes only make the file large."""


class Row(NamedTuple):
    """One row of a file, or a hostile one in its place."""

    part: Any
    key: Any
    value: Any


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a full workspace, and something of everything in the server's own space."""
    path = tmp_path_factory.mktemp("sound") / "state.sqlite"
    sandbox = build(Settings(seed="tests", rate_limit=0, data=str(path)), clock=ManualClock())
    api = Wire(create_app(sandbox), sandbox, SOUND)
    full_workspace.merchant_of(api.as_key(ADMIN)).pay()
    assert api.put("/_sandbox/snapshots/full", full_workspace.document()).status == 200
    assert api.post("/_sandbox/snapshots/full/restore").status == 200
    api.pay()
    sandbox.stop()
    return path


def space_of(key: str) -> str:
    read = parse(key)
    assert isinstance(read, ApiKey)
    return identity.OF_KEYS + read.digest


def rows_of(path: Path, name: str) -> list[Row]:
    with closing(sqlite3.connect(path)) as file:
        (space,) = file.execute("SELECT space FROM workspaces WHERE name = ?", (name,)).fetchone()
        return [Row(*row) for row in file.execute("SELECT part, key, value FROM rows WHERE space = ?", (space,))]


def sorts(rows: list[Row]) -> list[Row]:
    """One row of each part, of each fact, and of each value beside a part."""
    return list({(row.part, row.key if row.part in ("fact", "meta") else b""): row for row in rows}.values())


def hostile(row: Row) -> Iterator[Row]:
    """What can stand in a row's place."""
    part, key, value = row
    yield from (
        Row(part, key, found) for found in (b"", value[:1], value[: len(value) // 2], value[:-1], value + b"\0")
    )
    yield from (Row(part, key, found) for found in (b"\xff" * 9, b"\xc1", b"\xc1{", "text", 5, 1.5))
    yield from (Row(part, found, value) for found in (b"", b"\xff", b"no_number", b"-1", "text", 7))
    yield from (Row(f"{part}x", key, value), Row(part.swapcase(), key, value))
    joined = part.startswith(("record.", "log."))
    yield from (Row(part, key, b"\0" * joined + PACK(found)) for found in TYPES)
    if joined:
        head = 23 if part.startswith("record.") and value[:1] == b"\0" else 1
        yield from (Row(part, key, value[:head] + PACK(found)) for found in TYPES)
        return
    try:
        inside = msgspec.msgpack.decode(value)
    except msgspec.DecodeError:
        return
    for bent in bends(inside):
        yield Row(part, key, PACK(bent))


def bends(value: Any) -> Iterator[Any]:
    """An object without a member, with one too many, or with one of another type; a list in the same way."""
    if isinstance(value, dict):
        yield {**value, "rate": 1}
        for name in value:
            yield {other: inner for other, inner in value.items() if other != name}
            yield from ({**value, name: found} for found in TYPES)
    elif isinstance(value, list):
        yield [*value, 1]
        for at in range(len(value)):
            yield [*value[:at], *value[at + 1 :]]
            yield from ([*value[:at], found, *value[at + 1 :]] for found in TYPES)


def garbled(rows: list[Row]) -> Iterator[Row]:
    """Rows of which a few bytes are others."""
    draw = random.Random("hostile rows")
    while True:
        part, key, value = draw.choice(rows)
        bytes_of = bytearray(value)
        for _ in range(draw.randint(1, 3)):
            if bytes_of:
                bytes_of[draw.randrange(len(bytes_of))] = draw.randrange(256)
        yield Row(part, key, bytes(bytes_of))


def with_one(rows: list[Row], old: Row, new: Row) -> list[Row]:
    return [new if row is old else row for row in rows]


def every(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """The rows of workspaces with one hostile row each, and what it is."""
    found = [(repr((old, new))[:300], with_one(rows, old, new)) for old in sorts(rows) for new in hostile(old)]
    draw = random.Random("which")
    chosen = draw.sample(found, min(ROWS, len(found)))
    missing = [(f"no {old}"[:200], [row for row in rows if row is not old]) for old in sorts(rows)]
    bent = [
        (repr(new)[:300], [new if row[:2] == new[:2] else row for row in rows])
        for new, _ in zip(garbled(rows), range(GARBLED), strict=False)
    ]
    return [*chosen, *missing, *bent, ("no rows", [])]


def asked(line: HTTPConnection, path: str, key: str) -> tuple[int, bytes]:
    line.request("GET", path, headers={"api-key": key})
    answer = line.getresponse()
    return answer.status, answer.read()


def test_a_hostile_row_is_refused_where_it_is(sound: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(sound, tmp_path / "state.sqlite"))
    rows = [row for row in rows_of(path, space_of(SOUND)) if row.part != "log.journal" or len(row.value) < LONG]
    damages = {f"snd_hostile_{number:05}": one for number, one in enumerate(every(rows))}
    with closing(sqlite3.connect(path)) as file, file:
        for number, (key, (_, rows)) in enumerate(damages.items(), 1 << 60):
            file.execute("INSERT INTO workspaces VALUES (?, ?, NULL)", (space_of(key), number))
            file.executemany("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?)", [(number, *row) for row in rows])
    checked = command("data", "check", str(path))
    named = {key for key in damages if space_of(key) in checked.stderr}
    assert (checked.returncode, "Traceback" in checked.stderr) == (1, False), checked.stderr[-2000:]
    wrong: list[tuple[str, str, Any]] = []
    with (
        RunningSandbox("--data", str(path), "--log-level", "error", "--rate-limit", "0") as sandbox,
        closing(HTTPConnection("127.0.0.1", sandbox.ready["port"], timeout=PATIENCE_S)) as line,
    ):
        wrong += [
            ("everybody", name, answer)
            for name in EVERYBODYS
            if (answer := asked(line, f"/_sandbox/{name}", SOUND))[0] != 200
        ]
        for key, (what, _) in damages.items():
            for read in READS[:1] if key in named else READS:
                status, text = asked(line, read, key)
                refused = status == 503 and json.loads(text)["error"]["code"] == "SB_02"
                if refused is not (key in named) or (status >= 500 and not refused):
                    wrong.append((what, read, (status, text[:300])))
        wrong += [("the sound one", read, answer) for read in READS if (answer := asked(line, read, SOUND))[0] >= 400]
        wrong += [
            ("everybody", name, answer)
            for name in EVERYBODYS
            if (answer := asked(line, f"/_sandbox/{name}", SOUND))[0] != 200
        ]
        log = sandbox.stop()[2]
    assert not wrong, f"{len(wrong)} {len(damages)} {len(named)}\n" + "\n".join(map(repr, wrong[:40]))
    assert "Traceback" not in log
    assert log.count("\n") <= len(named)
    assert len(named) > len(damages) / 3


def test_hostile_rows_of_the_server_are_refused(sound: Path, tmp_path: Path) -> None:
    """Where they are in no workspace, nobody can use the file, and the check says so."""
    rows, wrong = rows_of(sound, ""), list[Any]()
    statements = [
        "INSERT INTO workspaces VALUES ('x', 'y', NULL)", "INSERT INTO workspaces VALUES ('x', 7, 'z')",
        "INSERT INTO workspaces VALUES (NULL, 8, 5)", "INSERT INTO workspaces VALUES (x'ff', 9, 1.5)",
        *(f"UPDATE workspaces SET {done} WHERE name = (SELECT max(name) FROM workspaces)"
          for done in ("space = 'y'", "due_at = 'z'", "name = 5", "name = x'ff'")),
        *(f"UPDATE shapes SET {done}" for done in ("shape = ''", "shape = 'x'", "shape = 7", "number = -number")),
        "INSERT INTO shapes VALUES (1, '')", """INSERT INTO shapes VALUES (1, '["Payment"]')""",
        """INSERT INTO shapes VALUES (1, '["Payment",1]')""", "INSERT INTO shapes VALUES (2, x'ff')",
    ]  # fmt: skip
    damages: list[tuple[Any, ...]] = [(old, new) for old in sorts(rows) for new in hostile(old)]
    some = random.Random("some").sample(damages, min(SERVERS, len(damages)))
    for damage in [*some, *((text,) for text in statements)]:
        path = Path(shutil.copy(sound, tmp_path / "state.sqlite"))
        with closing(sqlite3.connect(path)) as file, file:
            if len(damage) == 1:
                file.execute(damage[0])
            else:
                old, new = damage
                file.execute(REPLACE, (*new, *old[:2]))
        try:
            if outliving.check(str(path))[1]:
                continue
            sandbox = build(Settings(seed="tests", rate_limit=0, data=str(path)), clock=ManualClock())
            api = Wire(create_app(sandbox), sandbox, SOUND)
            answers = {
                read: api.get(read) for read in ("/payments/list", *(f"/_sandbox/{name}" for name in EVERYBODYS))
            }
            sandbox.stop()
            wrong += [(damage, read, answer) for read, answer in answers.items() if answer.status >= 500]
        except StateRefused:
            continue
        except Exception as failed:
            wrong.append((damage, f"{type(failed).__name__}: {failed}"))
    assert not wrong, (len(wrong), len(damages), *wrong[:20])
