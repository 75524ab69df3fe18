"""A document that is cut or damaged anywhere is read alike, in pieces of every size; and none is read on in vain."""

from __future__ import annotations

import random
import sys
import tracemalloc
from typing import Final

import pytest

from mock_server import jsontext
from mock_server.jsontext import piecewise
from tests.counts import times
from tests.jsontext.test_piecewise import read

NUMBERS: Final = (
    "0.5",
    "1e5",
    "1.5E+3",
    "-0",
    "-12.25e-2",
    "9007199254740993.5",
    "1" * 400 + ".5e-390",
    "0." + "0" * 40 + "1",
)
WORDS: Final = (*NUMBERS, "12", "true", "false", "null", '""', '"é\\ud83d\\ude00\\n😀"', '"\\u00e9"', "[]", "{}")
DAMAGE: Final = (
    *'{}[],:"\\ \n-.eEux019',
    "NaN",
    "-Infinity",
    "\\ud83d",
    "\x01",
    "99999999999999999999",
    "1e999.5",
    "tru",
    '"a":1,"a":2',
    "",
)


def sample(dice: random.Random, depth: int = 0) -> str:
    """A document's text, with every form of a number."""
    kind = dice.randrange(4) if depth < 6 else 3
    if kind == 3 and depth:
        return dice.choice(WORDS)
    inner = [sample(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 0:
        return f"[{', '.join(inner)}]"
    names = dice.sample(("rows", "a", "é", "long name", "b"), len(inner))
    return "{" + ",\n ".join(f'"{name}": {one}' for name, one in zip(names, inner, strict=True)) + "}"


def damaged(dice: random.Random) -> str:
    """A document as it is, cut, or with something put in the place of a few signs."""
    text = sample(dice)
    at = dice.randrange(len(text) + 1)
    how = dice.randrange(3)
    return (
        text
        if how == 0
        else text[:at]
        if how == 1
        else text[:at] + dice.choice(DAMAGE) + text[at + dice.randrange(4) :]
    )


def outcome(raw: bytes) -> object:
    """What is read, or what is wrong and where."""
    try:
        return read(raw)
    except jsontext.JsonMistake as mistake:
        return mistake.reason, mistake.line, mistake.column


def test_a_document_cut_or_damaged_anywhere_is_read_alike_in_pieces_of_every_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dice = random.Random(42)
    for _ in range(times(300, soak=30_000)):
        raw = damaged(dice).encode()
        try:
            wanted = jsontext.parse(raw)
        except jsontext.JsonMistake:
            wanted = None
        monkeypatch.setattr(piecewise, "WINDOW", 262_144)
        whole = outcome(raw)
        assert isinstance(whole, tuple) if wanted is None else whole == wanted, raw
        for size in (1, 2, 7, 30):
            monkeypatch.setattr(piecewise, "WINDOW", size)
            assert outcome(raw) == whole, (size, raw)


FILLS: Final = {
    "x": (b"", b"x", 0.3),
    "a string": (b'"', b"x", 4),
    "arrays": (b"", b"[", 0.5),
    "objects": (b"", b'{"a":', 0.5),
    "a number": (b"", b"1", 4),
    "an array": (b"[1", b",1", 6),
    "a literal": (b"", b"truefalse", 0.3),
    "an array and a mistake": (b"[x", b",1", 0.3),
    "an item that is wrong": (b'{"rows":[x', b",1", 0.3),
    "an escape that is wrong": (b'"\\u12x', b"x", 0.3),
    "keys twice": (b'[{"a":1,"a":2}', b",1", 0.3),
    "numbers too large": (b"[" + b"9" * 20, b",1", 0.3),
}
"""How a large text begins and goes on, and how many times its size reading it may take at most."""
DEEPER: Final = 0 if sys.version_info < (3, 14) else 4_500_000
"""From 3.14 on, Python's own reader goes as deep as its stack allows before it refuses, at any size of the text."""


@pytest.mark.parametrize("fill", FILLS)
def test_a_text_that_is_wrong_is_not_read_on(fill: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, more, most = FILLS[fill]
    size = times(2, soak=63) * 1_000_000
    raw = begin + more * (size // len(more))
    monkeypatch.setattr(piecewise, "WINDOW", 262_144)
    tracemalloc.start()
    try:
        with pytest.raises(jsontext.JsonMistake):
            read(raw)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < most * size + DEEPER, taken / size
