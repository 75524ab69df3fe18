"""The reasons of a call's decisions, as one line of a header."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from mock_server.domain.outcomes import Reason

HEADER = "X-Sandbox-Because"
LONGEST = 512
_PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


def header_text(notes: Sequence[Reason]) -> str:
    """Reasons with semicolons between them: what is not printable ASCII is percent-encoded, a long text is cut.

    What decided nothing is left out.
    """
    if not notes:
        return ""
    text = "; ".join(note.text for note in notes if note.decided)
    if text.isascii() and text.isprintable() and "%" not in text:
        return text[:LONGEST]
    return quote(text, safe=_PRINTABLE)[:LONGEST]
