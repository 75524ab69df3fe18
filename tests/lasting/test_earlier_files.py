"""Files of earlier versions: what later fields they lack has its default, and everything in them can be read."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pytest
from msgspec import Struct, structs

from mock_server.app import create_app
from mock_server.sandbox import build, clockwork, outliving, soundness
from mock_server.sandbox.timekeeping import KINDS
from mock_server.settings import Settings
from tests.clocks import ManualClock
from tests.control import reading_all
from tests.lasting.test_hostile_rows import SOUND, rows_of, sound, space_of
from tests.wire import Wire

__all__ = ["sound"]

FORMAT_2: Final = Path(__file__).parent / "files" / "format-2.sqlite"
"""What the first version with this format wrote."""
ITS_KEY: Final = "snd_earlier_0123"
STATUSES: Final = {
    "captured": "succeeded", "authorized": "requires_capture", "challenged": "requires_action", "declined": "failed",
    "pending": "pending",
}  # fmt: skip
FACTS: Final[dict[str, Any]] = {clockwork.FACT: clockwork.Clockwork, **soundness.FACTS, **soundness.NAMED_FACTS}


def structs_in(kind: Any) -> Iterator[type[Struct]]:
    """The classes in a type that are stored with the names of their fields."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        if not kind.__struct_config__.array_like:
            yield kind
        kind = tuple[*(field.type for field in structs.fields(kind))]  # type: ignore[misc]  # made here
    for inner in get_args(kind):
        yield from structs_in(inner)


LATER: Final = [
    (fact, field.encode_name)
    for fact, kind in FACTS.items() for found in structs_in(kind) for field in structs.fields(found)
    if not field.required
]  # fmt: skip
"""Each field with a default that is stored by name, with its fact."""


def without(value: Any, name: str) -> Any:
    """The value without all members of this name."""
    if isinstance(value, dict):
        return {key: without(inner, name) for key, inner in value.items() if key != name}
    return [without(inner, name) for inner in value] if isinstance(value, list) else value


def opened(path: Path, key: str) -> Wire:
    sandbox = build(Settings(rate_limit=0, data=str(path)), clock=ManualClock())
    return Wire(create_app(sandbox), sandbox, key)


@pytest.mark.parametrize(("fact", "name"), LATER)
def test_a_fact_may_lack_what_has_a_default(sound: Path, tmp_path: Path, fact: str, name: str) -> None:
    path, space = Path(shutil.copy(sound, tmp_path / "state.sqlite")), space_of(SOUND)
    found = [row for row in rows_of(path, space) if row.part == "fact" and row.key.decode().startswith(fact)]
    assert found, "the full workspace holds one"
    with closing(sqlite3.connect(path)) as file, file:
        for row in found:
            value = msgspec.msgpack.encode(without(msgspec.msgpack.decode(row.value), name))
            file.execute(
                "UPDATE rows SET value = ? WHERE part = 'fact' AND key = ? "
                "AND space = (SELECT space FROM workspaces WHERE name = ?)",
                (value, row.key, space),
            )
    assert outliving.check(str(path))[1] == []
    assert broken(path, SOUND, share=60) == []


def broken(path: Path, key: str, share: int = 10) -> list[str]:
    """What cannot be read, of one in `share` reads."""
    api = opened(path, key)
    found = reading_all.broken(api, key, share=share)
    api.sandbox.stop()
    return found


def test_what_the_first_version_with_this_format_wrote_is_read(tmp_path: Path) -> None:
    path = Path(shutil.copy(FORMAT_2, tmp_path / "state.sqlite"))
    assert outliving.check(str(path)) == (1, [])
    api = opened(path, ITS_KEY)
    payments = {one["merchant_order_reference_id"]: one for one in api.post("/payments/list", {})["data"]}
    assert {name: one["status"] for name, one in payments.items()} == STATUSES
    captured, authorized = payments["captured"]["payment_id"], payments["authorized"]["payment_id"]
    assert api.post("/refunds", {"payment_id": captured, "amount": 3001}).status == 400
    assert api.post("/refunds", {"payment_id": captured, "amount": 3000})["status"] == "succeeded"
    assert api.post(f"/payments/{authorized}/capture")["status"] == "succeeded"
    assert api.post("/_sandbox/clock/advance", {"by": "10s"}).status == 200
    assert api.get(f"/payments/{payments['pending']['payment_id']}")["status"] == "succeeded"
    api.sandbox.stop()
    assert broken(path, ITS_KEY) == [], "also what this version has written to it"


def test_the_kept_file_lists_kinds_that_there_are() -> None:
    with closing(sqlite3.connect(FORMAT_2)) as file:
        names = {name.split('"', 2)[1] for (name,) in file.execute("SELECT shape FROM shapes")}
    assert names <= {kind.type.__qualname__ for kind in KINDS}
