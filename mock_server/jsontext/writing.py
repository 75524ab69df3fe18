"""Writing JSON: compact UTF-8 in the order given, and the form that compares two bodies (ours)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

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
    raise TypeError(f"{type(value).__name__} has no JSON form")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_encode_sorted = msgspec.json.Encoder(enc_hook=_plain, order="deterministic").encode
_NOTHING = _encode_sorted({})


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
