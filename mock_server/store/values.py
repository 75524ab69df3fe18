"""Other values (log lines, stored answers, facts) as stored bytes, and as JSON in a dump.

A value is JSON-like, with bytes allowed anywhere; sealed records in it get names in a dump. Stored bytes
are one object that the garbage collector does not follow, however deep the value is, and a stored value cannot be
modified from outside.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from mock_server.store import records

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder().decode

H = TypeVar("H")

_BYTES = "$bytes"
_PLAIN = "$plain"
_AS_JSON = 0xC1
"""The only byte with which no MessagePack document begins marks what MessagePack cannot encode."""


def pack(value: Any) -> bytes:
    """The stored bytes; integers over 64 bits and lone surrogates use a slower form."""
    try:
        return _pack(value)
    except (OverflowError, UnicodeEncodeError):
        return bytes([_AS_JSON]) + json.dumps(to_json(value), separators=(",", ":")).encode("ascii")


def unpack(kept: bytes) -> Any:
    """The value; tuples have become lists."""
    if kept[0] == _AS_JSON:
        return from_json(json.loads(kept[1:]))
    return _unpack(kept)


def peeker(head: type[H]) -> Callable[[bytes], H]:
    """A function that reads only the fields of a Struct from a stored object, which takes a tenth of the time."""
    decode = msgspec.msgpack.Decoder(head).decode

    def peek(kept: bytes) -> H:
        return msgspec.convert(unpack(kept), head) if kept[0] == _AS_JSON else decode(kept)

    return peek


def to_json(value: Any) -> Any:
    """The value without bytes: `{"$bytes": base64}` stands for them."""
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(records.named(value)).decode("ascii")}
    if isinstance(value, dict):
        members = {name: to_json(member) for name, member in value.items()}
        return {_PLAIN: members} if _is_marked(members) else members
    if isinstance(value, list | tuple):
        return [to_json(member) for member in value]
    return value


def from_json(value: Any) -> Any:
    """The argument of `to_json`; ValueError if the marks are not valid."""
    if isinstance(value, list):
        return [from_json(member) for member in value]
    if not isinstance(value, dict):
        return value
    if not _is_marked(value):
        return {name: from_json(member) for name, member in value.items()}
    ((mark, inner),) = value.items()
    return _marked(mark, inner)


def _is_marked(members: dict[str, Any]) -> bool:
    return len(members) == 1 and next(iter(members)) in (_BYTES, _PLAIN)


def _marked(mark: str, inner: Any) -> Any:
    if mark == _BYTES and isinstance(inner, str):
        return base64.b64decode(inner, validate=True)
    if mark == _PLAIN and isinstance(inner, dict):
        return {name: from_json(member) for name, member in inner.items()}
    raise ValueError(f"{mark} cannot hold {type(inner).__name__}")
