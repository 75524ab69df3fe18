"""Many worlds, many threads, receivers that take their time: what is promised holds all the same."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from mock_server.domain.delivery import ATTEMPTS, Fate
from mock_server.domain.instants import MINUTE_MS, SECOND_MS
from mock_server.sandbox import World
from mock_server.sandbox.delivering import Delivering
from mock_server.webhooks.dispatcher import TURN
from mock_server.webhooks.hands import Hands
from mock_server.webhooks.lane import STAGGER_S, WIDTH
from tests.webhooks.shops import HOOK, ORIGIN, Delivered, Mall, each, mall

PATIENCE_S = 10.0
STAGGER_MS = round(STAGGER_S * 1000) + 1


class Door:
    """A receiver that answers only when it is let; what came is counted."""

    def __init__(self) -> None:
        self.came: list[Delivered] = []
        self._changed = threading.Condition()
        self._let = threading.Semaphore(0)
        self.is_open = threading.Event()

    def __call__(self, delivered: Delivered) -> int:
        with self._changed:
            self.came.append(delivered)
            self._changed.notify_all()
        while not self.is_open.is_set():
            if self._let.acquire(timeout=0.05):
                break
        return 200

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.came) >= count, PATIENCE_S), len(self.came)

    def let(self, count: int = 1) -> None:
        self._let.release(count)


class Busy:
    """A server with real threads, and one shop whose door is shut."""

    def __init__(self, made: Mall, hands: Hands) -> None:
        self.mall = made
        self.hands = hands
        self.door = Door()
        self.mall.shop.always = self.door

    def look(self) -> int:
        """One round of the server's thread."""
        return self.mall.api.sandbox.run_once(self.mall.clock.now_ms())

    def later(self, ms: int) -> None:
        self.mall.clock.advance(ms)
        self.look()

    def until(self, holds: Any) -> None:
        """Looks after everything until something holds; each attempt that is kept is a reason to look again."""
        for _ in range(1000):
            if holds():
                return
            self.look()
            space = self.mall.world.space
            kept = space.transact(lambda tx: len(tx.entries(ATTEMPTS)))
            space.wait_for(ATTEMPTS, kept, 0.01)
        raise AssertionError("it never held")

    def delivered(self) -> list[Any]:
        return each(self.mall.events(), "delivered")


@pytest.fixture
def busy() -> Iterator[Busy]:
    hands = Hands(idle_s=0.1)
    made = Busy(mall(hands=hands, advance_delivery_timeout=0.2, before_response_timeout=0.3), hands)
    yield made
    made.door.is_open.set()
    made.mall.api.sandbox.stop()


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


def test_a_slow_receiver_holds_up_no_other_world(busy: Busy) -> None:
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
    assert came.wait(PATIENCE_S)
    assert [got.type for got in quick] == ["payment_succeeded"]
    assert len(busy.door.came) == WIDTH


def test_a_long_queue_lets_the_next_world_come_first() -> None:
    """With one thread for all, a world with much to send stands back after each turn."""
    order: list[str] = []
    one = mall(hands=Hands(most=1, idle_s=0.1))
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
        assert done.wait(PATIENCE_S)
    finally:
        sandbox.stop()
    (small,) = [place for place, merchant in enumerate(order) if merchant != one.world.merchant_id]
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
    busy.until(lambda: busy.hands.is_idle)
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
        meeting.wait(PATIENCE_S)
        return 200

    busy.mall.shop.always = receive
    busy.mall.scenario({"on": "webhook.*", "then": {"copies": 5, "concurrently": True}})
    busy.mall.api.pay()
    busy.until(lambda: len(busy.mall.attempts()) == 5)
    assert not meeting.broken
    assert {made.status for made in busy.mall.attempts()} == {200}


# the clock


def test_an_advance_waits_for_what_is_on_its_way(busy: Busy) -> None:
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    advancing = _elsewhere(lambda: busy.mall.advance("30s"))
    busy.door.let()
    assert advancing.result(PATIENCE_S)["fired"] == []
    assert busy.delivered() == [True]


def test_an_advance_does_not_wait_for_ever(busy: Busy) -> None:
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    done = busy.mall.advance("90s")
    first, again = busy.mall.attempts()
    assert [first.error, again.error] == ["no answer within 0.2 s"] * 2
    assert again.made_at - first.made_at == MINUTE_MS
    assert [one["what"] for one in done["fired"]] == ["deliver"]


