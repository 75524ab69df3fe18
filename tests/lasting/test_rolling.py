"""Replicas that are stopped one after another, as an update does it: clients of the others are answered all along."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from http.client import HTTPException
from threading import Event, Thread
from typing import Final

from tests.counts import times
from tests.lasting.balancer import addresses
from tests.lasting.clusters import Cluster
from tests.lasting.shop import call, order
from tests.running import RunningSandbox, until

KEYS: Final = times(4, soak=20)
ROUNDS: Final = times(2, soak=12)


def replica(place: str, address: str, hook: str | None = None) -> RunningSandbox:
    host, _, port = address.partition(":")
    flags = ("--host", host, "--port", port, "--advertise", f"http://{address}", "--rate-limit", "0")
    hooks = ("--webhook-url", hook) if hook else ()
    return RunningSandbox("--data", place, *flags, *hooks, "--log-level", "error")


class Client:
    """Pays again and again at one place, each order until it is answered; knows every other answer."""

    def __init__(self, base: str, key: str) -> None:
        self.base, self.key = base, key
        self.seen: Counter[str] = Counter()
        self.orders = 0

    def run(self, stop: Event) -> None:
        while not stop.is_set():
            self.seen[self.ask()] += 1

    def ask(self) -> str:
        host, _, port = self.base.removeprefix("http://").partition(":")
        try:
            status, said = call(
                int(port), "POST", "/payments", order(self.orders), key=self.key, host=host,
                X_Idempotency_Key=f"order-{self.orders}",
            )  # fmt: skip
        except (OSError, HTTPException) as broken:
            return repr(broken)
        if status != 200:
            return f"{status} {said['error'].get('message')}"
        self.orders += 1
        return "200"


def test_a_replica_that_is_stopped_hands_over_unseen(cluster: Cluster) -> None:
    place, seen = cluster.database(), Counter[str]()
    stays, goes = addresses(2)
    with replica(place, stays) as one:
        for number in range(ROUNDS):
            with replica(place, goes) as other:
                seen += stopped(one, other, [f"snd_rolling_{number}_{at}" for at in range(KEYS)])
    broken = {what: count for what, count in seen.items() if "Connection" in what or "Remote" in what}
    assert seen.keys() - broken.keys() == {"200"}, seen
    assert sum(broken.values()) <= ROUNDS * KEYS, "at most the call that a client had under way at that moment"


def stopped(one: RunningSandbox, other: RunningSandbox, keys: list[str]) -> Counter[str]:
    """What clients of one replica are answered while another one, which owns their workspaces, is stopped."""
    clients, stop = [Client(other.base, key) for key in keys], Event()
    for client in clients:
        assert client.ask() == "200"
        client.base = one.base
    with ExitStack() as ends:
        threads = [Thread(target=client.run, args=(stop,)) for client in clients]
        for thread in threads:
            thread.start()
            ends.callback(thread.join)
        ends.callback(stop.set)
        until(lambda: all(client.seen["200"] > 2 for client in clients))
        assert other.stop()[0] == 0
        before = {client.key: client.seen["200"] for client in clients}
        until(lambda: all(client.seen["200"] > before[client.key] + 2 for client in clients))
    return sum((client.seen for client in clients), Counter())
