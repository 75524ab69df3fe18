"""What was not taken comes again, by the workspace's clock (facts §6.2)."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mock_server.domain.events import AttemptKind, SkipReason
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS
from mock_server.webhooks.delivery_log import DELAYS
from tests.counts import times
from tests.store.retrying import RetryingStore
from tests.webhooks.shops import Mall, each, mall


def test_the_whole_table_runs_through_at_once(shopping: Mall) -> None:
    shopping.shop.always = 500
    shopping.api.pay()
    fired = shopping.advance("30h")["fired"]
    instants = [sum(DELAYS[:count]) for count in range(17)]
    assert [got.at for got in shopping.shop.got] == instants
    assert [one["what"] for one in fired] == ["deliver"] * 17
    (event,) = shopping.events()
    assert (event.delivered, event.attempts, event.fate, event.next_at) == (False, 17, SkipReason.GIVEN_UP, None)
    kinds = [AttemptKind.INITIAL, *[AttemptKind.AUTOMATIC] * 16]
    assert each(shopping.attempts(), "kind") == kinds
    assert len({got.body for got in shopping.shop.got}) == 1
    assert len({got.signature for got in shopping.shop.got}) == 1
    assert len(set(each(shopping.attempts(), "attempt_id"))) == 17


def test_they_end_when_one_is_taken(shopping: Mall) -> None:
    shopping.shop.answers = [500, "the connection was refused", 404]
    shopping.api.pay()
    shopping.advance("30h")
    assert [got.at for got in shopping.shop.got] == [0, MINUTE_MS, 6 * MINUTE_MS, 11 * MINUTE_MS]
    (event,) = shopping.events()
    assert (event.delivered, event.attempts, event.fate) == (True, 4, None)


def test_the_body_stays_although_the_payment_moved_on(shopping: Mall) -> None:
    shopping.shop.answers = [500]
    made = shopping.api.pay(capture_method="manual")["payment_id"]
    shopping.deliver()
    shopping.api.post(f"/payments/{made}/capture", {"amount_to_capture": 6540})
    shopping.advance("1m")
    first, captured, again = shopping.shop.got
    assert first.body == again.body != captured.body
    assert again.object["status"] == "requires_capture"


def test_while_the_clock_stands_nothing_comes_again(shopping: Mall) -> None:
    shopping.shop.always = 500
    shopping.api.post("/_sandbox/clock/freeze")
    shopping.api.pay()
    shopping.deliver()
    shopping.clock.advance(DAY_MS)
    shopping.deliver()
    assert len(shopping.shop.got) == 1
    shopping.api.post("/_sandbox/clock/resume")
    shopping.clock.advance(MINUTE_MS)
    shopping.deliver()
    assert len(shopping.shop.got) == 2


def test_an_advance_can_leave_them_due(shopping: Mall) -> None:
    shopping.api.post("/_sandbox/clock/freeze")
    shopping.api.pay()
    left = shopping.api.post("/_sandbox/clock/advance", {"by": "24h", "deliver": False}).json
    assert (left["fired"], shopping.shop.got) == ([], [])
    assert left["next_due"]["what"] == "deliver"
    shopping.deliver()
    assert [got.at for got in shopping.shop.got] == [DAY_MS]


def test_a_receiver_may_call_while_the_clock_is_led(shopping: Mall) -> None:
    """What it adds is included, at the instant where the clock stands; leading the clock itself is refused."""
    api, seen = shopping.api, []

    def receive(delivered: Any) -> int:
        if delivered.type == "payment_authorized":
            api.post(f"/payments/{delivered.object['payment_id']}/capture", {"amount_to_capture": 6540})
            refused = api.post("/_sandbox/clock/advance", {"by": "1h"})
            seen.append((refused.status, refused.error["code"]))
        return 200

    shopping.shop.always = receive
    api.post("/_sandbox/clock/freeze")
    api.pay(capture_method="manual")
    shopping.advance("1h")
    assert shopping.shop.types == ["payment_authorized", "payment_succeeded"]
    assert [got.at for got in shopping.shop.got] == [0, 0]
    assert seen == [(409, "IR_16")]


ANSWERS = st.sampled_from([200, 200, 500, 404, "the connection was refused"])
CARDS = st.sampled_from(["success", "visa_generic_decline", "visa_pending_succeeds", "visa_pending_fails"])
STEPS = st.lists(st.integers(0, 3 * HOUR_MS), min_size=1, max_size=8)


@settings(max_examples=times(20, soak=200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    cards=st.lists(CARDS, min_size=1, max_size=3),
    answers=st.lists(ANSWERS, max_size=12),
    steps=STEPS,
    frozen=st.booleans(),
    twice=st.booleans(),
)
def test_a_jump_and_any_partition_of_it_give_the_same_log(
    cards: list[str], answers: list[Any], steps: list[int], frozen: bool, twice: bool
) -> None:
    jumped, walked = (_filled(cards, answers, frozen=frozen, twice=twice) for _ in range(2))
    jumped.advance(f"{sum(steps)}ms")
    for step in steps:
        walked.advance(f"{step}ms")
    assert _log(walked) == _log(jumped)
    assert walked.workspace.space.dump() == jumped.workspace.space.dump()


def _filled(cards: list[str], answers: list[Any], *, frozen: bool, twice: bool) -> Mall:
    made = mall(store=RetryingStore() if twice else None)
    made.shop.answers = list(answers)
    if frozen:
        made.api.post("/_sandbox/clock/freeze")
    for card in cards:
        assert made.api.pay(card).status == 200
    return made


def _log(of: Mall) -> list[Any]:
    received = [(got.at, got.body, got.headers) for got in of.shop.got]
    return [received, of.events(), of.attempts()]
