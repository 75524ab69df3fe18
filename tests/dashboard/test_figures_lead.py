"""A figure of the overview that has a link is the number of rows behind it."""

from __future__ import annotations

import re
from html import unescape
from random import Random
from typing import Final

import pytest

from tests.counts import times
from tests.dashboard.life import Life
from tests.dashboard.test_overview import NOWHERE
from tests.dashboard.visitor import Visitor, text
from tests.wire import Wire

FIGURES: Final = (
    r'<dt><a href="(?P<link>[^"]+)">(?P<says>[^<]*)</a></dt>\s*<dd[^>]*>(?P<number>[\d,]+)',
    r'<li>\s*<a href="(?P<link>[^"]+)">(?P<says>[^<]*)</a>\s*<b>(?P<number>[\d,]+)',
    r'class="times">(?P<number>[\d,]+) ×</b>\s*<span>\s*<a href="(?P<link>[^"]+)">(?P<says>[^<]*)</a>',
)


def rows(visitor: Visitor, link: str) -> int:
    """How many rows there are on all pages of a list."""
    found = offset = 0
    while True:
        html = visitor.read(f"{link}{'&' if '?' in link else '?'}offset={offset}")
        shown = len(re.findall(r'data-testid="(?:line|payment|event)"', html))
        found, offset = found + shown, offset + shown
        if 'data-testid="older"' not in html:
            return found


@pytest.mark.parametrize("seed", range(times(3, soak=40)))
def test_the_rows_behind_a_figure_are_as_many(api: Wire, seed: int) -> None:
    chance, visitor = Random(seed), Visitor(api)
    Life(api, chance).lived(times(60, soak=200))
    for body in ({"amount": -1}, {"amount": 1, "currency": "XXX"}, {"no": "field"}, {"payment_id": "x" * 999}):
        for _ in range(chance.randint(1, 3)):
            api.post("/payments", body)
    api.put("/_sandbox/webhooks/target", {"url": NOWHERE})
    for event in api.get("/_sandbox/webhooks?limit=5")["data"]:
        api.post(f"/_sandbox/webhooks/{event['event_id']}/resend")
    page, seen = visitor.read("overview"), 0
    for form in FIGURES:
        for figure in re.finditer(form, page):
            link = unescape(figure["link"])
            assert rows(visitor, link) == int(figure["number"].replace(",", "")), figure["says"]
            seen += 1
    assert seen > 4
    for link in re.findall(r'<a href="([^"]+)" data-testid="newest"', page):
        assert 'data-testid="attempt"' in text(visitor.look(unescape(link)))
