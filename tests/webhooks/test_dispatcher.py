"""Many workspaces, many threads, receivers that take their time: what is promised holds all the same."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from mock_server.domain.events import SkipReason
from mock_server.domain.instants import MINUTE_MS, SECOND_MS
from mock_server.webhooks.dispatcher import TURN
from mock_server.webhooks.worker_pool import MOST, WorkerPool
from mock_server.webhooks.workspace_queues import STAGGER_S, WIDTH
from tests.counts import times
from tests.webhooks.busy import PATIENCE_S, Busy, elsewhere
from tests.webhooks.shops import HOOK, Delivered, mall

STAGGER_MS = round(STAGGER_S * 1000) + 1


def test_nothing_is_sent_twice_whoever_looks(busy: Busy) -> None:
    busy.door.is_open.set()
    clients = [busy.mall.api.as_key(f"snd_{number}_0123456789") for number in range(4)]
    for client in clients:
        for _ in range(25):
            client.pay()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(40):
            pool.submit(busy.look)
    busy.until(lambda: len(busy.door.came) >= 100)
    ids = Counter(got.envelope["event_id"] for got in busy.door.came)
    assert (len(ids), set(ids.values())) == (100, {1})


def test_events_of_one_payment_go_out_one_after_another(busy: Busy) -> None:
    first = busy.mall.api.pay(capture_method="manual")["payment_id"]
    busy.look()
    busy.door.wait_for(1)
    busy.mall.api.post(f"/payments/{first}/capture", {"amount_to_capture": 6540})
    other = busy.mall.api.pay()["payment_id"]
    busy.later(STAGGER_MS)
    busy.door.wait_for(2)
    assert [(got.type, got.object["payment_id"]) for got in busy.door.came] == [
        ("payment_authorized", first), ("payment_succeeded", other),
    ]  # fmt: skip
    busy.door.is_open.set()
    busy.until(lambda: busy.delivered() == [True, True, True])
    assert busy.door.came[2].object["payment_id"] == first


def test_a_failed_one_does_not_hold_up_those_behind_it(busy: Busy) -> None:
    busy.mall.shop.answers = [500]
    busy.mall.shop.always = 200
    first = busy.mall.api.pay(capture_method="manual")["payment_id"]
    busy.mall.api.post(f"/payments/{first}/capture", {"amount_to_capture": 6540})
    busy.until(lambda: busy.delivered() == [False, True])


def test_each_event_waits_for_the_one_before_but_not_for_long(busy: Busy) -> None:
    for _ in range(3):
        busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    assert busy.look() == busy.mall.clock.now_ms() + STAGGER_MS
    assert len(busy.door.came) == 1
    busy.later(STAGGER_MS)
    busy.door.wait_for(2)


def test_a_slow_receiver_holds_up_no_other_workspace(busy: Busy) -> None:
    quick: list[Delivered] = []
    came = threading.Event()

    def receive(delivered: Delivered) -> int:
        if delivered.url.endswith("/slow"):
            return busy.door(delivered)
        quick.append(delivered)
        came.set()
        return 200

    busy.mall.shop.always = receive
    slow = busy.mall.api.as_key("snd_slow_0123456789")
    slow.put("/_sandbox/webhooks/target", {"url": f"{HOOK}/slow"})
    for _ in range(WIDTH + 3):
        slow.pay()
    for number in range(WIDTH):
        busy.later(STAGGER_MS)
        busy.door.wait_for(number + 1)
    busy.later(STAGGER_MS)
    assert len(busy.door.came) == WIDTH
    busy.mall.api.pay()
    busy.look()
    came.wait()
    assert [got.type for got in quick] == ["payment_succeeded"]
    assert len(busy.door.came) == WIDTH


@pytest.mark.parametrize("together", [True, False])
def test_receivers_that_hang_hold_up_nobody_else(busy: Busy, together: bool) -> None:
    """Neither in their own workspace nor in others: whoever answers has its event in the same round."""
    hanging = times(2 * WIDTH, soak=200)
    came = threading.Event()

    def receive(delivered: Delivered) -> int:
        if "/hangs" in delivered.url:
            return busy.door(delivered)
        came.set()
        return 200

    busy.mall.shop.always = receive
    here = busy.mall.api
    for number in range(hanging):
        api = here if together else here.as_key(f"snd_hangs{number}_0123456789")
        api.put("/_sandbox/webhooks/target", {"url": f"{HOOK}/hangs{number}"})
        for _ in range(WIDTH + 1):
            api.pay()
        busy.look()
        busy.door.wait_for(number + 1)
    for number in range(1, WIDTH):
        busy.later(STAGGER_MS)
        busy.door.wait_for(min(hanging * (number + 1), MOST // 2))
    here.put("/_sandbox/webhooks/target", {"url": f"{HOOK}/answers"})
    here.pay()
    busy.look()
    assert came.wait(PATIENCE_S)


def test_what_waits_for_an_address_goes_to_the_one_that_is_set_meanwhile(busy: Busy) -> None:
    for _ in range(WIDTH + 1):
        busy.mall.api.pay()
    for number in range(WIDTH):
        busy.later(STAGGER_MS)
        busy.door.wait_for(number + 1)
    busy.mall.api.put("/_sandbox/webhooks/target", {"url": f"{HOOK}/other"})
    busy.door.is_open.set()
    busy.until(lambda: busy.delivered() == [True] * (WIDTH + 1))
    assert [got.url for got in busy.door.came] == [HOOK] * WIDTH + [f"{HOOK}/other"]


def test_what_waits_for_its_turn_is_in_a_snapshot_and_outlives_the_end(busy: Busy) -> None:
    for _ in range(WIDTH + 2):
        busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    busy.mall.api.put("/_sandbox/snapshots/waiting")
    busy.mall.api.sandbox.stop()
    made = [event.event_id for event in busy.mall.events()]
    due = busy.mall.workspace.space.transact(lambda tx: [one.subject for one in tx.all_due() if one.what == "deliver"])
    assert due == made[1:]
    busy.mall.api.post("/_sandbox/snapshots/waiting/restore")
    due = busy.mall.workspace.space.transact(lambda tx: [one.subject for one in tx.all_due() if one.what == "deliver"])
    assert sorted(due) == sorted(made)


def test_what_was_sent_by_hand_is_not_sent_again_when_its_turn_comes(busy: Busy) -> None:
    for _ in range(WIDTH + 1):
        busy.mall.api.pay()
    for number in range(WIDTH):
        busy.later(STAGGER_MS)
        busy.door.wait_for(number + 1)
    busy.mall.shop.always = 200
    last = busy.mall.events()[-1].event_id
    assert busy.mall.api.post(f"/_sandbox/webhooks/{last}/resend").json["is_delivered"] is True
    busy.door.is_open.set()
    busy.until(lambda: busy.delivered() == [True] * (WIDTH + 1))
    busy.until(lambda: busy.workers.is_idle)
    assert len(busy.mall.shop.got) == WIDTH + 1


def test_a_long_queue_lets_the_next_workspace_come_first() -> None:
    """With one thread for all, a workspace with much to send stands back after each turn."""
    order: list[str] = []
    one = mall(workers=WorkerPool(most=1, idle_s=0.1))
    done = threading.Event()

    def receive(delivered: Delivered) -> int:
        order.append(delivered.envelope["merchant_id"])
        if len(order) == 3 * TURN + 1:
            done.set()
        return 200

    one.shop.always = receive
    other = one.api.as_key("snd_other_0123456789")
    for _ in range(3 * TURN):
        one.api.pay()
    other.pay()
    sandbox = one.api.sandbox
    sandbox.start()
    try:
        done.wait()
    finally:
        sandbox.stop()
    (small,) = [place for place, merchant in enumerate(order) if merchant != one.workspace.merchant_id]
    assert small <= 2 * TURN


def test_one_that_never_comes_back_is_given_up(busy: Busy) -> None:
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    busy.later(30 * SECOND_MS)
    assert busy.delivered() == [None]
    busy.later(2 * SECOND_MS)
    (event,), (attempt,) = busy.mall.events(), busy.mall.attempts()
    assert (attempt.error, attempt.status, event.delivered) == ("no answer within 30 s", None, False)
    assert event.next_at == attempt.made_at + MINUTE_MS
    busy.door.let()
    busy.until(lambda: busy.workers.is_idle)
    assert len(busy.mall.attempts()) == 1


def test_it_says_when_to_look_again(busy: Busy) -> None:
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    assert busy.look() == busy.mall.clock.now_ms() + 31 * SECOND_MS + 1
    busy.door.let()
    busy.until(lambda: busy.delivered() == [True])
    busy.mall.shop.always = 500
    busy.mall.api.pay()
    busy.until(lambda: busy.delivered() == [True, False])
    assert busy.look() == busy.mall.clock.now_ms() + MINUTE_MS


def test_all_copies_leave_at_one_moment(busy: Busy) -> None:
    meeting = threading.Barrier(5)

    def receive(_: Delivered) -> int:
        meeting.wait()
        return 200

    busy.mall.shop.always = receive
    busy.mall.scenario({"on": "webhook.*", "then": {"copies": 5, "concurrently": True}})
    busy.mall.api.pay()
    busy.until(lambda: len(busy.mall.attempts()) == 5)
    assert not meeting.broken
    assert {made.status for made in busy.mall.attempts()} == {200}


# by hand


def test_what_a_worker_took_already_is_waited_for_all_the_same(busy: Busy) -> None:
    """A call whose event goes first may find that a worker was there before it."""
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    workspace, event_id = busy.mall.workspace, busy.mall.events()[0].event_id
    (held,) = busy.mall.api.sandbox.post.send_first(workspace, [event_id])
    assert not held.done()
    busy.door.let()
    assert [made.status for made in held.result(PATIENCE_S)] == [200]
    assert busy.mall.api.sandbox.post.send_first(workspace, [event_id, "evt_none"]) == []
    assert len(busy.door.came) == 1


def test_one_sent_again_by_hand_goes_past_the_others(busy: Busy) -> None:
    busy.mall.shop.always = 500
    busy.mall.api.pay()
    busy.until(lambda: busy.delivered() == [False])
    busy.mall.shop.always = busy.door
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    again = elsewhere(lambda: busy.mall.api.post(f"/_sandbox/webhooks/{busy.mall.events()[0].event_id}/resend").json)
    busy.door.wait_for(2)
    busy.door.is_open.set()
    answer = again.result(PATIENCE_S)
    assert (answer["is_delivered"], answer["made"][0]["kind"], answer["made"][0]["status"]) == (
        True,
        "manual_retry",
        200,
    )
    assert (answer["attempts"], answer["next_attempt_at"]) == (2, None)
    assert busy.mall.events()[0].fate is not SkipReason.GIVEN_UP
