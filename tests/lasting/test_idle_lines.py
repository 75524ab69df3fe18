"""Connections to the database that end while nobody uses them, as servers and proxies end idle ones: no call fails."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import pytest

from tests.counts import times
from tests.lasting.clusters import Cluster
from tests.lasting.shop import Answer, call, order
from tests.running import RunningSandbox, until

PURPOSES: Final = ("reads", "writes", "lease", "facts", "copies")
"""What the program has connections for, as their names say."""
SETS: Final = [
    *((one,) for one in PURPOSES),
    PURPOSES,
    *(tuple(random.Random(number).sample(PURPOSES, 2 + number % 3)) for number in range(times(0, soak=40))),
]
NUMBERS: Final = count(1)
CALLS: Final[dict[str, Callable[[int, int], Answer]]] = {
    "a payment": lambda port, number: call(port, "POST", "/payments", order(number)),
    "a payment in a new workspace": lambda port, number: call(
        port, "POST", "/payments", order(number), key=f"snd_newcomer_{number}"
    ),
    "an account, which all replicas share": lambda port, _: call(port, "POST", "/accounts", {}, key="an_admin"),
    "a snapshot": lambda port, number: call(port, "PUT", f"/_sandbox/snapshots/s{number}"),
    "a list": lambda port, _: call(port, "GET", "/payments/list?limit=1"),
}


@pytest.fixture(scope="module")
def served(cluster: Cluster) -> Iterator[RunningSandbox]:
    flags = ("--data", cluster.database(), "--advertise", "http://127.0.0.1:1", "--rate-limit", "0")
    with RunningSandbox(*flags) as sandbox:
        assert call_each(sandbox) == []  # whatever is connected late is connected now
        yield sandbox


def call_each(sandbox: RunningSandbox, before: Callable[[], object] = lambda: None) -> list[tuple[str, Answer]]:
    """Those that failed of all calls, one after the other."""
    found = []
    for name, made in CALLS.items():
        before()
        found.append((name, made(sandbox.ready["port"], next(NUMBERS))))
    return [(name, answer) for name, answer in found if answer[0] >= 300]


def end(cluster: Cluster, purposes: tuple[str, ...]) -> None:
    """End the connections for these purposes, and wait until the database has no such process."""
    names = ",".join(f"'payment-sandbox {one}'" for one in purposes)
    pids = cluster.ask(f"SELECT pid FROM pg_stat_activity WHERE application_name IN ({names})")
    for (pid,) in pids:
        cluster.ask(f"SELECT pg_terminate_backend({pid})")
    left = ",".join(str(pid) for (pid,) in pids)
    until(lambda: not cluster.ask(f"SELECT 1 FROM pg_stat_activity WHERE pid IN ({left or 0})"))


@pytest.mark.parametrize("purposes", SETS, ids=" ".join)
def test_what_ended_while_it_was_idle_is_opened_again(
    purposes: tuple[str, ...], served: RunningSandbox, cluster: Cluster
) -> None:
    assert call_each(served, lambda: end(cluster, purposes)) == []
