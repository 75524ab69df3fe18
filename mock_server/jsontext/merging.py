"""Putting pairs into an object that is kept as JSON text, without reading the values that stay (ours)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from mock_server.jsontext.javascript import keys_in_order
from mock_server.jsontext.writing import Raw, dump

_pieces = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def merged(text: str, pairs: Mapping[str, str]) -> str:
    """The object with these pairs put in, each value as JSON text, keys in the order of JavaScript."""
    pieces = {**_pieces(text), **{key: Raw(value) for key, value in pairs.items()}}
    return dump({key: pieces[key] for key in keys_in_order(pieces)}).decode()


def count(text: str) -> int:
    """How many pairs an object has that is kept as JSON text."""
    return len(_pieces(text))
