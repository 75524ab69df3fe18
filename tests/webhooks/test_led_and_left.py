"""Deliveries while the clock is led, after a reset, from a snapshot, at the end."""

from __future__ import annotations

from concurrent.futures import Future
from itertools import count
from typing import Any

from mock_server.domain.instants import MINUTE_MS, SECOND_MS
from mock_server.sandbox import timekeeping
from mock_server.sandbox.delivering import Delivering
from mock_server.webhooks.workspace_queues import STAGGER_S
from tests.standing import Standing
from tests.webhooks.busy import PATIENCE_S, Busy, attempts_of, busy_mall, elsewhere
from tests.webhooks.conftest import shop_of
from tests.webhooks.shops import ORIGIN, Delivered

STAGGER_MS = round(STAGGER_S * 1000) + 1


# the clock


def test_an_advance_waits_for_what_is_on_its_way(busy: Busy) -> None:
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    advancing = elsewhere(lambda: busy.mall.advance("30s"))
    busy.door.let()
    assert advancing.result(PATIENCE_S)["fired"] == []
    assert busy.delivered() == [True]


def test_an_advance_does_not_wait_for_ever(hasty: Busy) -> None:
    hasty.mall.api.pay()
    hasty.look()
    hasty.door.wait_for(1)
    done = hasty.mall.advance("90s")
    first, again = hasty.mall.attempts()
    assert [first.error, again.error] == ["no answer within 0.2 s"] * 2
    assert again.made_at - first.made_at == MINUTE_MS
    assert [one["what"] for one in done["fired"]] == ["deliver"]


def test_a_receiver_may_lead_the_clock_itself(hasty: Busy) -> None:
    """Outside of an advance: it waits for its own delivery, which counts as timed out, and goes on."""
    answers: Future[Any] = Future()

    def receive(delivered: Delivered) -> int:
        if not answers.done():
            answers.set_result(hasty.mall.api.post("/_sandbox/clock/advance", {"by": "30s"}))
        return 200

    hasty.mall.shop.always = receive
    hasty.mall.api.pay()
    hasty.look()
    assert answers.result(PATIENCE_S).status == 200
    hasty.until(lambda: hasty.delivered() == [False])
    assert hasty.mall.attempts()[0].error == "no answer within 0.2 s"
    hasty.mall.advance("60s")
    assert hasty.delivered() == [True]


def test_while_the_clock_is_led_nobody_else_sends(busy: Busy) -> None:
    busy.mall.api.pay()
    advancing = elsewhere(lambda: busy.mall.advance("1h"))
    busy.door.wait_for(1)
    busy.mall.api.pay()
    for _ in range(3):
        assert busy.look() >= busy.mall.clock.now_ms() + SECOND_MS
    assert len(busy.door.came) == 1
    busy.door.is_open.set()
    assert len(advancing.result(PATIENCE_S)["fired"]) == 2


def test_wherever_an_advance_stands_it_counts_what_it_left() -> None:
    """Of three events; between any two of its steps, the server looks for what is due. The first takes all the time."""
    for passed in count():
        with shop_of(busy_mall(patience_s=0.01, advance_timeout=0.001)) as busy:

            def receive(delivered: Delivered) -> int:
                busy.mall.clock.advance(10)
                return busy.door(delivered)

            busy.mall.shop.always = receive
            busy.door.let()
            for _ in range(3):
                busy.mall.api.pay()
            with Standing(timekeeping, passed, busy.mall.workspace.space._gate._lock) as standing:
                advancing = elsewhere(lambda: busy.mall.advance("1s"))
                advancing.add_done_callback(lambda _: standing.reached.release())
                standing.reached.acquire()
                busy.look()
            left = advancing.result().get("deliveries_left", 0)
            assert left + len(busy.mall.attempts()) == 3, f"after {passed} lines"
            if not standing.has_stood:
                break
    assert passed > 20


# reset, snapshots, the end


def test_a_reset_drops_what_waits_and_does_not_see_what_is_on_its_way(busy: Busy) -> None:
    for _ in range(3):
        busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    old = busy.mall.workspace
    assert busy.mall.api.post("/_sandbox/reset").status == 200
    busy.door.is_open.set()
    busy.until(lambda: attempts_of(old) == 1)
    busy.later(MINUTE_MS)
    assert len(busy.door.came) == 1
    assert (busy.mall.events(), busy.mall.attempts()) == ([], [])
    busy.mall.api.pay()
    busy.until(lambda: busy.delivered() == [True])


def test_what_was_on_its_way_in_a_snapshot_is_due_in_the_restored_workspace(busy: Busy) -> None:
    first = busy.mall.api.pay(capture_method="manual")["payment_id"]
    busy.look()
    busy.door.wait_for(1)
    busy.mall.api.post(f"/payments/{first}/capture", {"amount_to_capture": 6540})
    busy.later(STAGGER_MS)
    busy.mall.api.put("/_sandbox/snapshots/flying")
    busy.door.is_open.set()
    busy.until(lambda: busy.delivered() == [True, True])
    busy.mall.api.post("/_sandbox/snapshots/flying/restore")
    busy.until(lambda: busy.delivered() == [True, True])
    assert [got.type for got in busy.door.came] == ["payment_authorized", "payment_succeeded"] * 2
    same = [got.envelope["event_id"] for got in busy.door.came]
    assert same[:2] == same[2:]


def test_the_end_waits_for_nobody(busy: Busy) -> None:
    busy.mall.api.sandbox.start()
    busy.mall.api.pay()
    busy.mall.api.sandbox.wake()
    busy.door.wait_for(1)
    ended = elsewhere(busy.mall.api.sandbox.stop)
    ended.result()


def test_one_that_was_stopped_can_start_again(busy: Busy) -> None:
    busy.mall.api.sandbox.post = _new_post(busy)
    busy.door.is_open.set()
    for started in (1, 2):
        busy.mall.api.sandbox.start()
        busy.mall.api.pay()
        busy.door.wait_for(started)
        busy.mall.api.sandbox.stop()


def test_what_falls_out_of_the_inbox_meanwhile_is_gone() -> None:
    small = busy_mall(inbox=1)
    try:
        small.mall.api.pay()
        small.look()
        small.door.wait_for(1)
        small.mall.api.pay()
        small.mall.api.pay()
        small.door.is_open.set()
        small.until(lambda: small.delivered() == [True])
        assert len(small.door.came) == 2
        assert len(small.mall.attempts()) == 1
        assert small.mall.workspace.space.transact(lambda tx: tx.facts("deliver.line.")) == {}
    finally:
        small.mall.api.sandbox.stop()


def _new_post(busy: Busy) -> Delivering:
    """Deliveries with workers of their own, which come anew with each start."""
    sandbox = busy.mall.api.sandbox
    made = Delivering(sandbox.settings, busy.mall.clock, sandbox.wake, sandbox.counts)
    made.routing.connect(ORIGIN, busy.mall.shop)
    return made
