"""What a receiver gets, and what is kept of it."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
from msgspec import structs

from mock_server.domain.events import AttemptKind, SkipReason
from mock_server.domain.instants import MINUTE_MS
from mock_server.metrics import NOT_RECORDED
from mock_server.webhooks.sending import LOST
from mock_server.webhooks.transport import LONGEST_EXCERPT, LONGEST_HEAD, Response
from tests.dialects.nonsense import NONSENSE, renamed
from tests.webhooks.shops import HOOK, Mall, each, mall, pairs


def test_an_event_comes_signed_with_the_object_as_a_retrieve_shows_it(shopping: Mall) -> None:
    made = shopping.api.pay(description="two seats", metadata={"order": "42", "7": 1})
    assert shopping.shop.got == []
    shopping.deliver()
    (got,) = shopping.shop.got
    assert got.url == HOOK
    retrieved = shopping.api.get(f"/payments/{made['payment_id']}")
    assert got.envelope["content"] == {"type": "payment_details", "object": retrieved.json}
    assert retrieved.raw in got.body
    secret = shopping.api.get("/_sandbox/webhooks/target")["secret"]
    assert got.signature == hmac.new(secret.encode(), got.body, hashlib.sha512).hexdigest()


def test_what_happened_is_kept_with_the_event(shopping: Mall) -> None:
    shopping.api.pay()
    shopping.deliver()
    (event,), (attempt,) = shopping.events(), shopping.attempts()
    assert (event.delivered, event.attempts, event.fate, event.next_at) == (True, 1, None, None)
    assert (attempt.attempt_id, attempt.event_id) == (event.event_id, event.event_id)
    assert (attempt.kind, attempt.number, attempt.copy, attempt.status) == (AttemptKind.INITIAL, 1, 1, 200)
    assert (attempt.url, attempt.response_body, attempt.error) == (HOOK, "thanks", None)
    assert dict(pairs(attempt.headers)) == shopping.shop.got[0].headers
    assert list(pairs(attempt.response_headers)) == [("Server", "shop")]


def test_an_object_is_sent_as_it_was_then(shopping: Mall) -> None:
    made = shopping.api.pay(capture_method="manual")
    shopping.api.post(f"/payments/{made['payment_id']}/capture", {"amount_to_capture": 6540})
    shopping.deliver()
    assert [got.object["status"] for got in shopping.shop.got] == ["requires_capture", "succeeded"]


def test_a_payment_shows_the_refunds_it_had_then(shopping: Mall) -> None:
    made = shopping.api.pay()["payment_id"]
    assert shopping.api.post("/refunds", {"payment_id": made, "amount": 100}).status == 200
    shopping.deliver()
    assert shopping.shop.types == ["payment_succeeded", "refund_succeeded"]
    refund = shopping.shop.got[1]
    assert refund.envelope["content"]["type"] == "refund_details"
    assert refund.object == shopping.api.get(f"/refunds/{refund.object['refund_id']}").json


def test_the_dialect_has_its_say(shopping: Mall) -> None:
    spoken = mall(dialect=NONSENSE)
    spoken.api.pay()
    spoken.deliver()
    assert spoken.shop.got[0].object["status"] == renamed("succeeded")


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_any_2xx_is_taken(shopping: Mall, status: int) -> None:
    shopping.shop.always = status
    shopping.api.pay()
    shopping.deliver()
    assert each(shopping.events(), "delivered") == [True]


@pytest.mark.parametrize("answer", [199, 300, 301, 302, 304, 400, 401, 404, 410, 429, 500, 503, "the line broke"])
def test_nothing_else_is(shopping: Mall, answer: int | str) -> None:
    shopping.shop.always = answer
    shopping.api.pay()
    shopping.deliver()
    (event,), (attempt,) = shopping.events(), shopping.attempts()
    assert (event.delivered, event.fate) == (False, None)
    assert event.next_at == attempt.made_at + MINUTE_MS
    assert (attempt.status, attempt.error) == ((None, answer) if isinstance(answer, str) else (answer, None))
    assert len(shopping.shop.got) == 1


def test_little_of_a_long_answer_is_kept() -> None:
    shopping = mall()
    shopping.shop.always = Response(500, tuple((f"X-{number}", "v" * 1000) for number in range(100)), b"\xff" * 100_000)
    shopping.api.pay()
    shopping.deliver()
    (attempt,) = shopping.attempts()
    assert len(attempt.response_body) <= LONGEST_EXCERPT
    assert len(attempt.response_headers) < LONGEST_HEAD + 500


def test_without_a_receiver_events_are_kept_and_say_so() -> None:
    alone = mall(target=False)
    alone.api.pay()
    alone.deliver()
    (event,) = alone.inbox()
    assert (event["is_delivered"], event["attempts"], event["fate"]) == (None, 0, SkipReason.UNHEARD)
    assert "no endpoint configured" in event["why"]
    assert event["body"]["event_type"] == "payment_succeeded"
    secret = alone.api.get("/_sandbox/webhooks/target")["secret"]
    signature = dict(event["headers"])["X-Webhook-Signature-512"]
    assert signature == hmac.new(secret.encode(), event["payload"].encode(), hashlib.sha512).hexdigest()
    assert alone.shop.got == []


def test_a_receiver_that_comes_later_gets_what_comes_later() -> None:
    late = mall(target=False)
    late.api.pay()
    late.api.put("/_sandbox/webhooks/target", {"url": HOOK})
    late.api.pay("visa_generic_decline")
    late.deliver()
    assert late.shop.types == ["payment_failed"]


def test_a_profile_with_an_address_of_its_own_signs_with_its_own_key(shopping: Mall) -> None:
    own = shopping.api.put("/_sandbox/webhooks/target", {"url": f"{HOOK}/own", "profile_id": "pro_own"}).json
    shopping.api.pay(profile_id="pro_own")
    shopping.api.pay()
    shopping.deliver()
    mine, other = shopping.shop.got
    assert [mine.url, other.url] == [f"{HOOK}/own", HOOK]
    assert mine.signature == hmac.new(own["secret"].encode(), mine.body, hashlib.sha512).hexdigest()


def test_a_profiles_filter_is_kept_with_what_it_kept_back(shopping: Mall) -> None:
    shopping.api.put("/_sandbox/webhooks/target", {"url": HOOK, "profile_id": "pro_shop"})
    from mock_server.engine.kinds import PROFILES

    def choose(tx: object) -> None:
        profile = tx.get(PROFILES, "pro_shop")  # type: ignore[attr-defined]  # a transaction
        details = structs.replace(profile.webhook_details, payment_statuses_enabled=("failed",))
        tx.put(PROFILES, structs.replace(profile, webhook_details=details))  # type: ignore[attr-defined]  # a transaction

    shopping.workspace.space.transact(choose)
    shopping.api.pay()
    shopping.api.pay("visa_generic_decline")
    shopping.deliver()
    assert shopping.shop.types == ["payment_failed"]
    assert each(shopping.events(), "fate") == [SkipReason.FILTERED, None]


def test_an_address_that_goes_away_ends_the_retries(shopping: Mall) -> None:
    gone = mall(target=False)
    gone.api.put("/_sandbox/webhooks/target", {"url": HOOK})
    gone.shop.always = 500
    gone.api.pay()
    gone.deliver()
    gone.api.put("/_sandbox/webhooks/target", {})
    gone.advance("1h")
    assert len(gone.shop.got) == 1
    assert gone.events()[0].fate is SkipReason.UNHEARD


def test_what_falls_out_of_the_inbox_goes_with_its_attempts() -> None:
    small = mall(inbox=3)
    for _ in range(5):
        small.api.pay()
        small.deliver()
    assert len(small.shop.got) == 5
    assert len(small.events()) == len(small.attempts()) == 3
    small.shop.always = 500
    small.api.pay()
    for _ in range(4):
        small.api.pay()
    small.deliver()
    assert len(small.events()) == 3
    assert {attempt.event_id for attempt in small.attempts()} == {event.event_id for event in small.events()}


def test_a_host_that_the_setting_forbids_is_not_reached() -> None:
    narrow = mall(target=False, webhook_hosts=("localhost",), webhook_url="http://elsewhere.test/hook")
    narrow.api.pay()
    narrow.deliver()
    (attempt,) = narrow.attempts()
    assert attempt.error == "the setting webhook_hosts does not allow events to elsewhere.test"
    refused = narrow.api.put("/_sandbox/webhooks/target", {"url": "http://elsewhere.test/hook"})
    assert refused.status == 400


def test_a_defect_of_ours_is_an_attempt_that_failed(shopping: Mall, caplog: pytest.LogCaptureFixture) -> None:
    def breaks(_: object) -> int:
        raise ZeroDivisionError

    shopping.shop.answers = [breaks]
    shopping.api.pay()
    shopping.deliver()
    (attempt,) = shopping.attempts()
    assert attempt.error == "internal error in the sandbox: ZeroDivisionError"
    assert "a delivery failed" in caplog.text
    shopping.advance("1m")
    assert each(shopping.events(), "delivered") == [True]


def test_no_key_and_no_card_goes_along(shopping: Mall) -> None:
    shopping.api.pay()
    shopping.deliver()
    text = json.dumps(shopping.shop.got[0].envelope) + json.dumps(shopping.shop.got[0].headers)
    assert "4242424242424242" not in text
    assert str(shopping.api.key) not in text


class Unkept(bytes):
    """What cannot be stored: a text with half a character."""

    def __getitem__(self, part: Any) -> Any:
        return self

    def decode(self, *how: str) -> str:
        return "\ud800"


class Hostile:
    """A receiver whose answer cannot be recorded."""

    @staticmethod
    def send(url: str, body: bytes, headers: Any, timeout_s: float, line: Any) -> Response:
        line.sent()
        return Response(503, (), Unkept(b"x"))


def test_an_answer_that_cannot_be_recorded_changes_no_event(shopping: Mall, caplog: pytest.LogCaptureFixture) -> None:
    api = shopping.api
    api.sandbox.post.routing.connect("http://broken.test", Hostile())
    api.put("/_sandbox/webhooks/target", {"url": "http://broken.test/hook"})
    assert api.pay().status == 200
    for _ in range(2):
        api.post("/_sandbox/clock/advance", {"by": "2m"})
    shown = [(one.status, one.response_body) for one in shopping.attempts()]
    assert len(shown) >= 2, "it is retried as any other"
    assert set(shown) == {(503, LOST)}
    assert api.sandbox.counts.of(NOT_RECORDED) == {("attempt",): len(shown)}
    assert sum("could not be recorded" in line.getMessage() for line in caplog.records) == len(shown)
