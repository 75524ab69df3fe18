"""Writing JSON (ours): compact UTF-8 in the given order, a form to compare two bodies, and the form of JavaScript.

The last is exactly what `JSON.stringify(JSON.parse(text))` would write, so a receiver in JavaScript can verify a
signature of the text that it serialized again (decisions: "JSON bytes").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from mock_server.jsontext.reading import MAX_INTEGER

Raw = msgspec.Raw
"""JSON text that is written without parsing."""


def _plain(value: object) -> object:
    """Converts types that the encoder does not support: numbers with a unit, read-only mappings, other sequences."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


dump = msgspec.json.Encoder(enc_hook=_plain).encode
"""A value as compact JSON, keys in the given order; `Raw` fragments are copied."""
_encode_sorted = msgspec.json.Encoder(enc_hook=_plain, order="deterministic").encode
_encode_plainly = msgspec.json.Encoder().encode
_FIRST_NON_INDEX = 2**32 - 1
_pieces = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def same(value: object) -> bytes:
    """Equal bytes for equal bodies.

    The order of keys does not matter, `1` and `1.0` differ; no body, `{}` and `null` are equal (ours, for idempotency).
    """
    return b"{}" if value is None else _encode_sorted(value)


def canonical(value: object) -> str:
    """A parsed value (dict, list, str, int, float, bool, None) as JavaScript would write it."""
    return _encode_plainly(value if _is_plain(value) else _reshaped(value)).decode()


def _is_plain(value: Any) -> bool:
    """Whether the encoder's own text is already JavaScript's."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return bool(-MAX_INTEGER <= value <= MAX_INTEGER)
    if kind is dict:
        return all(not key[:1].isdigit() and _is_plain(item) for key, item in value.items())
    return kind is list and all(map(_is_plain, value))


def _reshaped(value: object) -> object:
    """A value with the order and the numbers of JavaScript, for the encoder."""
    if isinstance(value, dict):
        return {key: _reshaped(value[key]) for key in keys_in_order(value)}
    if isinstance(value, list | tuple):
        return [_reshaped(item) for item in value]
    if isinstance(value, float):
        return Raw(number_text(value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_INTEGER:
        return Raw(number_text(float(value)))
    return value


def keys_in_order(mapping: Mapping[str, object]) -> list[str]:
    """The keys in JavaScript's order: array indices in ascending order, then the others as sent."""
    indices = sorted((key for key in mapping if _is_index(key)), key=int)
    return indices + [key for key in mapping if not _is_index(key)] if indices else list(mapping)


def _is_index(key: str) -> bool:
    is_number = key.isascii() and key.isdigit() and len(key) <= 10
    return is_number and str(int(key)) == key and int(key) < _FIRST_NON_INDEX


def number_text(number: float) -> str:
    """A finite double as JavaScript's `String(number)` (ECMAScript, Number::toString)."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    written = whole + fraction.rstrip("0")
    digits = written.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(written) - len(digits))
    return sign + _placed(digits.rstrip("0"), point)


def _placed(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    fraction = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def merged(text: str, pairs: Mapping[str, str]) -> str:
    """The object with these pairs added, each value as JSON text, keys in the order of JavaScript."""
    pieces = {**_pieces(text), **{key: Raw(value) for key, value in pairs.items()}}
    return dump({key: pieces[key] for key in keys_in_order(pieces)}).decode()


def count(text: str) -> int:
    """The number of pairs of an object that is JSON text."""
    return len(_pieces(text))
