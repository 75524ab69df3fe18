"""A timeline as a sequence diagram (Mermaid; a picture, light or dark as the reader's system) and as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from mock_server.domain.instants import iso, iso_date
from mock_server.story import words
from mock_server.story.standing import Standing
from mock_server.story.words import RowKind, TimelineRow, Tone


class Participant(StrEnum):
    """The participants, from left to right."""

    HAND = "By hand"
    CODE = "Your code"
    SANDBOX = "Sandbox"
    CUSTOMER = "Customer"
    RECEIVER = "Your webhook"


class Arrow(NamedTuple):
    """A call, or an answer (`back`)."""

    at: int
    source: Participant
    target: Participant
    text: str
    tone: Tone = Tone.PLAIN
    back: bool = False


class Note(NamedTuple):
    """A text beside a lane: an event, a reason, a status."""

    at: int
    text: str
    tone: Tone = Tone.PLAIN
    is_reason: bool = False


class Divider(NamedTuple):
    """A day, or time that was advanced."""

    at: int
    text: str


Step = Arrow | Note | Divider
_CALLERS: Final = {
    RowKind.CALL: Participant.CODE,
    RowKind.BY_HAND: Participant.HAND,
    RowKind.PAGE: Participant.CUSTOMER,
}


def steps(rows: Sequence[TimelineRow]) -> Iterator[Step]:
    """The steps of the diagram, from top to bottom, each day's below the day."""
    status, day = None, ""
    for row in rows:
        if iso_date(row.at) != day:
            yield Divider(row.at, day := iso_date(row.at))
        yield from _of(row, row.status if row.status != status else None)
        status = row.status or status


def lanes(of: Sequence[Step]) -> list[Participant]:
    """The participants of these steps."""
    seen = {lane for step in of if isinstance(step, Arrow) for lane in (step.source, step.target)}
    return [lane for lane in Participant if lane in seen or lane in (Participant.CODE, Participant.SANDBOX)]


def _of(row: TimelineRow, news: str | None) -> Iterator[Step]:
    if row.is_call:
        yield from _call(row, news)
    elif row.kind is RowKind.WEBHOOK:
        yield from _webhook(row)
    elif row.kind is RowKind.CLOCK:
        yield Divider(row.at, words.title(row))
    else:
        says = f" → {words.plain(news)}" if news else ""
        yield Note(row.at, words.title(row) + says, words.tone(row) if row.status else Tone.PLAIN)


def _call(row: TimelineRow, news: str | None) -> Iterator[Step]:
    caller = _CALLERS[row.kind]
    yield Arrow(row.at, caller, Participant.SANDBOX, _asked(row))
    for reason in words.reasons(row):
        yield Note(row.at, reason.text, is_reason=True)
    yield Arrow(row.at, Participant.SANDBOX, caller, _answer(row, news), words.tone(row), back=True)


def _asked(row: TimelineRow) -> str:
    if row.kind is RowKind.CALL:
        return _ID.sub(r"\1…", words.title(row))
    return words.title(row).removeprefix("By hand: ").removeprefix("The customer ")


_ID: Final = re.compile(r"\b([a-z]+_)[A-Za-z0-9]{16,}")
"""One of our ids: the picture is about one payment, and has no room for them."""


def _answer(row: TimelineRow, news: str | None) -> str:
    fields = row.fields
    if fields["fault"]:
        return words.plain(str(fields["fault"]))
    said = fields["said"] or (words.plain(news or row.status) if row.status else "")
    return f"{fields['status']} {said}".rstrip()


def _webhook(row: TimelineRow) -> Iterator[Step]:
    fields, tone = row.fields, words.tone(row)
    again = f" (attempt {fields['number']})" if fields["number"] > 1 else ""
    yield Arrow(row.at, Participant.SANDBOX, Participant.RECEIVER, f"{fields['event_type']}{again}")
    came = fields["error"] or str(fields["status"])
    yield Arrow(row.at, Participant.RECEIVER, Participant.SANDBOX, came, tone, back=True)


_UNSAFE: Final = re.compile(r"[#;:<>\"`%{}|&\\]")
_LONGEST: Final = 100


def as_mermaid(rows: Sequence[TimelineRow]) -> str:
    """The diagram as Mermaid, with every special character escaped."""
    found = list(steps(rows))
    there = lanes(found)
    head = ["sequenceDiagram", *(f"    participant {lane.name} as {lane}" for lane in there)]
    lines = []
    for step in found:
        match step:
            case Arrow():
                tip = "x" if step.tone is Tone.BAD else ">>"
                start = f"{step.source.name}{'--' if step.back else '-'}{tip}{step.target.name}"
            case Divider():
                start = f"Note over {there[0].name},{there[-1].name}"
            case Note():
                start = f"Note right of {Participant.SANDBOX.name}"
        lines.append(f"    {start}: {escaped(step.text)}")
    return "\n".join([*head, *lines]) + "\n"


def escaped(text: str) -> str:
    """A text without anything that Mermaid would interpret."""
    line = _printable(text)
    cut = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};", cut) or " "