def test_a_receiver_may_lead_the_clock_itself(busy: Busy) -> None:
    """Outside of an advance: it waits for its own delivery, which counts as timed out, and goes on."""
    answers: Future[Any] = Future()

    def receive(delivered: Delivered) -> int:
        if not answers.done():
            answers.set_result(busy.mall.api.post("/_sandbox/clock/advance", {"by": "30s"}))
        return 200

    busy.mall.shop.always = receive
    busy.mall.api.pay()
    busy.look()
    assert answers.result(PATIENCE_S).status == 200
    busy.until(lambda: busy.delivered() == [False])
    assert busy.mall.attempts()[0].error == "no answer within 0.2 s"
    busy.mall.advance("60s")
    assert busy.delivered() == [True]


def test_while_the_clock_is_led_nobody_else_sends(busy: Busy) -> None:
    busy.mall.api.pay()
    advancing = _elsewhere(lambda: busy.mall.advance("1h"))
    busy.door.wait_for(1)
    busy.mall.api.pay()
    for _ in range(3):
        assert busy.look() >= busy.mall.clock.now_ms() + SECOND_MS
    assert len(busy.door.came) == 1
    busy.door.is_open.set()
    assert len(advancing.result(PATIENCE_S)["fired"]) == 2


# reset, snapshots, the end


def test_a_reset_drops_what_waits_and_does_not_see_what_is_on_its_way(busy: Busy) -> None:
    for _ in range(3):
        busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    old = busy.mall.world
    assert busy.mall.api.post("/_sandbox/reset").status == 200
    busy.door.is_open.set()
    busy.until(lambda: _attempts_of(old) == 1)
    busy.later(MINUTE_MS)
    assert len(busy.door.came) == 1
    assert (busy.mall.events(), busy.mall.attempts()) == ([], [])
    busy.mall.api.pay()
    busy.until(lambda: busy.delivered() == [True])


def test_what_was_on_its_way_in_a_snapshot_is_due_in_the_restored_world(busy: Busy) -> None:
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
    ended = _elsewhere(busy.mall.api.sandbox.stop)
    ended.result(2)


def test_one_that_was_stopped_can_start_again(busy: Busy) -> None:
    busy.mall.api.sandbox.post = busy.mall.api.sandbox.deliveries = _new_post(busy)
    busy.door.is_open.set()
    for count in (1, 2):
        busy.mall.api.sandbox.start()
        busy.mall.api.pay()
        busy.door.wait_for(count)
        busy.mall.api.sandbox.stop()


def test_what_falls_out_of_the_inbox_meanwhile_is_gone() -> None:
    hands = Hands(idle_s=0.1)
    small = Busy(mall(hands=hands, inbox=1), hands)
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
        assert small.mall.world.space.transact(lambda tx: tx.facts("deliver.line.")) == {}
    finally:
        small.mall.api.sandbox.stop()


# by hand


def test_what_a_worker_took_already_is_waited_for_all_the_same(busy: Busy) -> None:
    """A call whose event goes first may find that a worker was there before it."""
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    world, event_id = busy.mall.world, busy.mall.events()[0].event_id
    (held,) = busy.mall.api.sandbox.post.send_first(world, [event_id])
    assert not held.done()
    busy.door.let()
    assert [made.status for made in held.result(PATIENCE_S)] == [200]
    assert busy.mall.api.sandbox.post.send_first(world, [event_id, "evt_none"]) == []
    assert len(busy.door.came) == 1


def test_one_sent_again_by_hand_goes_past_the_others(busy: Busy) -> None:
    busy.mall.shop.always = 500
    busy.mall.api.pay()
    busy.until(lambda: busy.delivered() == [False])
    busy.mall.shop.always = busy.door
    busy.mall.api.pay()
    busy.look()
    busy.door.wait_for(1)
    again = _elsewhere(lambda: busy.mall.api.post(f"/_sandbox/webhooks/{busy.mall.events()[0].event_id}/resend").json)
    busy.door.wait_for(2)
    busy.door.is_open.set()
    answer = again.result(PATIENCE_S)
    assert (answer["is_delivered"], answer["made"][0]["kind"], answer["made"][0]["status"]) == (
        True,
        "manual_retry",
        200,
    )
    assert (answer["attempts"], answer["next_attempt_at"]) == (2, None)
    assert busy.mall.events()[0].fate is not Fate.GIVEN_UP


def _new_post(busy: Busy) -> Delivering:
    """Deliveries with hands of their own, which come anew with each start."""
    sandbox = busy.mall.api.sandbox
    made = Delivering(sandbox.settings, busy.mall.clock, sandbox.wake)
    made.connect(ORIGIN, busy.mall.shop)
    return made


def _attempts_of(world: World) -> int:
    return world.space.transact(lambda tx: len(tx.entries(ATTEMPTS)))


def _elsewhere(work: Any) -> Future[Any]:
    """Runs something in a thread of its own."""
    result: Future[Any] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as problem:
            result.set_exception(problem)

    threading.Thread(target=run, daemon=True).start()
    return result
