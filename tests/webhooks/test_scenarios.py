"""The webhook channel of the scenario language, key by key."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest

from mock_server.domain.events import SkipReason
from mock_server.domain.instants import MINUTE_MS, SECOND_MS
from mock_server.webhooks.signing import HEADER
from tests.webhooks.shops import Mall, each, mall
from tests.wire import card_payment

BODY = card_payment()
CAPTURED = "webhook.payment_succeeded"


def rule(then: Any, on: str = CAPTURED, **more: Any) -> dict[str, Any]:
    return {"on": on, "then": then, **more}


def capture(shopping: Mall, amount: int = 6540) -> str:
    """A payment that tells two events."""
    made = str(shopping.api.pay(capture_method="manual")["payment_id"])
    assert shopping.api.post(f"/payments/{made}/capture", {"amount_to_capture": amount}).status == 200
    return made


def good(shopping: Mall, body: bytes) -> str:
    secret = shopping.api.get("/_sandbox/webhooks/target")["secret"]
    return hmac.new(secret.encode(), body, hashlib.sha512).hexdigest()


# drop, copies, concurrently


def test_what_is_dropped_never_comes_and_says_so(shopping: Mall) -> None:
    shopping.scenario(rule({"drop": True}))
    capture(shopping)
    shopping.advance("30h")
    assert shopping.shop.types == ["payment_authorized"]
    dropped = shopping.inbox()[1]
    assert (dropped["fate"], dropped["is_delivered"], dropped["attempts"]) == (SkipReason.DROPPED, None, 0)
    assert dropped["why"] == "dropped by a scenario"
    assert "trouble" in dropped["because"][0]
    assert "dropped" in dropped["because"][0]


def test_a_rule_for_each_attempt_lets_a_refused_one_come_twice_later(shopping: Mall) -> None:
    first, again = rule({"signature": "missing"}, when={"attempt": 1}), rule({"copies": 2}, when={"attempt": 2})
    shopping.shop.answers = [401]
    shopping.scenario(first, again)
    shopping.api.pay()
    shopping.advance("30h")
    assert [(got.at, got.signature is None) for got in shopping.shop.got] == [(0, True), *[(MINUTE_MS, False)] * 2]


def test_the_call_that_told_it_says_why(shopping: Mall) -> None:
    shopping.scenario(rule({"copies": 3}))
    reply = shopping.api.pay()
    assert "rule 1 at trouble" in reply.headers["X-Sandbox-Because"]
    assert "3 copies" in reply.headers["X-Sandbox-Because"]
    line = shopping.api.get("/_sandbox/journal").json["data"][-1]
    assert "3 copies" in line["because"][-1]["text"]


def test_copies_are_the_same_to_the_byte_and_one_attempt(shopping: Mall) -> None:
    shopping.scenario(rule({"copies": 3}))
    shopping.shop.answers = [500, 200, 500]
    shopping.api.pay()
    shopping.advance("30h")
    assert len(shopping.shop.got) == 3
    assert len({(got.body, got.signature) for got in shopping.shop.got}) == 1
    (event,) = shopping.events()
    assert (event.attempts, event.delivered) == (1, True)
    assert [(made.number, made.copy, made.status) for made in shopping.attempts()] == [
        (1, 1, 500), (1, 2, 200), (1, 3, 500),
    ]  # fmt: skip
    assert len(set(each(shopping.attempts(), "attempt_id"))) == 3


# signature, body


def test_a_wrong_signature_is_one_of_this_attempt_alone(shopping: Mall) -> None:
    shopping.scenario(rule({"signature": "wrong"}, times=1))
    shopping.shop.answers = [401]
    shopping.api.pay()
    shopping.advance("30h")
    forged, genuine = shopping.shop.got
    assert forged.body == genuine.body
    assert forged.signature != good(shopping, forged.body)
    assert genuine.signature == good(shopping, genuine.body)
    assert [made.because is None for made in shopping.attempts()] == [False, True]


def test_a_missing_signature(shopping: Mall) -> None:
    shopping.scenario(rule({"signature": "missing"}))
    shopping.api.pay()
    shopping.deliver()
    assert HEADER not in shopping.shop.got[0].headers


def test_a_stale_body_shows_the_object_before_the_event(shopping: Mall) -> None:
    shopping.scenario(rule({"body": "stale"}))
    capture(shopping)
    shopping.deliver()
    authorized, stale = shopping.shop.got
    assert (stale.type, stale.object["status"]) == ("payment_succeeded", "requires_capture")
    assert stale.object == authorized.object
    assert stale.signature == good(shopping, stale.body)
    shown = shopping.inbox()[1]
    assert shown["payload"].encode() == stale.body
    assert shown["deliveries"][0]["stale"] is True


def test_a_stale_body_of_a_first_event_shows_a_payment_nobody_paid(shopping: Mall) -> None:
    shopping.scenario(rule({"body": "stale"}, times=1))
    shopping.shop.answers = [500]
    made = shopping.api.pay()
    shopping.advance("1m")
    stale, fresh = shopping.shop.got
    assert (stale.object["status"], stale.object["amount_received"]) == ("requires_confirmation", None)
    assert stale.object["connector_transaction_id"] is None
    assert fresh.object == shopping.api.get(f"/payments/{made['payment_id']}").json


def test_a_stale_refund_shows_what_there_is(shopping: Mall) -> None:
    shopping.scenario(rule({"body": "stale"}, on="webhook.refund_succeeded"))
    made = shopping.api.pay()["payment_id"]
    shopping.api.post("/refunds", {"payment_id": made, "amount": 100})
    shopping.deliver()
    assert shopping.shop.got[1].object["amount"] == 100


# deliver


def test_a_delay_is_of_the_workspaces_clock(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": {"delay": "2s"}}, on="webhook.payment_authorized"))
    capture(shopping)
    shopping.deliver()
    assert shopping.shop.types == ["payment_succeeded"]
    assert shopping.inbox()[0]["next_attempt_at"] == "2026-01-01T00:00:02.000Z"
    shopping.clock.advance(2 * SECOND_MS)
    shopping.deliver()
    assert [(got.type, got.at) for got in shopping.shop.got] == [("payment_succeeded", 0), ("payment_authorized", 2000)]


def test_a_delay_does_not_move_the_retries(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": {"delay": "2s"}}))
    shopping.shop.answers = [500]
    shopping.api.pay()
    shopping.advance("1h")
    assert [got.at for got in shopping.shop.got] == [2000, 2000 + MINUTE_MS]


def test_one_that_follows_comes_after_the_other_was_delivered(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": {"following": "payment_succeeded"}}, on="webhook.payment_authorized"))
    shopping.shop.answers = [500]
    capture(shopping)
    shopping.deliver()
    waits = shopping.inbox()[0]
    assert (waits["fate"], waits["waits_for"], waits["next_attempt_at"]) == (
        SkipReason.FOLLOWS,
        "payment_succeeded",
        None,
    )
    shopping.advance("1h")
    assert [(got.type, got.at) for got in shopping.shop.got] == [
        ("payment_succeeded", 0), ("payment_succeeded", MINUTE_MS), ("payment_authorized", MINUTE_MS),
    ]  # fmt: skip
    assert shopping.inbox()[0]["fate"] is None


@pytest.mark.parametrize("on", ["webhook.*", "webhook.payment_*"])
@pytest.mark.parametrize("first", ["payment_authorized", "payment_succeeded"])
def test_all_that_follow_one_of_them_are_sent_and_that_one_first(shopping: Mall, on: str, first: str) -> None:
    shopping.scenario(rule({"deliver": {"following": first}}, on=on))
    capture(shopping)
    shopping.advance("1h")
    assert shopping.shop.types[0] == first
    assert sorted(shopping.shop.types) == ["payment_authorized", "payment_succeeded"]


def test_one_that_follows_waits_for_its_own_payment_alone(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": {"following": "payment_succeeded"}}, on="webhook.payment_authorized"))
    shopping.api.pay(capture_method="manual")
    shopping.api.pay()
    shopping.advance("30h")
    assert shopping.shop.types == ["payment_succeeded"]


def test_one_that_follows_what_was_delivered_already_does_not_wait(shopping: Mall) -> None:
    made = shopping.api.pay()["payment_id"]
    shopping.deliver()
    shopping.scenario(rule({"deliver": {"following": "payment_succeeded"}}, on="webhook.refund_succeeded"))
    shopping.api.post("/refunds", {"payment_id": made, "amount": 100})
    shopping.deliver()
    assert shopping.shop.types == ["payment_succeeded", "refund_succeeded"]


def test_during_the_redirect_waits_for_it(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": "during_redirect"}))
    made = shopping.api.pay()["payment_id"]
    shopping.deliver()
    assert (shopping.shop.got, shopping.inbox()[0]["fate"]) == ([], SkipReason.REDIRECT)
    (left,) = shopping.api.sandbox.post.redirecting(shopping.workspace, made)
    assert left.done()
    assert shopping.shop.types == ["payment_succeeded"]
    assert shopping.api.sandbox.post.redirecting(shopping.workspace, made) == []
    shopping.advance("1h")
    assert len(shopping.shop.got) == 1


def test_a_customer_who_never_comes_back_holds_nothing_up_for_ever(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": "during_redirect"}))
    shopping.api.pay()
    shopping.advance("1h")
    assert [got.at for got in shopping.shop.got] == [MINUTE_MS]


def test_before_the_response(shopping: Mall) -> None:
    """The receiver has the whole answer of the API before the client has any of it, and nothing is locked."""
    seen: list[Any] = []

    def receive(delivered: Any) -> int:
        if delivered.type == "payment_succeeded":
            payment_id = delivered.object["payment_id"]
            seen.append(shopping.api.get(f"/payments/{payment_id}")["status"])
            seen.append(shopping.api.post("/refunds", {"payment_id": payment_id, "amount": 100})["status"])
        return 200

    shopping.shop.always = receive
    shopping.scenario(rule({"deliver": "before_response"}))
    made = shopping.api.pay()
    assert (made["status"], seen) == ("succeeded", ["succeeded", "succeeded"])
    assert "before the response" in made.headers["X-Sandbox-Because"]
    shopping.advance("1h")
    assert shopping.shop.types == ["payment_succeeded", "refund_succeeded"]


def test_before_the_response_of_a_repeat_nothing_comes(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": "before_response"}))
    for _ in range(2):
        shopping.api.post("/payments", {**BODY, "confirm": True}, X_Idempotency_Key="k")
    assert len(shopping.shop.got) == 1


def test_before_the_response_of_the_control_api(shopping: Mall) -> None:
    made = shopping.api.pay("visa_pending_succeeds")["payment_id"]
    shopping.deliver()
    shopping.scenario(rule({"deliver": "before_response"}))
    shopping.api.post(f"/_sandbox/payments/{made}/settle", {"as": "succeeded"})
    assert shopping.shop.types == ["payment_processing", "payment_succeeded"]


def test_before_a_response_that_there_is_none_of_it_comes_at_once(shopping: Mall) -> None:
    shopping.scenario(rule({"deliver": "before_response"}))
    shopping.api.pay("visa_pending_succeeds")
    shopping.deliver()
    shopping.clock.advance(MINUTE_MS)
    shopping.api.sandbox.run_once(shopping.clock.now_ms())
    assert shopping.shop.types[-1] == "payment_succeeded"


# which deliveries


def test_conditions_look_at_attempt_event_and_payment(shopping: Mall) -> None:
    shopping.scenario(
        rule({"signature": "missing"}, on="webhook.*", when={"attempt": 2, "payment.metadata.order": "42"}),
        rule({"copies": 2}, on="webhook.*", when={"event.type": "payment_failed"}),
    )
    shopping.shop.answers = [500, 500, 500]
    shopping.api.pay(metadata={"order": "42"})
    shopping.api.pay("visa_generic_decline")
    shopping.advance("1h")
    signed = [(got.type, got.signature is not None) for got in shopping.shop.got]
    assert signed == [
        ("payment_succeeded", True), ("payment_failed", True), ("payment_failed", True),
        ("payment_succeeded", False), ("payment_failed", True), ("payment_failed", True),
    ]  # fmt: skip


def test_a_scenario_named_by_the_call_speaks_on_its_webhooks_and_their_retries(shopping: Mall) -> None:
    shopping.api.put("/_sandbox/scenarios/named", {"version": 1, "name": "named", "rules": [rule({"copies": 2})]})
    shopping.shop.answers = [500, 500]
    shopping.api.post("/payments", {**BODY, "confirm": True}, X_Sandbox_Scenario="named")
    shopping.api.pay()
    shopping.advance("1h")
    assert [got.at for got in shopping.shop.got] == [0, 0, 0, MINUTE_MS, MINUTE_MS]


def test_a_scenario_named_in_metadata_stays_with_the_payment(shopping: Mall) -> None:
    shopping.api.put("/_sandbox/scenarios/named", {"version": 1, "name": "named", "rules": [rule({"drop": True})]})
    made = shopping.api.pay(capture_method="manual", metadata={"sandbox_scenario": "named"})["payment_id"]
    shopping.api.post(f"/payments/{made}/capture", {"amount_to_capture": 6540})
    shopping.advance("1h")
    assert shopping.shop.types == ["payment_authorized"]


def test_the_one_shot_queue(shopping: Mall) -> None:
    shopping.api.post("/_sandbox/next", {"on": "webhook.*", "then": {"drop": True}})
    shopping.api.pay()
    shopping.api.pay()
    shopping.advance("1h")
    assert len(shopping.shop.got) == 1
    assert [event["fate"] for event in shopping.inbox()] == ["dropped", None]


def test_rules_are_drawn_in_the_order_of_the_events(shopping: Mall) -> None:
    shopping.scenario(rule([{"drop": True}, {"copies": 2}, {"signature": "missing"}], on="webhook.*"))
    for _ in range(3):
        shopping.api.pay()
    shopping.deliver()
    assert [got.signature is None for got in shopping.shop.got] == [False, False, True]


def test_chaos_draws_the_same_again() -> None:
    def fates() -> list[Any]:
        made = mall()
        made.scenario(chaos={"webhook_copies": "40%"})
        for number in range(30):
            made.api.pay(payment_id=f"order_{number}")
        made.deliver()
        return [got.envelope["event_id"] for got in made.shop.got]

    first = fates()
    assert 30 < len(first) < 60
    assert fates() == first


def test_expectations_count_what_arrived(shopping: Mall) -> None:
    expect = [
        {"webhooks": {"type": "payment_succeeded", "delivered": True}, "exactly": 1},
        {"webhooks": {"type": "payment_succeeded", "http": 500, "object.status": "succeeded"}, "exactly": 1},
        {"in_order": ["calls.payments.create", "webhooks.payment_succeeded"]},
    ]
    shopping.scenario(expect=expect)
    shopping.shop.answers = [500]
    shopping.api.pay()
    assert shopping.api.post("/_sandbox/scenarios/trouble/check").json["holds"] is False
    shopping.advance("1h")
    checked = shopping.api.post("/_sandbox/scenarios/trouble/check").json
    assert checked["holds"] is True, checked


def test_before_the_response_counts_before_the_call(shopping: Mall) -> None:
    expect = [{"in_order": ["webhooks.payment_succeeded", "calls.payments.create"]}]
    shopping.scenario(rule({"deliver": "before_response"}), expect=expect)
    shopping.api.pay()
    checked = shopping.api.post("/_sandbox/scenarios/trouble/check").json
    assert checked["holds"] is True, checked


@pytest.fixture(autouse=True)
def _nothing_is_left(shopping: Mall) -> Any:
    """Whatever a scenario does, no line stays busy and no payment stays held up."""
    yield
    lines = shopping.workspace.space.transact(lambda tx: tx.facts("deliver.line."))
    assert lines == {}
