"""Patterns of `matches`, in time that grows with the text's length and never faster: RE2's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

LONGEST_TEXT: Final = 2_000
"""Longer texts are searched up to here (ours; the values of metadata have at most 500 characters)."""
LONGEST_PATTERN: Final = 500
MOST_MEMORY: Final = 1 << 20
"""Bytes that one pattern may take; `(a{99}){99}` would take more."""


class PatternWrong(ValueError):
    """A text is no pattern; the message says why."""


class Pattern(Struct, frozen=True):
    """A pattern that was found sound."""

    text: str
    compiled: Any

    def search(self, text: str) -> bool:
        """Whether the pattern stands somewhere in the text."""
        return self.compiled.search(_bytes(text[:LONGEST_TEXT])) is not None


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """The pattern of a text. PatternWrong (a ValueError) says what is wrong with it."""
    import re2

    if len(text) > LONGEST_PATTERN:
        raise PatternWrong(f"has {len(text)} characters; at most {LONGEST_PATTERN} are read")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    try:
        return Pattern(text, re2.compile(_bytes(text), options))
    except re2.error as wrong:
        said = wrong.args[0]
        raise PatternWrong(f"cannot be read: {said.decode() if isinstance(said, bytes) else said}") from None


def _bytes(text: str) -> bytes:
    """What RE2 reads; a lone surrogate, which only a header can hold, is nothing that a pattern could name."""
    return text.encode("utf-8", "replace")
