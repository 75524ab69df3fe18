"""Webhooks from outside: the inbox, sending again, telling by hand, signatures."""

from __future__ import annotations

import hashlib
import hmac
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mock_server.domain.events import EventClass, EventType, SkipReason
from mock_server.domain.instants import MINUTE_MS
from tests.webhooks.shops import HOOK, Mall, each, mall

INBOX = "/_sandbox/webhooks"


def signature(secret: str, body: str) -> str:
    return hmac.new(secret.encode(), body.encode(), hashlib.sha512).hexdigest()


# the inbox


def test_an_event_shows_the_bytes_and_everything_that_became_of_them(shopping: Mall) -> None:
    shopping.shop.answers = [503]
    shopping.api.pay()
    shopping.advance("10s")
    (event,) = shopping.inbox()
    assert event["payload"].encode() == shopping.shop.got[0].body
    assert event["body"] == shopping.shop.got[0].envelope
    assert dict(event["headers"]) == shopping.shop.got[0].headers
    assert (event["number"], event["is_delivered"], event["attempts"]) == (1, False, 1)
    assert event["next_attempt_at"] == "2026-01-01T00:01:00.000Z"
    (delivery,) = event["deliveries"]
    assert (delivery["kind"], delivery["status"], delivery["url"]) == ("initial_attempt", 503, HOOK)
    assert delivery["response_headers"] == [["Server", "shop"]]
    assert shopping.api.get(f"{INBOX}/{event['event_id']}").json == event
    assert shopping.api.get(f"{INBOX}/evt_none").error["code"] == "HE_02"


def test_one_can_ask_for_what_was_delivered_and_what_comes_after(shopping: Mall) -> None:
    shopping.shop.answers = [500]
    for card in ("success", "visa_generic_decline", "success"):
        shopping.api.pay(card)
    shopping.deliver()
    assert [event["number"] for event in shopping.inbox("?delivered=true")] == [2, 3]
    assert [event["number"] for event in shopping.inbox("?delivered=false")] == [1]
    assert [event["number"] for event in shopping.inbox("?after=1")] == [2, 3]
    assert [event["number"] for event in shopping.inbox("?after=0&limit=2")] == [1, 2]
    assert [event["number"] for event in shopping.inbox("?limit=2")] == [2, 3]
    assert [event["number"] for event in shopping.inbox("?after=1&type=payment_succeeded")] == [3]
    assert shopping.inbox("?after=3") == []
    assert shopping.api.get(f"{INBOX}?after=x").error["code"] == "IR_04"


def test_a_poll_waits_for_the_delivery_itself(shopping: Mall) -> None:
    with ThreadPoolExecutor(1) as pool:
        poll = pool.submit(shopping.api.get, f"{INBOX}?delivered=true&wait=10m")
        shopping.api.pay()
        assert not poll.done()
        shopping.deliver()
        assert poll.result()["total_count"] == 1


def test_none_within_a_time(shopping: Mall) -> None:
    none = shopping.api.get(f"{INBOX}?type=payment_failed&wait=50ms").json
    assert none == {"data": [], "total_count": 0, "dropped": 0}


# where events go


def test_a_target_says_who_set_it(shopping: Mall) -> None:
    target = shopping.api.get(f"{INBOX}/target").json
    assert (target["url"], target["set_by"]) == (HOOK, "server")
    own = shopping.api.put(f"{INBOX}/target", {"url": f"{HOOK}/own", "secret": "mine"}).json
    assert own == {"url": f"{HOOK}/own", "secret": "mine", "profile_id": None, "set_by": "workspace"}
    none = {**target, "url": None, "set_by": "workspace"}
    assert shopping.api.put(f"{INBOX}/target", {}).json == none, (
        "no events are sent, although the server has an endpoint"
    )
    other = shopping.api.as_key("snd_other_0123456789").get(f"{INBOX}/target").json
    assert other["secret"] != target["secret"]


def test_the_secret_of_a_key_is_the_same_in_every_run() -> None:
    secrets = {mall(seed=seed).api.get(f"{INBOX}/target")["secret"] for seed in ("a", "b", None)}
    assert len(secrets) == 1
    assert mall(webhook_secret="mine").api.get(f"{INBOX}/target")["secret"] == "mine"


# sending again


