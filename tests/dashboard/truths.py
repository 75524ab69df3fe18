"""What the lists of a workspace say, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from typing import Final

from tests.dashboard.life import iso
from tests.dashboard.visitor import Visitor

ROW: Final = re.compile(r'<tr role="row"(?: class="(?P<kind>[^"]*)")?(?: id="[^"]*")?>(?P<cells>.*?)</tr>', re.DOTALL)
CELL: Final = re.compile(r"<t[dh] [^>]*>(.*?)</t[dh]>", re.DOTALL)
TIME: Final = re.compile(r'<time datetime="([^"]+)"')


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


def rows_of(visitor: Visitor, now: int, page: str) -> Iterator[list[str]]:
    """The cells of all rows of a list on all of its pages; the first one is the time, below its day's heading."""
    day, offset = "", 0
    while True:
        html = visitor.read(f"{page}{'&' if '?' in page else '?'}offset={offset}")
        table = html.partition('<table role="table" class="rows')[2].partition("</table>")[0].partition("<tbody")[2]
        found = 0
        for row in ROW.finditer(table):
            cells = CELL.findall(row["cells"])
            if row["kind"] == "day-row":
                day = plain(cells[0])
                continue
            found += 1
            at = next(filter(None, map(TIME.search, cells)))[1]
            on = date.fromisoformat(at[:10])
            apart = (on - date.fromisoformat(iso(now)[:10])).days
            nearby = {-1: ", yesterday", 0: ", today", 1: ", tomorrow"}.get(apart, "")
            assert day == f"{on:%A}, {on.day} {on:%B %Y}{nearby}", (page, at, day)
            yield [at, *cells]
        if 'data-testid="older"' not in html:
            return
        offset += found


OUTCOMES: Final = {
    "succeeded": "good",
    "partially_captured": "good",
    "failed": "bad",
    "expired": "bad",
    "cancelled": "bad",
}
"""The outcome of each status; every other one is open."""
