"""A timeline as a sequence diagram of Mermaid, to paste where that is drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mock_server.story.rows import Row
from mock_server.story.sequence import Arrow, Divider, Lane, Note, Step, lanes, steps
from mock_server.story.words import Tone

_UNSAFE: Final = re.compile(r"[#;:<>\"`%{}|&\\]")
_LONGEST: Final = 100


def as_mermaid(rows: Sequence[Row]) -> str:
    """The diagram's text; what could be read as its grammar is escaped."""
    found = list(steps(rows))
    there = lanes(found)
    head = ["sequenceDiagram", *(f"    participant {lane.name} as {lane}" for lane in there)]
    return "\n".join([*head, *(f"    {_line(step, there)}" for step in found)]) + "\n"


def _line(step: Step, there: Sequence[Lane]) -> str:
    match step:
        case Arrow():
            head = "x" if step.tone is Tone.BAD else ">>"
            return f"{step.source.name}{'--' if step.back else '-'}{head}{step.target.name}: {escaped(step.text)}"
        case Divider():
            return f"Note over {there[0].name},{there[-1].name}: {escaped(step.text)}"
        case Note():
            return f"Note right of {Lane.SANDBOX.name}: {escaped(step.text)}"


def escaped(text: str) -> str:
    """Text that Mermaid shows and does not read."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    cut = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};", cut) or " "
