"""A timeline as the steps of a sequence picture: who said what to whom, and what stood beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from mock_server.story import words
from mock_server.story.rows import Row, RowKind
from mock_server.story.words import Tone


class Lane(StrEnum):
    """Who takes part, from left to right."""

    HAND = "By hand"
    CODE = "Your code"
    SANDBOX = "Sandbox"
    CUSTOMER = "Customer"
    RECEIVER = "Your webhook"


class Arrow(NamedTuple):
    """Something said; `back` is an answer."""

    at: int
    source: Lane
    target: Lane
    text: str
    tone: Tone = Tone.PLAIN
    back: bool = False


class Note(NamedTuple):
    """Something beside a lane: an event, a reason, a status."""

    at: int
    text: str
    tone: Tone = Tone.PLAIN
    is_reason: bool = False


class Divider(NamedTuple):
    """Time that was advanced."""

    at: int
    text: str


Step = Arrow | Note | Divider
_CALLERS: Final = {RowKind.CALL: Lane.CODE, RowKind.BY_HAND: Lane.HAND, RowKind.PAGE: Lane.CUSTOMER}


def steps(rows: Sequence[Row]) -> Iterator[Step]:
    """The picture's steps, from top to bottom."""
    status: str | None = None
    for row in rows:
        yield from _of(row, row.status if row.status != status else None)
        status = row.status or status


def lanes(of: Sequence[Step]) -> list[Lane]:
    """Who takes part in these steps."""
    seen = {lane for step in of if isinstance(step, Arrow) for lane in (step.source, step.target)}
    return [lane for lane in Lane if lane in seen or lane in (Lane.CODE, Lane.SANDBOX)]


def _of(row: Row, news: str | None) -> Iterator[Step]:
    if row.is_call:
        yield from _call(row, news)
    elif row.kind is RowKind.WEBHOOK:
        yield from _webhook(row)
    elif row.kind is RowKind.CLOCK:
        yield Divider(row.at, words.title(row))
    else:
        says = f" → {words.plain(news)}" if news else ""
        yield Note(row.at, words.title(row) + says, words.tone(row) if row.status else Tone.PLAIN)


def _call(row: Row, news: str | None) -> Iterator[Step]:
    caller = _CALLERS[row.kind]
    yield Arrow(row.at, caller, Lane.SANDBOX, _asked(row))
    for reason in words.reasons(row):
        yield Note(row.at, reason.text, is_reason=True)
    yield Arrow(row.at, Lane.SANDBOX, caller, _answer(row, news), words.tone(row), back=True)


def _asked(row: Row) -> str:
    match row.kind:
        case RowKind.BY_HAND:
            return words.title(row).removeprefix("By hand: ")
        case RowKind.PAGE:
            return words.title(row).removeprefix("The customer ")
        case _:
            return _ID.sub(r"\1…", words.title(row))


_ID: Final = re.compile(r"\b([a-z]+_)[A-Za-z0-9]{16,}")
"""An id of ours: the picture is of one payment, and has no room for it."""


def _answer(row: Row, news: str | None) -> str:
    fields = row.fields
    if fields["fault"]:
        return words.plain(str(fields["fault"]))
    said = fields["said"] or (words.plain(news or row.status) if row.status else "")
    return f"{fields['status']} {said}".rstrip()


def _webhook(row: Row) -> Iterator[Step]:
    fields, tone = row.fields, words.tone(row)
    again = f" (attempt {fields['number']})" if fields["number"] > 1 else ""
    yield Arrow(row.at, Lane.SANDBOX, Lane.RECEIVER, f"{fields['event_type']}{again}")
    yield Arrow(row.at, Lane.RECEIVER, Lane.SANDBOX, fields["error"] or str(fields["status"]), tone, back=True)
