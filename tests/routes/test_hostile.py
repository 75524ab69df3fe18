"""No hostile text in any field of any operation takes long or breaks the call."""

from __future__ import annotations

from itertools import count
from typing import Final

import pytest

from mock_server.contract.operation import Operation
from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.pace import slowness
from tests.routes.hostile import FAR, ROWS, calls, hostile, made
from tests.wire import Wire, wire

LIMIT_S: Final = 0.6
"""Of a quiet machine's processor time, the best of three; no lines are counted meanwhile, which would cost more."""
EACH: Final = 0 if SOAK else 1
"""How many of an operation's calls are made; 0: all."""
pytestmark = [pytest.mark.timeout(1800 if SOAK else 600), pytest.mark.no_cover]
NUMBERS: Final = count(1)


@pytest.fixture(scope="module")
def server() -> Wire:
    return wire(clock=ManualClock(), webhook_hosts=("127.0.0.1",))


@pytest.mark.parametrize("row", [row for row in ROWS if row.name not in FAR], ids=lambda row: row.name)
def test_every_hostile_call_is_answered_in_time(server: Wire, row: Operation) -> None:
    number = next(NUMBERS)
    api = server.as_key(f"snd_hostile_{number:06}")
    good, every = calls(api, row)
    # Others for each operation, and far apart.
    some = range(len(every)) if not EACH else {(number * 37 + at * 101) % len(every) for at in range(EACH)}
    found = []
    for place, text in (every[at] for at in some):
        call, took = hostile(row, good, place, text), 1e9
        for _ in range(3):
            status, seconds = made(api, call)
            took = min(took, seconds / slowness() if seconds >= LIMIT_S else seconds)
            if took < LIMIT_S:
                break
        if status >= 500 or took >= LIMIT_S:
            found.append((place, text, status, round(took, 3)))
    assert not found
