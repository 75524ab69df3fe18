"""The head of a record at rest: what it is, how often it was put, and where it stands in the order.

Sealed bytes may be kept inside other records (an event keeps the version it tells of). They hold no field names, so
they never leave the process: in a dump they are *named*, and stay so once loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Any, Protocol

import msgspec

SEALED = b"\xc1rec"
NAMED = b"\xc1nam"
"""No MessagePack document begins with this byte."""

Kept = bytes | tuple[bytes, bytes]
"""A record at rest: sealed, and where a field's bytes are kept beside it, they too."""

_HEAD = Struct("<4sHIIq")
_PLACE = Struct("<IIq")
_PLACE_AT = _HEAD.size - _PLACE.size


def _as_dict(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} cannot be kept")


_unpack_names = msgspec.msgpack.Decoder(dict[str, Any]).decode
_pack = msgspec.msgpack.Encoder(enc_hook=_as_dict).encode


class Sort(Protocol):
    """What a seal asks of the codec it names."""

    def plain(self, record: Any, /) -> dict[str, Any]: ...
    def record(self, kept: bytes, /) -> Any: ...


_sorts: list[Sort] = []


def register(sort: Sort) -> int:
    """Gives the number under which a codec's records are sealed in this process."""
    _sorts.append(sort)
    return len(_sorts) - 1


def seal(sort: int, version: int, number: int, created: int, record: Any) -> bytes:
    """A record at rest."""
    return _HEAD.pack(SEALED, sort, version, number, created) + _pack(record)


def place(kept: Kept) -> tuple[int, int, int]:
    """Version, number and creation instant of a record at rest."""
    version, number, created = _PLACE.unpack_from(kept[0] if isinstance(kept, tuple) else kept, _PLACE_AT)
    return version, number, created


def content(sealed: bytes) -> memoryview:
    """What stands behind the head."""
    return memoryview(sealed)[_HEAD.size :]


def opened(sealed: bytes) -> Any:
    """The sealed record."""
    return _sorts[_HEAD.unpack_from(sealed)[1]].record(sealed)


def named(kept: bytes) -> bytes:
    """Sealed bytes with their field names, so that a later version can read them; any other bytes as they are."""
    if not kept.startswith(SEALED) or len(kept) <= _HEAD.size:
        return kept
    sort = _sorts[_HEAD.unpack_from(kept)[1]]
    return NAMED + _pack(sort.plain(sort.record(kept)))


def names(kept: bytes) -> dict[str, Any]:
    """The fields of named bytes."""
    return _unpack_names(memoryview(kept)[len(NAMED) :])
