"""Stored records and other values as bytes that the garbage collector does not follow, and JSON with names in a dump.

A stored record is the list of its fields in order (`domain.records.Record`): no names, one byte for a None. A header
has its kind, how often it was put, and its place in the order. Such sealed bytes may be part of other records (an event
contains the version at its time) and of other values: log lines, stored answers, facts, which are JSON-like, with bytes
allowed anywhere. They never leave the process: in a dump they have names, and keep them once loaded. The values of a
document are first read into a class with names, so that an error names the field, and then into the record itself.
"""

from __future__ import annotations

import base64
import enum
import json
import struct
import types
from collections.abc import Callable, Mapping
from functools import cache
from threading import RLock
from typing import Any, Final, Generic, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Struct, structs

from mock_server.domain.records import BESIDE
from mock_server.store import shapes
from mock_server.store.protocol import DumpRefused, RecordKind, faults_of

R = TypeVar("R")
T = TypeVar("T")

SEALED = b"\xc1r"
NAMED = b"\xc1nam"
"""No MessagePack document begins with this byte."""

Kept = bytes | tuple[bytes, bytes]
"""A stored record, sealed, or a packed line of a log; and its shared bytes, if any."""

_HEAD = struct.Struct("<2sIIIq")
_PLACE = struct.Struct("<IIq")
_PLACE_AT = _HEAD.size - _PLACE.size


def _as_dict(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} cannot be stored")


_unpack_names = msgspec.msgpack.Decoder(dict[str, Any]).decode
_pack = msgspec.msgpack.Encoder(enc_hook=_as_dict).encode
_SCALARS = (str, int, float, bool, bytes, type(None), object, Any)
_PLAIN = frozenset({str, int, float, bool})


def stamp(kept: Kept) -> tuple[int, int, int]:
    """Version, number and creation time of a stored record."""
    version, number, created = _PLACE.unpack_from(kept[0] if isinstance(kept, tuple) else kept, _PLACE_AT)
    return version, number, created


def content(sealed: bytes) -> memoryview:
    """The bytes after the header."""
    return memoryview(sealed)[_HEAD.size :]


class Codec(Generic[R]):
    """Converts one class to bytes, and reads it from them and from JSON with names."""

    __slots__ = ("_beside", "_known", "_named", "_read", "_type", "shape", "sort")

    def __init__(self, of: type[R]) -> None:
        kind: Any = of
        self._type: Any = of
        self._known = frozenset(kind.__struct_fields__)
        self._named = named_class(kind)
        self._beside = _beside(kind)
        self._read = msgspec.msgpack.Decoder(of).decode
        self.shape = shapes.shape_of(kind)
        self.sort = shapes.number_of(self.shape)
        if self.sort in sealers and sealers[self.sort].shape != self.shape:
            raise TypeError(f"{kind.__qualname__} has the number of another shape")
        sealers[self.sort] = self

    def seal(self, record: R, version: int, number: int, created: int) -> Kept:
        """The stored form; TypeError or OverflowError if a value cannot be stored."""
        head = _HEAD.pack(SEALED, self.sort, version, number, created)
        if self._beside is None:
            return head + _pack(record)
        kept: Any = record
        return head + _pack(structs.replace(kept, **{self._beside: b""})), getattr(record, self._beside)

    def record(self, kept: Kept) -> R:
        """The record of sealed bytes."""
        if not isinstance(kept, tuple):
            return self._read(content(kept))
        return self.with_beside(self._read(content(kept[0])), kept)

    def with_beside(self, record: R, kept: Kept) -> R:
        """The record with its shared bytes."""
        if isinstance(kept, tuple) and self._beside is not None:
            kind: Any = record
            structs.force_setattr(kind, self._beside, kept[1])  # nobody has seen it yet
        return record

    def from_plain(self, document: Mapping[str, Any]) -> R:
        """The record of its JSON; DumpRefused names the value that is not valid."""
        if not document.keys() <= self._known:
            raise DumpRefused(f"{self._type.__name__} has no field {min(document.keys() - self._known)!r}")
        with faults_of(self._type.__name__):
            fitting = convert(document, self._named)
        made: R = msgspec.convert(fitting, self._type, from_attributes=True)
        return made


