"""JSON as pages show it, read back: a tree has each name and value, and a difference shows two texts that differ."""

from __future__ import annotations

import json
import re
from html import unescape
from random import Random
from typing import Any, Final

import pytest

from mock_server.dashboard.folding import DEEP, ITEMS, LONGEST, MOST, MOST_DIFFERENCES, Difference, differences, folded
from tests.counts import times
from tests.dashboard.trees import Tree, lines

TEXTS: Final = ("", "a", "<b>", '"', "&amp;", "李 小龙", "a\nb", "]]>", "null")
NAMES: Final = ("a", "b", "c", "<i>", "a.b", "x y", "id")
LONG: Final = (LONGEST // 2, LONGEST - 3, LONGEST - 2, LONGEST - 1, LONGEST, LONGEST + 1, 3 * LONGEST)


def made(chance: Random, deep: int = 0) -> Any:
    """A value of any kind."""
    kind = chance.randrange(9 if deep < 4 else 5)
    if kind < 2:
        return chance.choice(TEXTS)
    if kind < 5:
        return ("x" * chance.choice(LONG), chance.choice((0, -1, 2.5, 2**53)), chance.choice((None, True, False)))[
            kind - 2
        ]
    many = chance.choice((0, 1, 3, ITEMS, ITEMS + 1, ITEMS + 4))
    if kind < 7:
        return [made(chance, deep + 1) for _ in range(many)]
    return {name: made(chance, deep + 1) for name in chance.sample(NAMES, min(many, len(NAMES)))}


@pytest.mark.parametrize("seed", range(times(60, soak=3_000)))
def test_a_tree_says_each_name_and_value(seed: int) -> None:
    chance = Random(seed)
    value = {"first": made(chance), "then": [made(chance) for _ in range(chance.randrange(4))]}
    said = lines(value)
    news = set(chance.sample([at for at, _ in said], len(said) // 3))
    html = str(folded(value, "it", news))
    assert ("<pre" in html) == (sum(not text.startswith("and ") for _, text in said) > MOST)
    if "<pre" in html:
        text = json.dumps(value, ensure_ascii=False)
        assert unescape(re.findall(r"<code>(.*)</code>", html, re.DOTALL)[0]) == text[:8_000] + "…" * (
            len(text) > 8_000
        )
        return
    tree = Tree()
    tree.feed(html.partition('aria-label="it">')[2])
    assert tree.said == said
    assert tree.opened == {deep: deep <= DEEP for deep in tree.opened}
    assert tree.marked == {
        at: "new" if at in news else "null" if text == "null" else ""
        for at, text in said
        if at and "and " not in text[:4]
    }


def leaves(value: Any, at: str = "") -> dict[str, Any]:
    if not isinstance(value, dict | list) or not value:
        return {at or "(all)": value}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return {
        place: one for name, inner in pairs for place, one in leaves(inner, f"{at}.{name}" if at else str(name)).items()
    }


def changed(chance: Random, value: Any) -> Any:
    """The value with some of it other, left out or added; a long text differs at any place of it."""
    if isinstance(value, dict):
        kept = {name: changed(chance, one) for name, one in value.items() if chance.random() < 0.9}
        return kept | ({"added": made(chance, 3)} if chance.random() < 0.2 else {})
    if isinstance(value, list):
        return [changed(chance, one) for one in value]
    if isinstance(value, str) and value and chance.random() < 0.6:
        place = chance.randrange(len(value) + 1)
        return value[:place] + chance.choice(("y", "", "yz")) + value[place + 1 :]
    return value if chance.random() < 0.6 else made(chance, 4)


@pytest.mark.parametrize("seed", range(times(60, soak=3_000)))
def test_a_difference_shows_two_texts_that_differ(seed: int) -> None:
    chance = Random(seed)
    old: Any = {"first": made(chance), "then": [made(chance) for _ in range(4)], "text": "x" * chance.choice(LONG)}
    new = changed(chance, old)
    found, before, after = differences(old, new), leaves(old), leaves(new)
    gone, places = object(), list({**before, **after})
    other = [place for place in places if json_of(before, place, gone) != json_of(after, place, gone)]
    assert [one.path for one in found.rows] == other[:MOST_DIFFERENCES]
    assert (found.more, found.same) == (max(0, len(other) - MOST_DIFFERENCES), len(places) - len(other))
    for one in found.rows:
        assert one.old != one.new, one
        for shown, there in ((one.old, before), (one.new, after)):
            assert (shown is None) == (one.path not in there)
            if shown is not None:
                assert shown.strip("…") in json.dumps(there[one.path], ensure_ascii=False)
                assert len(shown) <= LONGEST + 2


def json_of(values: dict[str, Any], place: str, gone: object) -> object:
    """A value, in which 1 and true are two things."""
    return json.dumps(values[place]) if place in values else gone


MARKS: Final = {"payment_id": True, "id": True, "ids": True, "a.b_secret": True, "updated": True, "created": True,
    "modified_at": True, "headers.x-request-id": True, "identity": False, "paid": False, "amount": False}  # fmt: skip
TIMES: Final = {'"2026-01-31T09:05:00.000Z"': True, '"2026-01-31"': False, "20260131": False}


@pytest.mark.parametrize("path", MARKS)
@pytest.mark.parametrize("value", TIMES)
@pytest.mark.parametrize("side", ["old", "new", "both"])
def test_ids_and_times_differ_between_any_two(path: str, value: str, side: str) -> None:
    old, new = (value if side in (name, "both") else None for name in ("old", "new"))
    assert Difference(path, old, new).is_mark is (MARKS[path] or TIMES[value])
