"""Mistakes in a scenario, with their places: `file:line:column: what is wrong (did you mean …?)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct

from mock_server.guesses import hint

MOST_SHOWN = 200
"""Mistakes that are shown of one file (ours)."""
MEANT = {"never": "exactly", "not": "ne", "refund": "refunds.create", "fault": "connection"}
"""Words of other languages, or of another part of the file, and what they are here."""
MOST_GUESSES = 2 * MOST_SHOWN
"""Names of one file for which the nearest known one is searched: more than are shown; each takes a millisecond."""


Guesses = dict[tuple[str, frozenset[str]], str]
_GUESSES: ContextVar[Guesses] = ContextVar("guesses")
"""The guesses so far for one file: by the name and the known ones."""
IS_KEPT: ContextVar[bool] = ContextVar("is_kept", default=False)
"""Whether a text is read that an earlier version may have kept: what was no mistake then is none now."""


@contextmanager
def guessing_within_bounds() -> Iterator[Guesses]:
    """Within it, `nearest` searches for at most `MOST_GUESSES` names, and for none twice."""
    guesses: Guesses = {}
    token = _GUESSES.set(guesses)
    try:
        yield guesses
    finally:
        _GUESSES.reset(token)


class Mistake(Struct, frozen=True, order=True):
    """One thing that is wrong (or, as a warning, useless); line and column count from 1, 0 where there is no text."""

    file: str
    line: int
    column: int
    message: str
    way: str = ""  # to it, such as `then.decline`, in a document that was never text

    def __str__(self) -> str:
        return f"{self.file}:{self.place}{self.message}{self.way and f' (at {self.way})'}"

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


def nearest(word: object, words: Iterable[str]) -> str:
    """` (did you mean …?)`, or an empty text if no word is similar, or it is no text."""
    if not isinstance(word, str):
        return ""
    guesses, known = _GUESSES.get({}), frozenset(words)
    word = MEANT[word] if MEANT.get(word) in known else word
    if (word, known) not in guesses and len(guesses) < MOST_GUESSES:
        guesses[word, known] = hint(word, known)
    return guesses.get((word, known), "")
