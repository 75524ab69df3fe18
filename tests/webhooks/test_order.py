"""Events of one payment arrive in their order, whatever the clock does, however slow the receiver is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, Lock
from typing import Any, Final

import pytest

from mock_server.domain import events
from mock_server.domain.instants import MINUTE_MS
from mock_server.webhooks.worker_pool import WorkerPool
from tests.counts import times
from tests.running import until
from tests.webhooks.busy import Busy, elsewhere
from tests.webhooks.shops import Delivered, Mall, mall

CLOCKS: Final = ("frozen", "standing", "running", "advancing")
RULES: Final[dict[str, list[dict[str, Any]]]] = {
    "usually": [],
    "before the response": [{"on": "webhook.*", "then": {"deliver": "before_response"}}],
    "one before the response": [{"on": "webhook.payment_succeeded", "then": {"deliver": "before_response"}}],
    "during the redirect": [{"on": "webhook.*", "then": {"deliver": "during_redirect"}}],
}
"""How a scenario wants the events delivered; a first attempt that it delays is not in order, as it wants that."""
AGREED: Final[dict[str, Any]] = {
    "customer_id": "cus_1",
    "setup_future_usage": "off_session",
    "mandate_data": {"customer_acceptance": {"acceptance_type": "offline"}, "mandate_type": {"multi_use": None}},
}


def bought(shop: Mall, pause: Callable[[], object]) -> None:
    """Some events of one payment, with two in one call, and two a little later."""
    payment_id = shop.api.pay(**AGREED)["payment_id"]
    other = shop.api.pay(capture_method="manual")["payment_id"]
    pause()
    shop.api.post(f"/payments/{other}/capture", {})
    for one in (payment_id, other):
        shop.api.post("/refunds", {"payment_id": one, "amount": 1})
        shop.api.sandbox.post.redirecting(shop.workspace, one)
        pause()
        shop.api.post("/refunds", {"payment_id": one, "amount": 2})
        shop.api.sandbox.post.redirecting(shop.workspace, one)


class Arrivals:
    """A receiver that takes its time, and notes which event came when."""

    def __init__(self, chance: random.Random, slow: bool) -> None:
        self.chance, self.slow = chance, slow
        self.came: list[str] = []
        self._lock = Lock()

    def __call__(self, delivered: Delivered) -> int:
        with self._lock:
            self.came.append(delivered.envelope["event_id"])
        if self.slow:
            Event().wait(self.chance.choice((0, 0.001, 0.01)))
        return 200

    def check(self, events: list[events.Event]) -> None:
        """Checks that each event came once, and those of each payment in their order."""
        number = {event.event_id: event.number for event in events}
        assert sorted(self.came) == sorted(number)
        for payment_id in {event.payment_id for event in events}:
            mine = {event.event_id for event in events if event.payment_id == payment_id}
            assert [number[one] for one in self.came if one in mine] == sorted(number[one] for one in mine)


@contextmanager
def going_on(shop: Mall, clock: str) -> Iterator[None]:
    """The server's thread is at work, and the clock does what it should."""
    ended = Event()

    def advance() -> None:
        while not ended.is_set():
            shop.advance("1ms")

    if clock == "frozen":
        shop.api.post("/_sandbox/clock/freeze")
    shop.api.sandbox.start()
    advancing = elsewhere(advance) if clock == "advancing" else None
    try:
        yield
    finally:
        ended.set()
        if advancing is not None:
            advancing.result()
        shop.api.sandbox.wake()


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_events_of_a_payment_arrive_in_their_order(rule: str, slow: bool, clock: str) -> None:
    chance, numbers = random.Random(f"{rule} {slow} {clock}"), count(1)
    shop, arrivals = mall(workers=WorkerPool(idle_s=0.1)), Arrivals(chance, slow)
    shop.shop.always = arrivals

    def pause() -> None:
        if clock == "running":
            shop.clock.advance(next(numbers) % 2)
        if chance.random() < 0.5:
            Event().wait(0.002)

    if RULES[rule]:
        shop.scenario(*RULES[rule])
    try:
        with going_on(shop, clock):
            for _ in range(times(3, soak=60)):
                bought(shop, pause)
        until(lambda: len(arrivals.came) >= len(shop.events()))
    finally:
        shop.api.sandbox.stop()
    arrivals.check(shop.events())


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "during the redirect"])
def test_what_waits_is_not_overtaken_by_what_comes_later(hasty: Busy, rule: str, clock: str) -> None:
    """One event is with the receiver, one waits behind it, and a third one becomes due before anybody looks."""
    if RULES[rule]:
        hasty.mall.scenario(*RULES[rule])
    if clock == "frozen":
        hasty.mall.api.post("/_sandbox/clock/freeze")
    payment_id = hasty.mall.api.pay(capture_method="manual")["payment_id"]
    calls = [(f"/payments/{payment_id}/capture", {}), ("/refunds", {"payment_id": payment_id})]
    hasty.look()
    hasty.door.wait_for(1)
    made = []
    for path, body in calls:
        made.append(elsewhere(lambda path=path, body=body: hasty.mall.api.post(path, body)))
        hasty.until(lambda: len(hasty.mall.events()) > len(made))
        if path != calls[-1][0]:
            hasty.look()
        if clock == "running":
            hasty.mall.clock.advance(1)
    if clock == "advancing":
        made.append(elsewhere(lambda: hasty.mall.advance("1s")))
    hasty.door.is_open.set()
    for one in made:
        one.result()
    hasty.until(lambda: hasty.delivered() == [True] * 3)
    assert [got.type for got in hasty.door.came] == ["payment_authorized", "payment_succeeded", "refund_succeeded"]


def test_nothing_waits_for_an_automatic_retry(busy: Busy) -> None:
    busy.mall.shop.always = 500
    payment_id = busy.mall.api.pay(capture_method="manual")["payment_id"]
    busy.until(lambda: busy.delivered() == [False])
    busy.mall.shop.always = busy.door
    busy.later(MINUTE_MS)
    busy.door.wait_for(1)
    busy.mall.api.post(f"/payments/{payment_id}/capture", {})
    busy.look()
    busy.later(200)
    busy.door.wait_for(2)
    assert [got.type for got in busy.door.came] == ["payment_authorized", "payment_succeeded"]
