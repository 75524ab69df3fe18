"""JSON text in and out: strict reading, compact writing, JavaScript's form, and sameness (ours)."""

from __future__ import annotations

from mock_server.jsontext.piecewise import Breathe, Packed, parse_piecewise
from mock_server.jsontext.reading import LARGEST_WRITTEN, MAX_DEPTH, MAX_INTEGER, JsonMistake, leaves, parse, read_or
from mock_server.jsontext.writing import Raw, canonical, count, dump, merged, same

__all__ = [
    "LARGEST_WRITTEN", "MAX_DEPTH", "MAX_INTEGER", "Breathe", "JsonMistake", "Packed", "Raw", "canonical", "count",
    "dump", "leaves", "merged", "parse", "parse_piecewise", "read_or", "same",
]  # fmt: skip