_codecs: dict[type, Codec[Any]] = {}
sealers: dict[int, Codec[Any]] = {}
"""Codecs by the numbers in their sealed records."""
_earlier: dict[int, tuple[str, type]] = {}
"""Shapes of classes in earlier versions, by number."""
_learned: set[Any] = set()
_making = RLock()


def convert(value: object, kind: type[T]) -> T:
    """`msgspec.convert`, of each class first on one thread alone: two that learn one at once can end the process."""
    if kind in _learned:
        return msgspec.convert(value, kind)
    with _making:
        made = msgspec.convert(value, kind)
        _learned.add(kind)
    return made


def codec_of(kind: type[R]) -> Codec[R]:
    """The codec of a class of records; TypeError names a field of a type that cannot be stored."""
    codec = _codecs.get(kind)
    if codec is None:
        with _making:  # one thread at a time: each has its own number, by which its records are read again
            codec = _codecs.get(kind)
            if codec is None:
                codec = _codecs[kind] = Codec(kind)
    return codec


def _beside(kind: type[msgspec.Struct]) -> str | None:
    """The field with shared bytes; at most one."""
    found = [field.name for field in fields_of(kind) if BESIDE in getattr(field.type, "__metadata__", ())]
    if len(found) > 1:
        raise TypeError(f"{kind.__qualname__} has several fields with shared bytes")
    return found[0] if found else None


def remember(shape: str, kind: type) -> None:
    """Registers an earlier shape of a class, so that its bytes can be read."""
    number = shapes.number_of(shape)
    if codec_of(kind).sort == number:
        _earlier.pop(number, None)
    else:
        _earlier[number] = shape, kind


def _opened(kept: Kept) -> Any:
    """The record of sealed bytes of any class; DumpRefused if those of an earlier version cannot be read."""
    sealed = kept[0] if isinstance(kept, tuple) else kept
    number: int = _HEAD.unpack_from(sealed)[1]
    earlier = _earlier.get(number)
    if earlier is None:
        if number not in sealers:
            raise DumpRefused("a record has an unknown shape")
        return sealers[number].record(kept)
    shape, kind = earlier
    with faults_of("an earlier record"):
        record: Any = codec_of(kind).from_plain(shapes.named_by(shape, content(sealed)))
    return codec_of(kind).with_beside(record, kept)


def as_now(kind: type[R], kept: Kept) -> Kept:
    """A stored record in the form of this version; DumpRefused if it is of another kind."""
    codec, sealed = codec_of(kind), kept[0] if isinstance(kept, tuple) else kept
    if _HEAD.unpack_from(sealed)[1] == codec.sort:
        return kept
    record = _opened(kept)
    if not isinstance(record, kind):
        raise DumpRefused(f"a {type(record).__name__} is no {kind.__name__}")
    return codec.seal(record, *stamp(kept))


def is_record(kept: bytes) -> bool:
    """Whether bytes are a record's compact form: no text has this first byte."""
    return kept.startswith((SEALED, NAMED))


def decode(kind: RecordKind[R], kept: bytes) -> R:
    """Decodes the result of `Transaction.encoded`, in this process or from a dump; TypeError for another kind."""
    if kept.startswith(NAMED):
        return codec_of(kind.type).from_plain(_unpack_names(memoryview(kept)[len(NAMED) :]))
    record = _opened(kept)
    if not isinstance(record, kind.type):
        raise TypeError(f"a {type(record).__name__} is no {kind.name}")
    return record


# names


def named(kept: bytes) -> bytes:
    """Sealed bytes with field names, so that a later version can read them; other bytes unchanged."""
    return kept if not kept.startswith(SEALED) or len(kept) <= _HEAD.size else NAMED + _pack(plain(_opened(kept)))


@cache
def fields_of(kind: type[Struct]) -> tuple[structs.FieldInfo, ...]:
    """The fields of a class, whose types are resolved once."""
    return structs.fields(kind)


def plain(record: Struct) -> dict[str, Any]:
    """A record as JSON with names; a None that is the default is omitted, so that fields can be added later."""
    values = ((name, getattr(record, name)) for name in record.__struct_fields__)
    named = {name: _plain(value) for name, value in values if value is not None}
    for name in _needed(type(record)):
        named.setdefault(name, None)
    return named


def _plain(value: Any) -> Any:
    if type(value) in _PLAIN or value is None:
        return value
    if isinstance(value, Struct):
        return plain(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, bytes):  # a sealed record in there gets its field names first
        return base64.b64encode(named(value)).decode("ascii")
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(member) for member in value]


