"""The states of a pattern's automaton, and the signs and places that lead from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MOST_STATES: Final = 500
MOST_REPEATS: Final = 255
DEEPEST: Final = 30

Takes = Callable[[str], bool]
END: Final = -1


class PatternWrong(ValueError):
    """A pattern that cannot be read, or that asks for more than is offered."""


def _word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _not(takes: Takes) -> Takes:
    return lambda sign: not takes(sign)


CLASSES: Final[dict[str, Takes]] = {
    "d": str.isdecimal,
    "D": _not(str.isdecimal),
    "w": _word,
    "W": _not(_word),
    "s": str.isspace,
    "S": _not(str.isspace),
}
ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


def at_start(text: str, at: int) -> bool:
    return at == 0


def at_end(text: str, at: int) -> bool:
    return at == len(text) or (at == len(text) - 1 and text[at] == "\n")


def at_edge(text: str, at: int) -> bool:
    before = at > 0 and _word(text[at - 1])
    return before is not (at < len(text) and _word(text[at]))


def _always(text: str, at: int) -> bool:
    return True


Opens = Callable[[str, int], bool]


@dataclass(slots=True)
class State:
    """One state: either it reads a sign (`reads`), or it can be passed where `opens` allows."""

    next: tuple[int, ...]
    reads: Takes | None = None
    opens: Opens = _always

    def takes(self, sign: str) -> bool:
        """Whether this sign leads on."""
        return self.reads is not None and self.reads(sign)

    def is_open(self, text: str, at: int) -> bool:
        """Whether it can be passed here without reading."""
        return self.reads is None and self.opens(text, at)


def inside(text: str, at: int) -> bool:
    return not at_edge(text, at)


def at_very_end(text: str, at: int) -> bool:
    return at == len(text)
