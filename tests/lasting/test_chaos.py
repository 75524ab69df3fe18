"""Replicas over one database, behind HAProxy, under load: one is killed again and again, and comes back at once."""

from __future__ import annotations

import logging
import random
from collections import Counter
from contextlib import ExitStack
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Final

import pytest

from tests.counts import times
from tests.lasting import balancer
from tests.lasting.clusters import Cluster
from tests.lasting.shop import Shop
from tests.lasting.test_kill import listed, undelivered
from tests.running import RunningSandbox, until
from tests.webhooks.receivers import Receiver, answers

pytestmark = pytest.mark.skipif(balancer.PROGRAM is None, reason=balancer.MISSING)

_LOG: Final = logging.getLogger("tests.chaos")
EVERY_S: Final = times(3, soak=5)
"""So often one of them is killed."""
RUSH_S: Final = times(1, soak=EVERY_S)
"""So long before a kill, all is called that can be: by then, the one before is replaced, and its calls come again."""
KILLS: Final = times(2, soak=60)
SHOPS: Final = times(2, soak=4)
FLAGS: Final = (
    "--rate-limit", "0", "--log-level", "error", "--workspaces", "50", "--inbox", "200000", "--journal", "200",
    "--idempotency", "200000",
)  # fmt: skip
ALLOWED: Final = frozenset({"200", "broken", "503 SB_02", "409 IR_16"})
"""How calls may end while replicas come and go; 409 where the one before, which broke off on its way, still runs."""


class Replica:
    """One that is started again under its old address."""

    def __init__(self, place: str, flags: list[str]) -> None:
        host, _, port = place.partition(":")
        self._flags = [*flags, "--host", host, "--port", port, "--advertise", f"http://{place}"]
        self.said = ""
        """What it has logged by now."""
        self.start()

    def start(self) -> None:
        """Start it, and go on at once: it serves once the lease of the one before is over."""
        self.sandbox = RunningSandbox(*self._flags)

    def wait(self) -> None:
        """Wait until it serves, if it does not yet."""
        if not self.sandbox.ready:
            self.sandbox.__enter__()

    def kill(self) -> None:
        self.sandbox.process.kill()
        self.stop()

    def stop(self) -> None:
        self.said += self.sandbox.stop()[2]


def is_served(shop: Shop, port: int) -> bool:
    status, found = shop.call(port, "GET", "/_sandbox/clock")
    assert status in (200, 503), found
    return status == 200


def look_through(shop: Shop, port: int) -> None:
    """What was answered is there as it was answered, money adds up, and what broke off happens once in the end."""
    found = {payment["payment_id"]: payment for payment in listed(shop, port, "payments")}
    for payment in shop.payments.values():
        assert found[payment["payment_id"]]["amount"] == payment["amount"]
    for name, amount in shop.captured.items():
        assert (found[name]["status"], found[name]["amount_received"]) == ("succeeded", amount)
    assert set(Counter(payment["metadata"]["order"] for payment in found.values()).values()) == {1}
    refunds = {refund["refund_id"]: refund for refund in listed(shop, port, "refunds")}
    for name, refund in shop.refunds.items():
        assert refunds[name]["amount"] == refund["amount"]
    refunded: Counter[str] = Counter()
    for refund in refunds.values():
        refunded[refund["payment_id"]] += refund["amount"]
    assert all(amount <= found[name]["amount_received"] for name, amount in refunded.items())
    for number in set(shop.tried) - set(shop.payments):
        until(lambda at=number: shop.send(port, at, shop.tried[at]) is not None)  # type: ignore[misc]  # see test_kill
    orders = Counter(payment["metadata"]["order"] for payment in listed(shop, port, "payments"))
    assert orders == Counter(map(str, shop.tried))


def wait_and_rush(shops: list[Shop], stop: Event) -> None:
    """Until the next kill: calm at first, then as much as can be."""
    for is_calm, during_s in (True, EVERY_S - RUSH_S), (False, RUSH_S):
        for shop in shops:
            shop.is_calm = is_calm
        stop.wait(during_s)


def all_delivered(shop: Shop, port: int, receiver: Receiver) -> bool:
    """Moves on to the next attempts, if need be: what was cut off is tried again a minute later."""
    if not undelivered(shop, port, receiver):
        return True
    shop.call(port, "POST", "/_sandbox/clock/advance", {"by": "60s"})
    return False


def test_nothing_that_was_answered_is_lost_or_done_twice(cluster: Cluster) -> None:
    shops = [Shop(seed, f"snd_chaos_of_shop_{seed}", stays=True) for seed in range(SHOPS)]
    places = balancer.addresses(3)
    chance, stop, threads, killed = random.Random(4), Event(), list[Thread](), list[float]()
    with ExitStack() as stack:
        receiver = stack.enter_context(Receiver(answers()))
        flags = [*FLAGS, "--data", cluster.database()]
        replicas = [Replica(place, flags) for place in places]
        for replica in replicas:
            stack.callback(replica.stop)
            replica.wait()
        port = stack.enter_context(balancer.balanced(*places)).port
        told = shops[0]
        until(partial(is_served, told, port))
        told.call(port, "PUT", "/_sandbox/webhooks/target", {"url": receiver.url})
        for shop in shops:
            threads += shop.shop(port, stop)
        try:
            for _ in range(KILLS):
                wait_and_rush(shops, stop)
                replica = chance.choice(replicas)
                killed.append(monotonic())
                replica.kill()
                replica.start()
            wait_and_rush(shops, stop)
            for replica in replicas:
                replica.wait()
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        for shop in shops:
            until(partial(is_served, shop, port))
            look_through(shop, port)
        until(partial(all_delivered, told, port, receiver))
    ends = sum((shop.ends for shop in shops), Counter[str]())
    paid = sum(len(shop.payments) for shop in shops)
    gaps_s = sorted(end - begin for shop in shops for begin, end in shop.gaps)
    for begin, end in sorted(gap for shop in shops for gap in shop.gaps):
        during = [round(at - begin, 1) for at in killed if begin - EVERY_S < at < end]
        _LOG.info("%.1f s without an answer; kills at %s s", end - begin, during)
    figures = KILLS, paid, dict(ends), gaps_s[len(gaps_s) // 2], gaps_s[-1]
    _LOG.info("%d kills; %d payments answered; calls: %s; gaps: median %.1f s, longest %.1f s", *figures)
    assert not any("defect" in replica.said or "Traceback" in replica.said for replica in replicas)
    assert set(ends) <= ALLOWED, ends
    assert ends["200"] > 100 * KILLS
