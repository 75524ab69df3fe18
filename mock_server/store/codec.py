"""Records as rows of values, and as named JSON in a dump.

A row is the list of a record's fields in their order, nested records likewise: no names, one byte for a None. In a
dump fields have their names, and a None that is the default is left out, so that a document of an earlier version
loads where fields were added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from threading import RLock
from typing import Any, Generic, TypeVar, get_type_hints

import msgspec

from mock_server.domain.records import BESIDE
from mock_server.store import seals
from mock_server.store.protocol import DumpRefused
from mock_server.store.ways import Way, ways

R = TypeVar("R")


class Codec(Generic[R]):
    """One Struct's way to its row, to named JSON, and back."""

    __slots__ = (
        "_downs",
        "_known",
        "_names",
        "_needed",
        "_plains",
        "_read",
        "_type",
        "_ups",
        "beside",
        "sort",
    )

    def __init__(self, of: type[R]) -> None:
        own = msgspec.structs.fields(of)  # type: ignore[arg-type]  # no type says: any Struct
        hints = get_type_hints(of, include_extras=True)
        self._type = of
        self._names = tuple(f.name for f in own)
        self._read = _reader(self._names)
        self._known = frozenset(self._names)
        self._needed = tuple(f.name for f in own if not _is_none_by_default(f))
        each = [ways(f"{of.__qualname__}.{name}", _plain(hints[name]), codec_of) for name in self._names]
        self._downs = _numbered(way.down for way in each)
        self._ups = _numbered(way.up for way in each)
        self._plains = tuple((name, way.plain) for name, way in zip(self._names, each, strict=True) if way.plain)
        self.beside = _beside(of, [hints[name] for name in self._names])
        self.sort = seals.register(self)

    def row(self, record: R) -> list[Any]:
        """The values of all fields in their order, nested records as rows."""
        row = list(self._read(record))
        for at, down in self._downs:
            value = row[at]
            if value:
                row[at] = down(value)
        return row

    def record(self, row: list[Any]) -> R:
        """The record of a row."""
        for at, up in self._ups:
            value = row[at]
            if value is not None:
                row[at] = up(value)
        return self._type(**dict(zip(self._names, row, strict=True)))

    def plain(self, record: R) -> dict[str, Any]:
        """The record as JSON with names."""
        named = {name: value for name, value in zip(self._names, self._read(record), strict=True) if value is not None}
        for name, plain in self._plains:
            if name in named:
                named[name] = plain(named[name])
        for name in self._needed:
            named.setdefault(name, None)
        return named

    def from_plain(self, named: Mapping[str, Any]) -> R:
        """The record of its JSON; DumpRefused says which value does not fit."""
        if not named.keys() <= self._known:
            raise DumpRefused(f"{self._type.__name__} has no field {min(named.keys() - self._known)!r}")
        try:
            return msgspec.convert(named, self._type)
        except msgspec.ValidationError as wrong:
            raise DumpRefused(f"{self._type.__name__}: {wrong}") from wrong


_codecs: dict[type, Codec[Any]] = {}
_making = RLock()


def codec_of(kind: type[R]) -> Codec[R]:
    """The codec of a frozen Struct; TypeError names a field of a type that cannot be kept."""
    codec = _codecs.get(kind)
    return _made(kind) if codec is None else codec


def _made(kind: type[R]) -> Codec[R]:
    """One thread makes codecs at a time: each gets a number of its own, by which its records are read again."""
    with _making:
        codec = _codecs.get(kind)
        if codec is None:
            codec = _codecs[kind] = Codec(kind)
        return codec


def _plain(hint: Any) -> Any:
    """A type without what is noted of it."""
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _beside(of: type, hints: list[Any]) -> int | None:
    """Which field's bytes are kept beside the record; one at most."""
    found = [at for at, hint in enumerate(hints) if BESIDE in getattr(hint, "__metadata__", ())]
    if len(found) > 1:
        raise TypeError(f"{of.__qualname__} has several fields that are kept beside it")
    return found[0] if found else None


def _numbered(each: Iterable[Way | None]) -> tuple[tuple[int, Way], ...]:
    return tuple((at, way) for at, way in enumerate(each) if way is not None)


def _reader(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    read = attrgetter(names[0])
    return lambda record: (read(record),)


def _is_none_by_default(f: msgspec.structs.FieldInfo) -> bool:
    return f.default is None
