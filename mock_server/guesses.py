"""The word that was probably meant by an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LONGEST: Final = 64
"""Nothing is guessed for a longer word: a guess takes a millisecond, and much more for a long word."""


def guessed(word: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The known word that is most similar, in any case; None if none is similar, at least so much, or two equally."""
    import difflib  # only mistakes need it

    if len(word) > LONGEST:
        return None
    sent, by_fold = word.lower(), {name.lower(): name for name in known}
    ranks: dict[tuple[float, bool], str] = {}  # of two that are as similar, the one with the same letters is first
    for name in difflib.get_close_matches(sent, by_fold, len(by_fold) + 1, alike):
        rank = difflib.SequenceMatcher(None, name, sent).ratio(), sorted(name) == sorted(sent)
        ranks[rank] = "" if rank in ranks else name
    best, name = max(ranks.items(), default=((0.0, False), ""))
    is_like = max(best) >= 0.75 or name[:1] == sent[:1] or sent in name or name in sent
    return by_fold.get(name) if is_like else None


def hint(word: str, known: Iterable[str], begins: str = "") -> str:
    """` (did you mean …?)`, or nothing if no word is similar; that all begin with `begins` makes none similar."""
    guess = guessed(word.removeprefix(begins), (name.removeprefix(begins) for name in known))
    return f" (did you mean {begins}{guess}?)" if guess else ""
