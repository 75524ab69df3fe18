"""What a call has made is freed with its answer: a collection of a large body is what all other calls wait for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Final

import pytest
from werkzeug.test import create_environ, run_wsgi_app

from mock_server.contract.operation import Operation
from tests.clocks import ManualClock
from tests.counts import SOAK, times
from tests.routes.good import GOOD, caller
from tests.routes.hostile import FAR, ROWS, Hostile, calls, hostile
from tests.wire import Wire, wire

EACH: Final = times(1, soak=12)
"""How many of an operation's hostile calls are made."""
OWN_CYCLES: Final = frozenset({"control.verdicts", "control.put_next"})
"""The lines of a verdict and the function that reads an entry hold themselves; neither holds the call."""
TRIED: Final = [row for row in ROWS if row.name not in FAR | OWN_CYCLES][:: times(8, soak=1)]
TRIES: Final = 3
"""The first call imports and compiles; then the least counts."""
pytestmark = [pytest.mark.timeout(1800 if SOAK else 600), pytest.mark.no_cover]


@pytest.fixture(scope="module")
def server() -> Wire:
    return wire(clock=ManualClock(), webhook_hosts=("127.0.0.1",), max_body=2_000_000)


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """Off, so that all that is left is counted; what was there before is not looked at each time."""
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    gc.enable()


def left(api: Wire, call: Hostile) -> int:
    """How many objects only a collection frees after a call."""
    client = caller(api, call.row) if call.row.name in GOOD else api
    headers = {"Content-Type": "application/json", **({"api-key": client.key} if client.key else {})}
    environ = create_environ(call.path, method=call.row.method, data=call.raw, headers={**headers, **call.good.headers})
    gc.collect()
    body, _, _ = run_wsgi_app(api.app.wsgi_app, environ)
    b"".join(body)
    del body, environ
    return gc.collect()


@pytest.mark.parametrize("row", TRIED, ids=lambda row: row.name)
def test_a_call_leaves_nothing_to_the_garbage_collector(server: Wire, row: Operation) -> None:
    number = ROWS.index(row)
    api = server.as_key(f"snd_hostile_{number:06}")
    good, every = calls(api, row)
    every = [one for one in every if one[0] != "path"]  # a path that no route has is Flask's
    found = []
    for at in range(EACH):
        place, text = every[(number * 37 + at * 101) % len(every)]
        call = hostile(row, good, place, text)
        if least := min(left(api, call) for _ in range(TRIES)):
            found.append((place, text, least))
    assert not found