@cache
def _needed(kind: type[Struct]) -> tuple[str, ...]:
    return tuple(field.name for field in fields_of(kind) if field.default is not None)


@cache
def named_class(kind: type[Struct]) -> type[Struct]:
    """A second class with the same fields and defaults, and with names; TypeError says which field cannot be stored.

    A class with names is returned unchanged, and so is one that contains others of its kind.
    """
    if not kind.__struct_config__.array_like:
        return kind
    fields = [
        (
            field.name,
            _named(f"{kind.__qualname__}.{field.name}", field.type),
            msgspec.field(default_factory=field.default_factory) if field.default is NODEFAULT else field.default,
        )
        for field in fields_of(kind)
    ]
    return msgspec.defstruct(kind.__name__, fields, kw_only=True)


def _named(where: str, hint: Any) -> Any:
    """A field's type, with classes that have names."""
    if hasattr(hint, "__metadata__"):
        return hint.__origin__ if BESIDE in hint.__metadata__ else hint
    if hint in _SCALARS or get_origin(hint) is Literal:
        return hint
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint
    return named_class(hint) if isinstance(hint, type) and issubclass(hint, Struct) else _composed(where, hint)


def _composed(where: str, hint: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        members = tuple(_named(where, one) for one in inner)
        if len(members) - (type(None) in members) == 1 or all(one in _SCALARS for one in members):
            return Union[members]  # noqa: UP007 — they are known only now
    elif origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return tuple[_named(where, inner[0]), ...]  # type: ignore[misc]  # known only now
    elif origin in (dict, Mapping) and inner[0] is str:
        return dict[str, _named(where, inner[1])]  # type: ignore[misc]  # known only now
    raise TypeError(f"{where} is {hint}: such a value cannot be stored")


pack_usual = msgspec.msgpack.Encoder().encode
UNUSUAL: Final = (OverflowError, UnicodeEncodeError)
"""What it raises for integers over 64 bits and lone surrogates."""
_unpack = msgspec.msgpack.Decoder().decode

H = TypeVar("H")

_BYTES = "$bytes"
_PLAIN_VALUE = "$plain"
_AS_JSON = 0xC1
"""The only byte with which no MessagePack document begins marks what MessagePack cannot encode."""


def pack(value: Any) -> bytes:
    """The stored bytes; what is unusual has a slower form."""
    try:
        return pack_usual(value)
    except UNUSUAL:
        return bytes([_AS_JSON]) + json.dumps(to_json(value), separators=(",", ":")).encode("ascii")


def unpack(kept: bytes) -> Any:
    """The value; tuples have become lists."""
    return from_json(json.loads(kept[1:])) if kept[0] == _AS_JSON else _unpack(kept)


def peeker(head: type[H]) -> Callable[[bytes], H]:
    """A function that reads only the fields of a Struct from a stored object, which takes a tenth of the time."""
    decode = msgspec.msgpack.Decoder(head).decode
    return lambda kept: msgspec.convert(unpack(kept), head) if kept[0] == _AS_JSON else decode(kept)


def to_json(value: Any) -> Any:
    """The value without bytes: `{"$bytes": base64}` stands for them."""
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(named(value)).decode("ascii")}
    if isinstance(value, dict):
        members = {name: to_json(member) for name, member in value.items()}
        return {_PLAIN_VALUE: members} if _is_marked(members) else members
    return [to_json(member) for member in value] if isinstance(value, list | tuple) else value


def from_json(value: Any) -> Any:
    """The argument of `to_json`; ValueError if the marks are not valid."""
    if isinstance(value, list):
        return [from_json(member) for member in value]
    if not isinstance(value, dict):
        return value
    if not _is_marked(value):
        return {name: from_json(member) for name, member in value.items()}
    ((mark, inner),) = value.items()
    if mark == _BYTES and isinstance(inner, str):
        return base64.b64decode(inner, validate=True)
    if mark == _PLAIN_VALUE and isinstance(inner, dict):
        return {name: from_json(member) for name, member in inner.items()}
    raise ValueError(f"{mark} cannot hold {type(inner).__name__}")


def _is_marked(members: dict[str, Any]) -> bool:
    return len(members) == 1 and next(iter(members)) in (_BYTES, _PLAIN_VALUE)
