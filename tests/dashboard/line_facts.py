"""The facts of a call's page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.dashboard.truths import plain

PAIR: Final = re.compile(r"<div>\s*<dt>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>\s*</div>", re.DOTALL)


def facts(html: str) -> Iterator[tuple[str, str]]:
    for name, value in PAIR.findall(html):
        yield plain(name), plain(value)
