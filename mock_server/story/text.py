"""A timeline as text for a terminal or a test's report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mock_server.domain.instants import iso
from mock_server.story import words
from mock_server.story.rows import Row, RowKind
from mock_server.story.standing import Standing
from mock_server.story.words import Tone

MARGIN: Final = " " * 14
_PAINT: Final = {Tone.GOOD: "32", Tone.BAD: "31", Tone.WAIT: "33", Tone.PLAIN: "1"}
_FAINT: Final = "2"


def as_text(rows: Sequence[Row], colour: bool = False, stands: Standing | None = None) -> str:
    """The rows, one a line, each with its reasons and near misses below; `colour` for terminals that have it.

    The last line says how the payment stands after it all.
    """
    end = [_painted(f"Now: {stands.headline}", _PAINT[stands.tone], colour)] if stands else []
    return "\n".join([*_lines(rows, colour), *end])


def _lines(rows: Sequence[Row], colour: bool) -> Iterator[str]:
    day, status = "", None
    for row in rows:
        at = iso(row.at)
        if at[:10] != day:
            day = at[:10]
            yield _painted(day, _FAINT, colour)
        yield f"{_painted(at[11:23], _FAINT, colour)}  {_head(row, status, colour)}"
        status = row.status or status
        for reason in words.reasons(row):
            yield f"{MARGIN}because {reason.text}"
            yield from (_painted(f"{MARGIN}  not {rule}: {failed}", _FAINT, colour) for rule, failed in reason.near)


def _head(row: Row, before: str | None, colour: bool) -> str:
    came = words.outcome(row)
    now = row.status
    tone = words.tone(row) if row.kind is not RowKind.CLOCK else Tone.PLAIN
    parts = [words.title(row), f"-> {came}" if came else "", f"[{now}]" if now and now != before else ""]
    return _painted(" ".join(filter(None, parts)), _PAINT[tone], colour)


def _painted(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
