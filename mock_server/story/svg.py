"""A timeline as a picture: lanes for who takes part, arrows for what was said, light or dark as the reader has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from mock_server.domain.instants import iso
from mock_server.story.rows import Row
from mock_server.story.sequence import Arrow, Divider, Lane, Note, Step, lanes, steps

GUTTER: Final = 104
GAP: Final = 230
EDGE: Final = 150
TOP: Final = 56
LETTER: Final = 6.6
"""About how wide a letter is at this size of print, in pixels."""
_ROW: Final = {Arrow: 38, Note: 34, Divider: 40}
_NOTE_WIDTH: Final = 290

STYLE: Final = (
    ".seq{--p:#fff;--i:#17202c;--q:#56616f;--l:#c3cbd6;--s:#eef1f5;--good:#0b6b3a;--bad:#a8201a;--wait:#7a5200}"
    "@media(prefers-color-scheme:dark){.seq{--p:#1a212b;--i:#e9edf2;--q:#a5b0bd;--l:#465362;--s:#242d39;"
    "--good:#4cc38a;--bad:#ff8f88;--wait:#f0c36a}}"
    ".seq text{font:12px system-ui,sans-serif;fill:var(--i)}.seq .q{fill:var(--q);font-size:11px}"
    ".seq .n{font-weight:650;font-size:13px}.seq .m{text-anchor:middle}.seq .r{font-style:italic}"
    ".seq .ground{fill:var(--p)}.seq .lane{stroke:var(--l);stroke-dasharray:2 4}"
    ".seq .box{fill:var(--s);stroke:var(--l)}"
    ".seq .plain{--c:var(--i)}.seq .good{--c:var(--good)}.seq .bad{--c:var(--bad)}.seq .wait{--c:var(--wait)}"
    ".seq .arrow line{stroke:var(--c);stroke-width:1.6}.seq .back line{stroke-dasharray:5 4}"
    ".seq .arrow path,.seq .arrow text,.seq .note text{fill:var(--c)}.seq .note rect{fill:var(--s);stroke:var(--c)}"
    ".seq .why rect{stroke:none}.seq .time rect{fill:var(--s)}"
)
"""The picture's colours; a page that shows it names this text's digest in its policy."""


def as_svg(rows: Sequence[Row]) -> str:
    """The picture as a document of its own."""
    found = list(steps(rows))
    there = lanes(found)
    height = TOP + sum(_ROW[type(step)] for step in found) + 24
    width = GUTTER + GAP * (len(there) - 1) + 2 * EDGE - 60
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="seq" role="img" aria-label="Sequence of what happened" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"><style>{STYLE}</style>'
        f'<rect class="ground" width="{width}" height="{height}" rx="8"/>'
    )
    return "".join([head, *_lanes(there, height), *_steps(found, there, width), "</svg>"])


def _x(lane: Lane, there: Sequence[Lane]) -> int:
    return GUTTER + EDGE - 60 + GAP * there.index(lane)


def _lanes(there: Sequence[Lane], height: int) -> Iterator[str]:
    for lane in there:
        x = _x(lane, there)
        yield f'<line class="lane" x1="{x}" x2="{x}" y1="42" y2="{height - 12}"/>'
        yield f'<rect class="box" x="{x - 62}" y="12" width="124" height="30" rx="6"/>'
        yield f'<text class="n m" x="{x}" y="32">{lane}</text>'


def _steps(found: Sequence[Step], there: Sequence[Lane], width: int) -> Iterator[str]:
    y, shown = TOP, ""
    for step in found:
        at = iso(step.at)[11:23]
        if at != shown:
            yield f'<text class="q" x="14" y="{y + 24}">{at}</text>'
            shown = at
        match step:
            case Arrow():
                yield _arrow(step, there, y + 28)
            case Note():
                yield _note(step, _x(Lane.SANDBOX, there), y + 6)
            case Divider():
                yield _divider(step, width, y + 8)
        y += _ROW[type(step)]


def _arrow(step: Arrow, there: Sequence[Lane], y: int) -> str:
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


def _divider(step: Divider, width: int, y: int) -> str:
    box = f'<rect x="{GUTTER - 4}" y="{y}" width="{width - GUTTER - 10}" height="24" rx="4"/>'
    return f'<g class="time">{box}{_text(step.text, (GUTTER + width) // 2, y + 16, 90)}</g>'


def _text(text: str, x: int, y: int, room: int, kind: str = "") -> str:
    """Text around a point; what has no room stands in its tooltip."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    cut = line if len(line) <= room else f"{line[: room - 1]}…"
    whole = f"<title>{escape(line)}</title>" if cut != line else ""
    return f'<text class="m {kind}" x="{x}" y="{y}">{escape(cut)}{whole}</text>'
