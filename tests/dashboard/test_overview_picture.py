"""The overview's picture of payments over time, read back: each part stands for payments that the API lists."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from random import Random
from typing import Any, Final

import pytest

from tests.counts import times
from tests.dashboard.test_overview import CARDS, read
from tests.dashboard.truths import OUTCOMES
from tests.dashboard.visitor import Visitor, said
from tests.wire import Wire

RECT: Final = re.compile(
    r'<rect class="(?P<tone>\w+)" x="(?P<x>[\d.]+)" y="(?P<y>-?[\d.]+)" width="(?P<width>[\d.]+)" '
    r'height="(?P<height>[\d.]+)"><title>(?P<at>[^<]*\d\d:\d\d): (?P<says>[^<]*)</title></rect>'
)
SAYS: Final = {"good": "succeeded", "wait": "open", "bad": "failed, expired or cancelled"}
FRAME: Final = re.compile(r'<svg class="bars" viewBox="0 0 (\d+) (\d+)"')
PARTS: Final = 32


def ms(at: str) -> int:
    return round(datetime.fromisoformat(at).timestamp() * 1000)


@pytest.mark.parametrize("seed", range(times(5, soak=200)))
def test_each_part_of_the_picture_is_some_payments(api: Wire, seed: int) -> None:
    chance = Random(seed)
    for _ in range(chance.choice((1, 2, 10, 40))):
        api.pay(chance.choice(CARDS))
        if chance.random() < 0.6:
            api.post("/_sandbox/clock/advance", {"by": chance.choice(("1ms", "40ms", "1s", "59s", "61m", "5h", "9d"))})
    page, now = Visitor(api).read("overview"), ms(api.get("/_sandbox/clock")["now"])
    made: list[dict[str, Any]] = api.get("/payments/list?limit=100")["data"]
    first = made[-1]["created"]
    many = f"all {len(made)} payments" if len(made) > 1 else "1 payment"
    assert said(page, "span-payments") == f"{many}, since {read(first)}"
    axis = re.findall(
        r'<p class="axis">(?:<time[^>]*datetime="([^"]*)".*?</time>)(?:<time[^>]*datetime="([^"]*)")', page
    )
    assert [tuple(map(ms, ends)) for ends in axis] == [(ms(first), now)]
    long = max(60_000, now - ms(first) + 1)
    wanted = Counter(
        ((ms(one["created"]) - ms(first)) * PARTS // long, OUTCOMES.get(one["status"], "wait")) for one in made
    )
    frame = FRAME.search(page)
    assert frame is not None
    wide, high = map(int, frame.groups())
    rects = [one.groupdict() for one in RECT.finditer(page)]
    columns = [int(float(one["x"]) * PARTS / wide) for one in rects]
    tones = [{"good": "good", "bad": "bad"}.get(one["tone"], "wait") for one in rects]
    heights = Counter[int]()
    for (column, _), number in wanted.items():
        heights[column] += number
    assert said(page, "highest") == str(max(heights.values()))
    shown: dict[tuple[int, str], int] = {}
    top = Counter[int]()
    for column, tone, rect in zip(columns, tones, rects, strict=True):
        tall = float(rect["height"]) * max(heights.values()) / high
        shown[column, tone] = round(tall)
        assert abs(tall - round(tall)) < 0.1
        top[column] += round(tall)
        assert float(rect["y"]) == pytest.approx(high - top[column] * high / max(heights.values()), abs=0.2)
        begins = ms(first) + column * long / PARTS
        assert abs(ms(f"{rect['at'].replace(' ', 'T')}Z") - begins) <= 60_000
        words = [f"{wanted[column, of]} {says}" for of, says in SAYS.items() if wanted[column, of]]
        assert rect["says"] == ", ".join(words)
    assert shown == dict(wanted)
