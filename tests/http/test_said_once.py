"""No header stands twice in an answer: a browser refuses what allows the same origin two times."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import Final

import pytest

from mock_server.app import PAGES
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from tests.counts import SOAK
from tests.http.from_pages import FROM_PAGE
from tests.wire import KEY, PUBLISHABLE, Wire, wire

ORIGINS: Final = (FROM_PAGE["HTTP_ORIGIN"], None, "null", "http://localhost")
OFTEN: Final = {"set-cookie", "vary", "link"}
"""Headers whose values are a list, which may stand in several lines (RFC 9110, 5.3)."""
KEYS: Final = (None, KEY, PUBLISHABLE, "snd_short")


@pytest.fixture(scope="module")
def api() -> Wire:
    made = wire()
    made.pay()
    return made


def said_twice(api: Wire, method: str, path: str, headers: dict[str, str]) -> list[str]:
    with api.app.test_client() as client:
        answer = client.open(path, method=method, headers=headers, buffered=True)
        names = Counter(name.lower() for name, _ in answer.headers.to_wsgi_list())
    return [name for name, times in names.items() if times > 1 and name not in OFTEN]


def test_no_header_stands_twice(api: Wire) -> None:
    """Every route, with its page, its error or its refusal, for every kind of key and of page."""
    rows = [*((row.path, row.method) for row in (*OPERATIONS, *CONTROL_OPERATIONS))]
    rows += [(page.path, method) for page in PAGES for method in page.methods]
    paths = {(re.sub("<[^>]*>", "x_1", path), each) for path, method in rows for each in (method, "OPTIONS", "TRACE")}
    paths |= {(f"{path}?key={PUBLISHABLE}", "GET") for path, method in paths if path.endswith((".js", "/frame"))}
    paths.add(("/nowhere", "GET"))
    found = {}
    for path, method in sorted(paths):
        for key, origin in product(KEYS, ORIGINS) if SOAK else zip(KEYS, ORIGINS, strict=True):
            headers = {name: text for name, text in (("Origin", origin), ("api-key", key)) if text}
            if twice := said_twice(api, method, path, headers):
                found[path, method, key, origin] = twice
    assert len(paths) > 300
    assert found == {}
