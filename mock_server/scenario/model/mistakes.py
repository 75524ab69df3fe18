"""What is wrong in a scenario, with its place: `file:line:column: what is wrong (did you mean …?)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from mock_server.guesses import hint

MOST_SHOWN = 200
"""A file of nonsense need not be answered with a book (ours)."""
MOST_GUESSES = 2 * MOST_SHOWN
"""Names that a nearest one is looked for while one file is read: more than are shown, and each costs a millisecond."""


@dataclass(slots=True)
class GuessBudget:
    """Who reads a file: how many guesses there are left, and what was guessed."""

    guesses: int = MOST_GUESSES
    known: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)


_READER: ContextVar[GuessBudget | None] = ContextVar("reader", default=None)


@contextmanager
def guessing_within_bounds() -> Iterator[GuessBudget]:
    """Within it, `nearest` looks for so many names, and for none twice."""
    reader = GuessBudget()
    token = _READER.set(reader)
    try:
        yield reader
    finally:
        _READER.reset(token)


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing that is wrong (or, as a warning, useless); line and column count from 1, 0 where there is no text."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.place}{self.message}"

    @property
    def place(self) -> str:
        """`line:column: `, or a blank for a document that never was text."""
        return f"{self.line}:{self.column}: " if self.line else " "


class ScenarioErrors(Exception):
    """A scenario that cannot be used: every mistake in it at once, in the order of the file."""

    def __init__(self, mistakes: Iterable[Mistake], hidden: int = 0) -> None:
        found = sorted(set(mistakes))
        self.mistakes = tuple(found[:MOST_SHOWN])
        self.hidden = len(found) - len(self.mistakes) + hidden
        rest = [f"and {self.hidden} more"] if self.hidden else []
        super().__init__("\n".join([*map(str, self.mistakes), *rest]))


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean …?)`, or nothing where no word is near."""
    reader = _READER.get()
    if reader is None:
        return hint(word, words)
    asked = (word, frozenset(words))
    guess = reader.known.get(asked)
    if guess is None and reader.guesses:
        reader.guesses -= 1
        guess = reader.known[asked] = hint(word, asked[1])
    return guess or ""
