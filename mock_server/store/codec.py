"""Records as bytes, which msgspec writes and reads, and as named JSON in a dump.

At rest a record is the list of its fields in their order (`domain.records.Record`): no names, one byte for a None.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import structs

from mock_server.domain.records import BESIDE
from mock_server.store import named, seals
from mock_server.store.protocol import DumpRefused

R = TypeVar("R")


class Codec(Generic[R]):
    """One class's way to bytes, to named JSON, and back."""

    __slots__ = ("_beside", "_known", "_named", "_read", "_type", "sort")

    def __init__(self, of: type[R]) -> None:
        kind: Any = of
        self._type: Any = of
        self._known = frozenset(kind.__struct_fields__)
        self._named = named.named_class(kind)
        self._beside = _beside(kind)
        self._read = msgspec.msgpack.Decoder(of).decode
        self.sort = seals.register(self)

    def seal(self, record: R, version: int, number: int, created: int) -> seals.Kept:
        """The record at rest; TypeError or OverflowError where a value cannot be kept."""
        if self._beside is None:
            return seals.seal(self.sort, version, number, created, record)
        kept: Any = record
        bare = structs.replace(kept, **{self._beside: b""})
        return seals.seal(self.sort, version, number, created, bare), getattr(record, self._beside)

    def record(self, kept: seals.Kept) -> R:
        """The record of what was sealed."""
        if not isinstance(kept, tuple):
            return self._read(seals.content(kept))
        record: Any = self._read(seals.content(kept[0]))
        structs.force_setattr(record, self._beside or "", kept[1])  # nobody has seen it yet
        made: R = record
        return made

    def plain(self, record: R) -> dict[str, Any]:
        """The record as JSON with names."""
        kept: Any = record
        return named.plain(kept)

    def from_plain(self, document: Mapping[str, Any]) -> R:
        """The record of its JSON; DumpRefused says which value does not fit."""
        if not document.keys() <= self._known:
            raise DumpRefused(f"{self._type.__name__} has no field {min(document.keys() - self._known)!r}")
        try:
            fitting = msgspec.convert(document, self._named)
        except msgspec.ValidationError as wrong:
            raise DumpRefused(f"{self._type.__name__}: {wrong}") from wrong
        made: R = msgspec.convert(fitting, self._type, from_attributes=True)
        return made


_codecs: dict[type, Codec[Any]] = {}
_making = RLock()


def codec_of(kind: type[R]) -> Codec[R]:
    """The codec of a class of records; TypeError names a field of a type that cannot be kept."""
    codec = _codecs.get(kind)
    return _made(kind) if codec is None else codec


def _made(kind: type[R]) -> Codec[R]:
    """One thread makes codecs at a time: each gets a number of its own, by which its records are read again."""
    with _making:
        codec = _codecs.get(kind)
        if codec is None:
            codec = _codecs[kind] = Codec(kind)
        return codec


def _beside(kind: type[msgspec.Struct]) -> str | None:
    """Which field's bytes are kept beside the record; one at most."""
    found = [field.name for field in named.fields_of(kind) if BESIDE in getattr(field.type, "__metadata__", ())]
    if len(found) > 1:
        raise TypeError(f"{kind.__qualname__} has several fields that are kept beside it")
    return found[0] if found else None
