"""The word that was probably meant by an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LONGEST: Final = 64
"""Nothing is guessed for a longer word: a guess takes a millisecond, and much more for a long word."""


def guessed(word: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The known word that is most similar, in any case; None if none is similar, at least so much."""
    from difflib import get_close_matches  # only mistakes need it

    if len(word) > LONGEST:
        return None
    by_fold = {name.lower(): name for name in known}
    similar = get_close_matches(word.lower(), sorted(by_fold), 1, alike)
    return by_fold[similar[0]] if similar else None


def hint(word: str, known: Iterable[str]) -> str:
    """` (did you mean …?)`, or nothing if no word is similar."""
    guess = guessed(word, known)
    return f" (did you mean {guess}?)" if guess else ""
