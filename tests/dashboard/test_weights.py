"""Every page stays small, and is made soon, in workspaces that are hard to show."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf

import pytest

from tests.counts import SOAK
from tests.dashboard.hostile import FILLED, places
from tests.dashboard.visitor import Visitor
from tests.pace import slowness
from tests.wire import wire

MOST_BYTES = 60_000
MOST_MS = 20
LOOSE = 4
"""A busy machine has less of its cores."""
SLOWER = {("many payments", "find"): 15}
"""Pages of that many times the processor time: each of 50 000 payments is read."""
TRIES = 10 if SOAK else 2


@pytest.fixture(scope="module", params=FILLED)
def filled(request: pytest.FixtureRequest) -> Iterator[tuple[str, Visitor]]:
    api = wire()
    FILLED[request.param](api)
    yield request.param, Visitor(api)
    api.sandbox.stop()


@pytest.mark.no_cover
@pytest.mark.timeout(900 if SOAK else 120)
def test_every_page_is_small_and_soon_made(filled: tuple[str, Visitor]) -> None:
    hard, visitor = filled
    heavy, slow, names = {}, {}, set()
    for name, path in places(visitor):
        names.add(name)
        most = MOST_MS * LOOSE * SLOWER.get((hard, name), 1)
        took: list[float] = []
        while len(took) < TRIES and min(took, default=inf) > most:
            began = time.thread_time()
            reply = visitor.look(path)
            took.append((time.thread_time() - began) * 1000)
        assert reply.status == 200, path
        if len(reply.raw) > MOST_BYTES:
            heavy[path] = len(reply.raw)
        if "later=" not in path and min(took) > most and min(took) > most * slowness():
            slow[path] = min(took)
    assert (heavy, slow) == ({}, {})
    assert len(names) > 20
