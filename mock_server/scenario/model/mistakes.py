"""Mistakes in a scenario, with their places: `file:line:column: what is wrong (did you mean …?)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from msgspec import Struct

from mock_server.guesses import hint

MOST_SHOWN = 200
"""Mistakes that are shown of one file (ours)."""
MEANT = {"never": "exactly", "not": "ne", "refund": "refunds.create", "fault": "connection"}
"""Words of other languages, or of another part of the file, and what they are here."""
MOST_GUESSES = 2 * MOST_SHOWN
"""Names of one file for which the nearest known one is searched: more than are shown; each takes a millisecond."""


@dataclass(slots=True)
class GuessBudget:
    """How many guesses are left for one file, and the guesses so far."""

    guesses: int = MOST_GUESSES
    known: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)


_READER: ContextVar[GuessBudget | None] = ContextVar("reader", default=None)


@contextmanager
def guessing_within_bounds() -> Iterator[GuessBudget]:
    """Within it, `nearest` searches for at most `MOST_GUESSES` names, and for none twice."""
    reader = GuessBudget()
    token = _READER.set(reader)
    try:
        yield reader
    finally:
        _READER.reset(token)


class Mistake(Struct, frozen=True, order=True):
    """One thing that is wrong (or, as a warning, useless); line and column count from 1, 0 where there is no text."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.place}{self.message}"

    @property
    def place(self) -> str:
        """`line:column: `, or a blank for a document that was never text."""
        return f"{self.line}:{self.column}: " if self.line else " "


class ScenarioErrors(Exception):
    """An invalid scenario, with all its mistakes, in the order of the file."""

    def __init__(self, mistakes: Iterable[Mistake], hidden: int = 0) -> None:
        found = sorted(set(mistakes))
        self.mistakes = tuple(found[:MOST_SHOWN])
        self.hidden = len(found) - len(self.mistakes) + hidden
        rest = [f"and {self.hidden} more"] if self.hidden else []
        super().__init__("\n".join([*map(str, self.mistakes), *rest]))


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean …?)`, or an empty text if no word is similar."""
    reader, known = _READER.get(), frozenset(words)
    word = MEANT[word] if MEANT.get(word) in known else word
    if reader is None:
        return hint(word, known)
    if not reader.guesses:
        return ""
    asked = (word, known)
    guess = reader.known.get(asked)
    if guess is None:
        reader.guesses -= 1
        guess = reader.known[asked] = hint(word, asked[1])
    return guess
