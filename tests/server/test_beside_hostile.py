"""Calls of another key are answered beside hostile bodies of every operation, which do not stay in memory."""

from __future__ import annotations

import http.client
import threading
from functools import partial
from statistics import median, quantiles
from typing import Final
from urllib.parse import urlsplit

import psutil
import pytest

from tests.clocks import ManualClock
from tests.counts import SOAK, times
from tests.routes.hostile import FAR, ROWS, Hostile, calls, hostile
from tests.running import RunningSandbox, seconds
from tests.wire import wire

FIRST: Final = 20
LAST: Final = times(40, soak=200)
"""After how many hostile calls the memory is read."""
MORE_BYTES: Final = 60_000_000 if SOAK else 120_000_000
"""Over what it was after the first; before the full count, the garbage of the last is still in it."""
WAITS_S: Final = 0.1
"""At the 99th percentile, on a machine that does nothing else."""
ROUNDS: Final = 3
BODIES: Final = [row for row in ROWS if row.reads_body(row.method) and row.name not in FAR]
pytestmark = pytest.mark.timeout(1800 if SOAK else 600)


def made(count: int) -> list[Hostile]:
    """Hostile calls of every operation in turn. Ids are those of another server, as bodies are read first."""
    server, found = wire(clock=ManualClock()), []
    for number in range(count):
        row = BODIES[number * 7 % len(BODIES)]
        good, every = calls(server.as_key(f"snd_hostile_{number:06}"), row)
        found.append(hostile(row, good, *every[number * 37 % len(every)]))
    return found


def asked(base: str, key: str, method: str, path: str, raw: bytes = b"") -> int:
    """The status of a call on a connection of its own."""
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    try:
        headers = {"api-key": key, "Content-Type": "application/json", "Connection": "close"}
        connection.request(method, path, raw or None, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def test_others_are_answered_and_the_memory_is_given_back() -> None:
    hostiles = made(LAST)
    waits: list[float] = []
    statuses: list[int] = []
    sizes: dict[int, int] = {}
    done = threading.Event()
    with RunningSandbox() as sandbox:
        server = psutil.Process(sandbox.process.pid)

        def attack() -> None:
            try:
                for number, call in enumerate(hostiles, start=1):
                    statuses.append(asked(sandbox.base, "snd_hostile_merchant", call.row.method, call.path, call.raw))
                    sizes[number] = server.memory_info().rss
            finally:
                done.set()

        other = partial(asked, sandbox.base, "snd_another_merchant", "GET", "/payments/list")
        assert other() == 200
        thread = threading.Thread(target=attack)
        thread.start()
        while not done.wait(0.01):
            waits.append(seconds(lambda: statuses.append(other())))
        thread.join()
    assert len(sizes) == LAST
    assert max(statuses) < 500
    assert sizes[LAST] - sizes[FIRST] <= MORE_BYTES, [size // 1_000_000 for size in sizes.values()]
    size = len(waits) // ROUNDS
    worst = [quantiles(waits[at * size : (at + 1) * size], n=100)[-1] for at in range(ROUNDS)]
    assert not SOAK or median(worst) <= WAITS_S, (worst, psutil.getloadavg())
