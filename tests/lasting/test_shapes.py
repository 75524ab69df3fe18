"""Records of earlier versions: read by the names that their fields had."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct, defstruct

from mock_server.clock import SystemClock
from mock_server.domain.errors import Refusal
from mock_server.domain.records import Record
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.store import LastingStore
from mock_server.store.protocol import RecordKind, StateRefused
from mock_server.store.records import codec_of, decode


def _record(name: str, *fields: Any) -> type[Struct]:
    return defstruct(name, fields, bases=(Record,), frozen=True, array_like=True)


_FIRST_LABEL = _record("Label", ("to", str), ("country", str))
_LABEL = _record("Label", ("country", str), ("to", str), ("city", str, "unknown"))
VERSIONS: Final = (
    _record(
        "Parcel",
        ("key", str),
        ("label", _FIRST_LABEL),
        ("labels", tuple[_FIRST_LABEL, ...], ()),  # type: ignore[valid-type]  # made here
        ("weight", int, 0),
    ),
    # Fields in another order, and two new ones, one of them in the record within.
    _record(
        "Parcel",
        ("labels", tuple[_LABEL, ...]),  # type: ignore[valid-type]  # made here
        ("key", str),
        ("label", _LABEL),
        ("weight", int, 0),
        ("insured", bool, False),
    ),
    # Fields that there were are not known any more.
    _record("Parcel", ("key", str)),
)


def version(number: int) -> RecordKind[Any]:
    """A kind of records as one version after another has it."""
    return RecordKind("parcel", VERSIONS[number - 1], lambda one: one.key, lambda one: 0)


def opened(path: Path, kind: RecordKind[Any]) -> LastingStore:
    return LastingStore(DataFile(str(path)), (kind,), SystemClock())


def test_an_earlier_versions_records_are_read_by_name(tmp_path: Path) -> None:
    path, old, new = tmp_path / "state.sqlite", version(1), version(2)
    store = opened(path, old)
    label = {"to": "A", "country": "DE"}
    parcel = _made(old, {"key": "a", "label": label, "labels": [label, label], "weight": 7})
    space = store.open("a", lambda tx: tx.put(old, parcel))
    space.append("told", space.transact(lambda tx: tx.encoded(old, "a")))
    store.end()
    for _ in range(2):  # the first start writes what it read as this version has it
        store = opened(path, new)
        again = store.space("a")
        assert again is not None
        found: Any = again.transact(lambda tx: tx.get(new, "a"))
        assert (found.key, found.weight, found.insured) == ("a", 7, False)
        assert [(one.to, one.country, one.city) for one in (found.label, *found.labels)] == [("A", "DE", "unknown")] * 3
        (line,) = again.transact(lambda tx: tx.entries("told"))
        assert decode(new, line.value) == found, "also where another record or a line holds it"
        store.end()


def test_a_field_that_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    path, old = tmp_path / "state.sqlite", version(1)
    store = opened(path, old)
    parcel = _made(old, {"key": "a", "label": {"to": "A", "country": "DE"}})
    store.open("a", lambda tx: tx.put(old, parcel))
    store.end()
    before = path.read_bytes()
    store = opened(path, version(3))
    with pytest.raises(Refusal) as refused:
        store.space("a")
    assert "Parcel has no field 'label'" in str(refused.value.values["reason"])
    store.saver.file.close()
    assert path.read_bytes() == before


def test_a_kind_that_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    opened(path, version(1)).end()
    file = DataFile(str(path))
    with pytest.raises(StateRefused, match="a kind that this version does not know: Parcel"):
        LastingStore(file, (), SystemClock())
    file.close()


def _made(kind: RecordKind[Any], values: dict[str, Any]) -> Any:
    return codec_of(kind.type).from_plain(values)
