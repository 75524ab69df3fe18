"""The word that was probably meant by one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LONGEST: Final = 64
"""For a longer word nothing is guessed: each costs a millisecond, and much more for a long one."""


def guessed(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to one in any case, if one is near."""
    from difflib import get_close_matches  # only mistakes need it

    if len(word) > LONGEST:
        return None
    by_fold = {one.lower(): one for one in known}
    found = get_close_matches(word.lower(), sorted(by_fold), n=1)
    return by_fold[found[0]] if found else None


def hint(word: str, known: Iterable[str]) -> str:
    """` (did you mean …?)`, or nothing where no word is near."""
    guess = guessed(word, known)
    return f" (did you mean {guess}?)" if guess else ""
