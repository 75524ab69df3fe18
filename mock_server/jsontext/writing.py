"""Writing JSON (ours): compact UTF-8 in the order given, the form that compares two bodies, and the form of JavaScript.

That one is exactly what `JSON.stringify(JSON.parse(text))` would write, so a receiver in JavaScript may check a
signature over the text it re-serialised (decisions: "JSON bytes").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from mock_server.jsontext.reading import MAX_INTEGER

Raw = msgspec.Raw
"""JSON text that goes into an answer as it stands."""


def _plain(value: object) -> object:
    """Open what the encoder does not know: numbers with a unit, read-only mappings and other sequences."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_encode_sorted = msgspec.json.Encoder(enc_hook=_plain, order="deterministic").encode
_NOTHING = _encode_sorted({})
_encode_plainly = msgspec.json.Encoder().encode
_FIRST_NON_INDEX = 2**32 - 1
_pieces = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def dump(value: object) -> bytes:
    """Write a value compactly, keys in the order given; `Raw` fragments are taken as they are."""
    return _encode(value)


def raw(text: str) -> Raw:
    """Make a fragment for `dump` of a value that is kept as JSON text."""
    return Raw(text)


def same(value: object) -> bytes:
    """Give equal bytes for bodies that say the same.

    Key order is free at every depth, `1` and `1.0` differ; no body, `{}` and `null` are one (ours, for
    idempotency).
    """
    return _NOTHING if value is None else _encode_sorted(value)


def canonical(value: object) -> str:
    """Write a parsed value (dict, list, str, int, float, bool, None) as JavaScript would."""
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
    if kind is list:
        return all(map(_is_plain, value))
    return False


def _reshaped(value: object) -> object:
    """Put a value into the order and the numbers of JavaScript, ready for the encoder."""
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
    """Give the keys in the order JavaScript walks them: array indices rising, then the others as sent."""
    indices = sorted((key for key in mapping if _is_index(key)), key=int)
    return indices + [key for key in mapping if not _is_index(key)] if indices else list(mapping)


def _is_index(key: str) -> bool:
    if not (key.isascii() and key.isdigit()) or len(key) > 10:
        return False
    return str(int(key)) == key and int(key) < _FIRST_NON_INDEX


def number_text(number: float) -> str:
    """Write a finite double as JavaScript's `String(number)` does (ECMAScript, Number::toString)."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    digits, point = _shortest(abs(number))
    return sign + _placed(digits, point)


def _shortest(number: float) -> tuple[str, int]:
    """Split a positive double into its shortest digits and the place of the point among them."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    return digits.rstrip("0"), point


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
    """The object with these pairs put in, each value as JSON text, keys in the order of JavaScript."""
    pieces = {**_pieces(text), **{key: Raw(value) for key, value in pairs.items()}}
    return dump({key: pieces[key] for key in keys_in_order(pieces)}).decode()


def count(text: str) -> int:
    """How many pairs an object has that is kept as JSON text."""
    return len(_pieces(text))