def test_one_event_again_by_hand(shopping: Mall) -> None:
    shopping.shop.answers = [500, 500, 200]
    shopping.api.pay()
    shopping.deliver()
    event_id = shopping.inbox()[0]["event_id"]
    first = shopping.api.post(f"{INBOX}/{event_id}/resend").json
    assert (first["is_delivered"], [made["status"] for made in first["made"]]) == (False, [500])
    assert first["next_attempt_at"] == "2026-01-01T00:01:00.000Z"
    second = shopping.api.post(f"{INBOX}/{event_id}/resend").json
    assert (second["is_delivered"], second["attempts"]) == (True, 3)
    assert each(shopping.attempts(), "kind") == ["initial_attempt", "manual_retry", "manual_retry"]
    assert len({got.body for got in shopping.shop.got}) == 1
    shopping.advance("30h")
    assert len(shopping.shop.got) == 3
    assert shopping.api.post(f"{INBOX}/evt_none/resend").error["code"] == "HE_02"


def test_by_hand_also_after_everything_was_given_up(shopping: Mall) -> None:
    shopping.shop.always = 500
    shopping.api.pay()
    shopping.advance("30h")
    event_id = shopping.inbox()[0]["event_id"]
    assert shopping.api.post(f"{INBOX}/{event_id}/resend")["fate"] == SkipReason.GIVEN_UP
    shopping.shop.always = 200
    assert shopping.api.post(f"{INBOX}/{event_id}/resend")["fate"] is None
    assert shopping.inbox()[0]["attempts"] == 19


def test_by_hand_what_nobody_heard() -> None:
    late = mall(target=False)
    late.api.pay()
    event_id = late.inbox()[0]["event_id"]
    assert late.api.post(f"{INBOX}/{event_id}/resend")["made"] == []
    late.api.put(f"{INBOX}/target", {"url": HOOK})
    late.shop.answers = [500]
    failed = late.api.post(f"{INBOX}/{event_id}/resend").json
    assert (failed["is_delivered"], failed["fate"], failed["next_attempt_at"]) == (False, SkipReason.UNHEARD, None)
    made = late.api.post(f"{INBOX}/{event_id}/resend").json
    assert (made["is_delivered"], made["deliveries"][0]["attempt_id"]) == (True, event_id)


def test_many_again_by_a_filter(shopping: Mall) -> None:
    shopping.shop.answers = [500, 200, 500]
    for card in ("success", "success", "visa_generic_decline"):
        shopping.api.pay(card)
    shopping.deliver()
    shopping.shop.got.clear()
    refused = [event["event_id"] for event in shopping.inbox("?delivered=false")]
    assert shopping.api.post(f"{INBOX}/resend", {"delivered": False}).json == {"event_ids": refused, "count": 2}
    shopping.deliver()
    assert shopping.shop.types == ["payment_succeeded", "payment_failed"]
    assert shopping.api.post(f"{INBOX}/resend", {"delivered": False})["count"] == 0
    assert shopping.api.post(f"{INBOX}/resend", {"type": "payment_lost"}).error["code"] == "IR_04"
    assert shopping.api.post(f"{INBOX}/resend", {"sort": "x"}).error["code"] == "IR_06"


def test_repeats_by_hand_have_a_bound(shopping: Mall) -> None:
    shopping.shop.always = 500
    shopping.scenario({"on": "webhook.*", "then": {"copies": 50}})
    shopping.api.pay()
    shopping.deliver()
    event_id = shopping.inbox()[0]["event_id"]
    for _ in range(6):
        shopping.api.post(f"{INBOX}/{event_id}/resend")
    event = shopping.api.get(f"{INBOX}/{event_id}").json
    assert (event["attempts"], len(event["deliveries"])) == (7, 200)
    assert {made["number"] for made in event["deliveries"]} == {4, 5, 6, 7}


# telling by hand


def objects(shopping: Mall) -> dict[EventClass, str]:
    """One object of each class."""
    payment = shopping.api.pay()["payment_id"]
    refund = shopping.api.post("/refunds", {"payment_id": payment, "amount": 100})["refund_id"]
    disputed = shopping.api.post(f"/_sandbox/payments/{payment}/dispute", {"reason": "fraudulent"})
    dispute = disputed.json.get("dispute_id") or disputed.json["disputes"][0]["dispute_id"]
    consent = {"acceptance_type": "offline"}
    uses = {"multi_use": {"amount": 9000, "currency": "USD"}}
    mandate = shopping.api.pay(
        customer_id="cus_1",
        setup_future_usage="off_session",
        customer_acceptance=consent,
        mandate_data={"customer_acceptance": consent, "mandate_type": uses},
    )
    assert mandate["mandate_id"], mandate.json
    return {
        EventClass.PAYMENTS: payment,
        EventClass.REFUNDS: refund,
        EventClass.DISPUTES: dispute,
        EventClass.MANDATES: mandate["mandate_id"],
    }


