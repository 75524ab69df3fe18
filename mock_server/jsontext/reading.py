"""Reading JSON strictly and fast: what two readers could understand differently is refused (ours)."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from mock_server.jsontext.limits import MAX_DEPTH, MAX_INTEGER, JsonMistake

_decode = msgspec.json.Decoder().decode
_QUOTE_THEN_COLON = re.compile(rb'"[ \t\r\n]*:')
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"([ \t\r\n]*:)?')


def parse(raw: bytes) -> object:
    """Read one JSON document of UTF-8 bytes.

    Raises `JsonMistake` for everything malformed, and beyond RFC 8259 for a byte order mark, doubled keys at
    any depth, lone surrogates, integers beyond ±(2^53−1), floats out of range and over `MAX_DEPTH` levels.
    """
    try:
        value = _decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as refusal:
        raise _mistake(raw, refusal) from None
    keys = _sound_keys(value)
    if keys < 0 or not _each_key_once(raw, keys):
        raise _mistake(raw, None)
    return value


def _mistake(raw: bytes, refusal: Exception | None) -> JsonMistake:
    # Late: most runs of the server never see a broken text.
    from mock_server.jsontext.mistakes import find_mistake

    return find_mistake(raw, refusal)


def _sound_keys(value: object) -> int:
    """Count the keys at every level, or answer -1 where the value is too deep or an integer too large."""
    keys = 0
    depth = -1
    level: list[Any] = [[value]]
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return -1
        below = []
        for box in level:
            if type(box) is dict:
                keys += len(box)
                box = box.values()
            for item in box:
                kind = type(item)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    below.append(item)
                elif kind is int and not -MAX_INTEGER <= item <= MAX_INTEGER:
                    return -1
        level = below
    return keys


def _each_key_once(raw: bytes, keys: int) -> bool:
    """Whether the text holds no more keys than the value: the decoder keeps the last of two equal ones.

    Cheapest first. Every key has its colon, and the first three figures are never below the number of keys in
    the text, so equality settles it; only the last one is exact.
    """
    colons = raw.count(b":")
    return (
        colons == keys
        or colons - raw.count(b"://") == keys
        or len(_QUOTE_THEN_COLON.findall(raw)) == keys
        or sum(map(bool, _STRINGS.findall(raw))) == keys
    )
