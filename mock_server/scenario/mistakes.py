"""What is wrong in a scenario, with its place: `file:line:column: what is wrong (did you mean …?)`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_SHOWN = 200
"""A file of nonsense need not be answered with a book (ours)."""


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

    @property
    def in_document(self) -> str:
        """The sentence without the file's name, as an answer about one document shows it."""
        return f"{self.place}{self.message}".strip()


class ScenarioErrors(Exception):
    """A scenario that cannot be used: every mistake in it at once, in the order of the file."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        found = sorted(set(mistakes))
        self.mistakes = tuple(found[:MOST_SHOWN])
        self.hidden = len(found) - len(self.mistakes)
        super().__init__("\n".join([*map(str, self.mistakes), *self._rest()]))

    def _rest(self) -> list[str]:
        return [f"and {self.hidden} more"] if self.hidden else []


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean …?)`, or nothing where no word is near."""
    import difflib  # only mistakes need it

    by_fold = {known.lower(): known for known in words}
    found = difflib.get_close_matches(word.lower(), list(by_fold), n=1, cutoff=0.6)
    return f" (did you mean {by_fold[found[0]]}?)" if found else ""
