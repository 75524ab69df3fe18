"""Every way to write a path: some mean the plain one, some are refused. Seeded, so a failure names what to repeat."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

Spell = Callable[[str, Random], str]


def _segments(path: str) -> list[str]:
    return path.split("/")[1:]


def _slashes(path: str, draw: Random) -> str:
    parts = _segments(path)
    at = draw.randrange(len(parts))
    return "".join("/" * (draw.randint(2, 4) if number == at else 1) + part for number, part in enumerate(parts))


def _trailing(path: str, draw: Random) -> str:
    return path + "/" * draw.randint(1, 3)


def _encoded(path: str, draw: Random) -> str:
    """Some plain characters as percent and two digits, of either case."""
    text = "%{:02x}" if draw.random() < 0.5 else "%{:02X}"
    share = draw.choice((0.1, 0.5, 1.0))
    drawn = [text.format(ord(sign)) if sign != "/" and draw.random() < share else sign for sign in path]
    plain = [at for at, sign in enumerate(drawn) if len(sign) == 1 and sign != "/"]
    if plain and len(plain) == len(path.replace("/", "")):
        drawn[plain[0]] = text.format(ord(drawn[plain[0]]))
    return "".join(drawn)


def _absolute(path: str, draw: Random) -> str:
    return f"{draw.choice(('http', 'HTTP', 'https'))}://HOST{path}"


def _together(path: str, draw: Random) -> str:
    return _absolute(_slashes(_trailing(_encoded(path, draw), draw), draw), draw)


SAME: Final[dict[str, Spell]] = {
    "doubled slashes": _slashes,
    "trailing slashes": _trailing,
    "encoded characters": _encoded,
    "the absolute form": _absolute,
    "all of them": _together,
}
"""What means the plain path. `HOST` in an absolute one stands for the host of the call."""


def _with(*parts: str) -> Spell:
    """A segment more, anywhere."""

    def spell(path: str, draw: Random) -> str:
        segments = _segments(path)
        segments.insert(draw.randint(0, len(segments)), draw.choice(parts))
        return "/" + "/".join(segments)

    return spell


def _within(*signs: str) -> Spell:
    """Signs more, anywhere behind the first slash."""

    def spell(path: str, draw: Random) -> str:
        at = draw.randint(1, len(path))
        return path[:at] + draw.choice(signs) + path[at:]

    return spell


REFUSED: Final[dict[str, Spell]] = {
    "dot segments": _with(".", "..", "%2e", "%2E%2e", ".%2e"),
    "encoded slashes": _within("%2f", "%2F"),
    "semicolons": _within(";", ";a=b", "%3b", "%3B"),
    "NUL": _within("%00"),
}
"""What is refused before anything looks at it."""
