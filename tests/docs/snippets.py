"""The code blocks of the docs, as programs that can be run.

A `console` block holds commands after `$ ` (a command goes on while its quotes are open or its line ends in a
backslash) and below each what it prints; `…` stands for anything, and spaces and line ends count for nothing.
A `python` block is a program. `<!-- not run: reason -->` on the line above leaves a block out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BLOCK: Final = re.compile(
    r"^(?:<!-- not run: (?P<left_out>[^\n]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
RUN: Final = ("console", "python")
SHELLS: Final = ("console", "sh", "bash", "shell")


@dataclass(frozen=True)
class Block:
    """One code block with the line it begins on."""

    language: str
    text: str
    line: int
    left_out: str | None = None


@dataclass(frozen=True)
class Command:
    """A command line and what it must print; None where nothing is said about that."""

    text: str
    printed: str | None


def blocks(document: str) -> Iterator[Block]:
    for found in BLOCK.finditer(document):
        line = document.count("\n", 0, found.start("text"))
        yield Block(found["language"], found["text"], line, found["left_out"])


def commands(block: Block) -> Iterator[Command]:
    if block.language == "python":
        yield Command(f"python - <<'END OF PROGRAM'\n{block.text}END OF PROGRAM", None)
        return
    lines = block.text.splitlines()
    while lines:
        text = lines.pop(0).removeprefix("$ ")
        while lines and _goes_on(text):
            text += "\n" + lines.pop(0)
        printed = []
        while lines and not lines[0].startswith("$ "):
            printed.append(lines.pop(0))
        yield Command(text, "\n".join(printed) or None)


def _goes_on(text: str) -> bool:
    return text.endswith("\\") or text.count("'") % 2 == 1


def matches(expected: str, printed: str) -> bool:
    """Whether this is what was expected: `…` is anything, white space is nothing."""
    parts = (re.escape("".join(part.split())) for part in expected.split("…"))
    return re.fullmatch(".*".join(parts), "".join(printed.split()), re.DOTALL) is not None


def documents(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