GUTTER: Final = 104
GAP: Final = 230
EDGE: Final = 150
TOP: Final = 56
LETTER: Final = 6.6
"""The approximate width of a letter, in pixels."""
_ROW: Final = {Arrow: 38, Note: 34, Divider: 40}
_NOTE_WIDTH: Final = 290

STYLE: Final = Path(__file__).with_name("diagram.css").read_text("utf-8")


def as_svg(rows: Sequence[TimelineRow]) -> str:
    """The diagram as an SVG document."""
    found = list(steps(rows))
    there = lanes(found)
    height = TOP + sum(_ROW[type(step)] for step in found) + 24
    width = GUTTER + GAP * (len(there) - 1) + 2 * EDGE - 60
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="seq" role="img" aria-label="Sequence of what happened" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"><style>{STYLE}</style>'
        f'<rect class="ground" width="{width}" height="{height}" rx="8"/>'
    )
    return "".join([head, *_svg_lanes(there, height), *_svg_steps(found, there, width), "</svg>"])


def _x(lane: Participant, there: Sequence[Participant]) -> int:
    return GUTTER + EDGE - 60 + GAP * there.index(lane)


def _svg_lanes(there: Sequence[Participant], height: int) -> Iterator[str]:
    for lane in there:
        x = _x(lane, there)
        yield f'<line class="lane" x1="{x}" x2="{x}" y1="42" y2="{height - 12}"/>'
        yield f'<rect class="box" x="{x - 62}" y="12" width="124" height="30" rx="6"/>'
        yield f'<text class="n m" x="{x}" y="32">{lane}</text>'


def _svg_steps(found: Sequence[Step], there: Sequence[Participant], width: int) -> Iterator[str]:
    y, shown = TOP, None
    for step in found:
        match step:
            case Arrow():
                yield _arrow(step, there, y + 28)
            case Note():
                yield _note(step, _x(Participant.SANDBOX, there), y + 6)
            case Divider():
                box = f'<rect x="{GUTTER - 4}" y="{y + 8}" width="{width - GUTTER - 10}" height="24" rx="4"/>'
                yield f'<g class="time">{box}{_text(step.text, (GUTTER + width) // 2, y + 8 + 16, 90)}</g>'
        if step.at != shown:
            yield f'<text class="q" x="14" y="{y + 24}">{iso(step.at)[11:23]}</text>'
        y, shown = y + _ROW[type(step)], step.at


def _arrow(step: Arrow, there: Sequence[Participant], y: int) -> str:
    start, end = _x(step.source, there), _x(step.target, there)
    way = 1 if end > start else -1
    tip = f"M{end} {y}l{-9 * way} -4.5v9z"
    kind = f"arrow {step.tone}{' back' if step.back else ''}"
    line = f'<line x1="{start}" x2="{end - 8 * way}" y1="{y}" y2="{y}"/><path d="{tip}"/>'
    room = int((abs(end - start) - 24) / LETTER)
    return f'<g class="{kind}">{line}{_text(step.text, (start + end) // 2, y - 7, room)}</g>'


def _note(step: Note, x: int, y: int) -> str:
    room = int((_NOTE_WIDTH - 20) / LETTER)
    width = int(min(_NOTE_WIDTH, len(step.text) * LETTER + 22))
    kind = "note why plain" if step.is_reason else f"note {step.tone}"
    box = f'<rect x="{x - width // 2}" y="{y}" width="{width}" height="24" rx="12"/>'
    return f'<g class="{kind}">{box}{_text(step.text, x, y + 16, room, "r" if step.is_reason else "")}</g>'


def _text(text: str, x: int, y: int, room: int, kind: str = "") -> str:
    """Text around a point; a text that is cut is complete in its tooltip."""
    line = _printable(text)
    cut = line if len(line) <= room else f"{line[: room - 1]}…"
    whole = f"<title>{escape(line)}</title>" if cut != line else ""
    return f'<text class="m {kind}" x="{x}" y="{y}">{escape(cut)}{whole}</text>'


def _printable(text: str) -> str:
    """A text as one line."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


MARGIN: Final = " " * 14
_PAINT: Final = {Tone.GOOD: "32", Tone.BAD: "31", Tone.WAIT: "33", Tone.PLAIN: "1"}
_FAINT: Final = "2"


def as_text(rows: Sequence[TimelineRow], colour: bool = False, stands: Standing | None = None) -> str:
    """One line a row, reasons and near misses below, the present state last; `colour` is for terminals."""
    end = [_painted(f"Now: {stands.headline}", _PAINT[stands.tone], colour)] if stands else []
    return "\n".join([*_text_lines(rows, colour), *end])


def _text_lines(rows: Sequence[TimelineRow], colour: bool) -> Iterator[str]:
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


def _head(row: TimelineRow, before: str | None, colour: bool) -> str:
    came = words.outcome(row)
    now = row.status
    tone = words.tone(row) if row.kind is not RowKind.CLOCK else Tone.PLAIN
    parts = [words.title(row), f"-> {came}" if came else "", f"[{now}]" if now and now != before else ""]
    return _painted(" ".join(filter(None, parts)), _PAINT[tone], colour)


def _painted(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