def test_any_event_of_an_object_as_it_stands(shopping: Mall) -> None:
    found = objects(shopping)
    retrieved = {
        EventClass.PAYMENTS: f"/payments/{found[EventClass.PAYMENTS]}",
        EventClass.REFUNDS: f"/refunds/{found[EventClass.REFUNDS]}",
        EventClass.DISPUTES: f"/disputes/{found[EventClass.DISPUTES]}",
        EventClass.MANDATES: f"/mandates/{found[EventClass.MANDATES]}",
    }
    shopping.deliver()
    shopping.shop.got.clear()
    for type in EventType:
        told = shopping.api.post(f"{INBOX}/trigger", {"type": type, "object_id": found[type.about]})
        assert told.status == 200, told.json
    shopping.deliver()
    assert sorted(shopping.shop.types) == sorted(EventType)
    for got in shopping.shop.got:
        type = EventType(got.type)
        assert got.envelope["content"]["type"] == type.content
        if type.about is not EventClass.MANDATES:
            assert got.object == shopping.api.get(retrieved[type.about]).json


def test_overrides_go_into_the_object(shopping: Mall) -> None:
    made = shopping.api.pay(metadata={"order": "42", "7": 1.5})
    told = {
        "type": "payment_failed",
        "object_id": made["payment_id"],
        "overrides": {"status": "failed", "error_code": "X", "metadata": {"more": {"a": [1]}}},
    }
    event = shopping.api.post(f"{INBOX}/trigger", told).json
    shown = event["body"]["content"]["object"]
    assert (event["event_type"], shown["status"], shown["error_code"]) == ("payment_failed", "failed", "X")
    assert shown["metadata"] == {"7": 1.5, "order": "42", "more": {"a": [1]}}
    assert shown["amount"] == 6540
    assert list(shown) == list(made.json)
    shopping.deliver()
    assert shopping.shop.got[1].body == event["payload"].encode()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": "payment_failed", "object_id": "pay_none"}, "HE_02"),
        ({"type": "payment_lost", "object_id": "pay_none"}, "IR_04"),
        ({"type": "payment_failed"}, "IR_04"),
        ({"type": "payment_failed", "object_id": "pay_1", "overrides": [1]}, "IR_04"),
    ],
)
def test_what_cannot_be_told(shopping: Mall, body: dict[str, Any], code: str) -> None:
    assert shopping.api.post(f"{INBOX}/trigger", body).error["code"] == code


def test_a_told_event_passes_the_profiles_filter_and_obeys_scenarios(shopping: Mall) -> None:
    shopping.scenario({"on": "webhook.payment_failed", "then": {"deliver": {"delay": "60s"}}})
    made = shopping.api.pay()["payment_id"]
    shopping.api.post(f"{INBOX}/trigger", {"type": "payment_failed", "object_id": made})
    shopping.advance("1h")
    assert [got.at for got in shopping.shop.got] == [0, MINUTE_MS]


# signatures


def test_the_headers_for_any_body(shopping: Mall) -> None:
    secret = shopping.api.get(f"{INBOX}/target")["secret"]
    asked: dict[str, Any] = {"body": {"b": [1, 2.50, "Zoë"], "10": None, "9": {}}}
    made = shopping.api.post(f"{INBOX}/sign", asked).json
    assert made["body"] == '{"9":{},"10":null,"b":[1,2.5,"Zoë"]}'
    headers = dict(made["headers"])
    assert headers["X-Webhook-Signature-512"] == signature(secret, made["body"])
    assert headers["Content-Type"] == "application/json"
    text = shopping.api.post(f"{INBOX}/sign", {"body": '{ "as": "it is" }'}).json
    assert text["body"] == '{ "as": "it is" }'
    own = shopping.api.post(f"{INBOX}/sign", {"body": "x", "secret": "mine"}).json
    assert dict(own["headers"])["X-Webhook-Signature-512"] == signature("mine", "x")


def test_the_headers_as_a_profile_would_send_them(shopping: Mall) -> None:
    own = shopping.api.put(f"{INBOX}/target", {"url": HOOK, "profile_id": "pro_own"}).json
    made = shopping.api.post(f"{INBOX}/sign", {"body": "x", "profile_id": "pro_own"}).json
    assert dict(made["headers"])["X-Webhook-Signature-512"] == signature(own["secret"], "x")
    assert shopping.api.post(f"{INBOX}/sign", {"body": "x", "profile_id": "pro_none"}).error["code"] == "HE_02"
    assert shopping.api.post(f"{INBOX}/sign", {}).error["code"] == "IR_04"
