"""A payment whose calls are no longer in the journal says so, and no other one does."""

from __future__ import annotations

import re
from random import Random
from typing import Final

import pytest

from tests.clocks import ManualClock
from tests.counts import times
from tests.dashboard.visitor import Visitor
from tests.wire import wire

KEPT: Final = 20


@pytest.mark.parametrize("seed", range(times(4, soak=100)))
def test_a_history_with_calls_left_out_says_since_when_it_has_them(seed: int) -> None:
    chance, clock = Random(seed), ManualClock()
    api = wire(clock=clock, journal=KEPT)
    made: list[tuple[int, str]] = []
    calls = chance.choice((5, KEPT, KEPT + 1, 3 * KEPT))
    for number in range(calls):
        clock.advance(1_000)
        if not made or chance.random() < 0.4:
            made.append((number, api.pay()["payment_id"]))
        else:
            api.get(f"/payments/{chance.choice(made)[1]}")
    oldest = api.get("/_sandbox/journal?limit=1000")["data"][0]["at"]
    visitor = Visitor(api)
    for number, id in made:
        page = visitor.read(f"payments/{id}")
        lost = number < calls - KEPT
        row = re.search(r'<li class="[^"]*\bgap\b.*?</li>', page, re.DOTALL)
        assert (row is not None) is lost, (number, calls)
        if row is not None:
            assert "Calls before this are no longer in the journal" in row[0] and oldest[11:19] in row[0]
