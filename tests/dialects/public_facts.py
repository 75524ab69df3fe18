"""What the public API says of errors and words (public_errors.txt): each text with its code, and lists of words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

TABLE: Final = Path(__file__).with_name("public_errors.txt")


class Said(NamedTuple):
    """One text of the public API; `status` is None where a processor's own is sent."""

    code: str
    status: int | None
    text: str


@cache
def _parts() -> list[list[str]]:
    parts = re.split(r"^# .*\n\n", TABLE.read_text(), flags=re.MULTILINE)[-3:]
    return [part.strip().splitlines() for part in parts]


@cache
def errors() -> tuple[Said, ...]:
    """Every text, in the order of the table."""
    rows = (row.split(" ", 2) for row in _parts()[0])
    return tuple(Said(code, None if status == "-" else int(status), text) for code, status, text in rows)


@cache
def reasons() -> tuple[str, ...]:
    """The reasons for which a mandate is refused."""
    return tuple(_parts()[1])


@cache
def words(name: str) -> tuple[str, ...]:
    """The words of a list, in their order."""
    (found,) = (row for row in _parts()[2] if row.startswith(f"{name}: "))
    return tuple(found.partition(": ")[2].split(" "))


def pattern(text: str) -> str:
    """A text with anything in the place of its values."""
    return ".+".join(map(re.escape, re.split(r"\{[^}]*\}", text)))


def same(one: str, other: str) -> bool:
    """Whether two texts are the same where either may have values filled in."""
    pairs = ((one, other), (other, one))
    return one == other or any(re.fullmatch(pattern(first), second, re.DOTALL) for first, second in pairs)


def has(code: str, status: int, text: str) -> bool:
    """Whether the table has a text, with this code and status."""
    return any(row.code == code and row.status in (status, None) and same(row.text, text) for row in errors())
