"""All workspaces are reset while clients of several replicas pay: calls are refused, and no defect is logged."""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPException
from threading import Event, Thread

from tests.counts import times
from tests.lasting.balancer import addresses
from tests.lasting.clusters import Cluster
from tests.lasting.shop import call, order
from tests.lasting.test_rolling import replica
from tests.running import RunningSandbox
from tests.webhooks.receivers import Receiver

RESETS = times(3, soak=60)
PAUSE_S = 0.1
BETWEEN_S = 0.01
"""So long a client waits between two calls: some of the six are on their way at each moment, and not all."""


def test_what_a_reset_of_everything_ends_is_no_defect(cluster: Cluster) -> None:
    place, stop, seen = cluster.database(), Event(), set[int]()
    first, second = addresses(2)

    def pay(sandbox: RunningSandbox, key: str) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            stop.wait(BETWEEN_S)
            with suppress(OSError, HTTPException):
                seen.add(
                    call(sandbox.ready["port"], "POST", "/payments", order(number), key=key, host=host(sandbox))[0]
                )

    with Receiver() as hook, replica(place, first, hook.url) as one, replica(place, second, hook.url) as other:
        shops = [Thread(target=pay, args=(at, f"snd_reset_all_{n}")) for n in range(3) for at in (one, other)]
        for shop in shops:
            shop.start()
        for number in range(RESETS):
            Event().wait(PAUSE_S)
            at = (one, other)[number % 2]
            call(at.ready["port"], "POST", "/_sandbox/reset", host=host(at), key="")
        stop.set()
        for shop in shops:
            shop.join()
        logs = [sandbox.stop()[2] for sandbox in (one, other)]
    assert 200 in seen
    assert seen <= {200, 503}
    for log in logs:
        assert "raceback" not in log, log[:2_000]


def host(sandbox: RunningSandbox) -> str:
    return str(sandbox.ready["host"])
