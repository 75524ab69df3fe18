"""The answers of the journal's lines.

Most answers show a payment and nothing else. Of those a line shares the payment's record with the store, a fifth of
the text, and the text is written anew when somebody reads the line: the same record gives the same bytes.
"""

from __future__ import annotations

from typing import Any

from mock_server.dialects import Dialect
from mock_server.engine.kinds import PAYMENTS
from mock_server.shapes.answers import payment as payments
from mock_server.store.protocol import Entry
from mock_server.store.records import decode


def whole(entry: Entry, dialect: Dialect) -> dict[str, Any]:
    """A line with the answer's text in it."""
    line: dict[str, Any] = entry.value
    if entry.beside is None:
        return line
    return {**line, "response": payments.bare(decode(PAYMENTS, entry.beside), dialect)}
