"""The inbox of events, and where they are sent."""

from __future__ import annotations

import pytest

from mock_server.domain.events import DELIVER
from tests.api.places import workspace
from tests.control.journals import answered, is_done, parked
from tests.wire import Wire, wire


def test_an_event_is_kept_with_the_body_that_its_receiver_gets(api: Wire) -> None:
    made = api.pay(description="two seats")
    reply = api.get("/_sandbox/webhooks")
    assert reply["total_count"] == 1
    event = reply["data"][0]
    body = event["body"]
    assert list(body) == ["merchant_id", "event_id", "event_type", "content", "timestamp", "processor_merchant_id"]
    assert body["content"] == {"type": "payment_details", "object": api.get(f"/payments/{made['payment_id']}").json}
    assert (body["event_id"], body["event_type"], body["timestamp"]) == (
        event["event_id"], "payment_succeeded", "2026-01-01T00:00:00.000Z",
    )  # fmt: skip
    assert (event["is_delivered"], event["attempts"]) == (None, 0)


def test_the_object_is_as_it_was_when_it_was_told(api: Wire) -> None:
    made = api.pay(capture_method="manual")
    api.post(f"/payments/{made['payment_id']}/capture", {"amount_to_capture": 6540})
    first, second = api.get("/_sandbox/webhooks")["data"]
    assert first["body"]["content"]["object"]["status"] == "requires_capture"
    assert second["body"]["content"]["object"]["status"] == "succeeded"


def test_events_are_found_by_filters_in_the_order_they_were_told(api: Wire) -> None:
    first = api.pay(capture_method="manual")["payment_id"]
    api.pay()
    api.post(f"/payments/{first}/cancel")
    types = [event["event_type"] for event in api.get("/_sandbox/webhooks")["data"]]
    assert types == ["payment_authorized", "payment_succeeded", "payment_cancelled"]
    assert api.get(f"/_sandbox/webhooks?payment_id={first}")["total_count"] == 2
    assert api.get(f"/_sandbox/webhooks?payment_id={first}&type=payment_cancelled")["total_count"] == 1
    assert api.get("/_sandbox/webhooks?type=refund_failed")["total_count"] == 0
    newest = api.get("/_sandbox/webhooks?limit=1")
    assert (newest["total_count"], newest["data"][0]["event_type"]) == (3, "payment_cancelled")
    assert api.get("/_sandbox/webhooks?type=payment_lost").error["code"] == "IR_04"


def test_a_poll_waits_for_an_event(api: Wire) -> None:
    poll = parked(api, "/_sandbox/webhooks?wait=5s&count=2&type=payment_succeeded")
    api.pay()
    api.pay("visa_generic_decline")
    assert not is_done(poll)
    api.pay()
    assert answered(poll)["total_count"] == 2


def test_a_poll_is_answered_by_what_the_clock_brings(api: Wire) -> None:
    api.pay("visa_pending_succeeds")
    poll = parked(api, "/_sandbox/webhooks?wait=5s&type=payment_succeeded")
    api.post("/_sandbox/clock/advance", {"by": "1m"})
    assert answered(poll)["data"][0]["event_type"] == "payment_succeeded"


def test_a_target_is_set_for_the_workspace(api: Wire) -> None:
    before = api.get("/_sandbox/webhooks/target").json
    assert (before["url"], before["set_by"], len(before["secret"])) == (None, None, 64)
    url = "http://localhost:8000/hook?a=1"
    assert api.put("/_sandbox/webhooks/target", {"url": url}).json == {**before, "url": url, "set_by": "workspace"}
    own = api.put("/_sandbox/webhooks/target", {"url": url, "secret": "s3cret"}).json
    assert own["secret"] == "s3cret"
    assert api.get("/_sandbox/webhooks/target").json == own
    api.pay()
    assert [entry.what for entry in workspace(api).space.transact(lambda tx: tx.all_due())] == [DELIVER]
    assert api.put("/_sandbox/webhooks/target", {}).json == {**before, "set_by": "workspace"}


def test_a_target_of_one_profile_leaves_the_others(api: Wire) -> None:
    reply = api.put("/_sandbox/webhooks/target", {"url": "http://localhost/a", "secret": "k", "profile_id": "pro_a"})
    assert reply.json == {"url": "http://localhost/a", "secret": "k", "profile_id": "pro_a", "set_by": "profile"}
    api.pay(profile_id="pro_b")
    assert not workspace(api).space.transact(lambda tx: tx.all_due())
    api.pay(profile_id="pro_a")
    assert len(workspace(api).space.transact(lambda tx: tx.all_due())) == 1


def test_the_servers_target_is_shown() -> None:
    api = wire(webhook_url="http://localhost:9/x", webhook_secret="of the server")
    shown = api.get("/_sandbox/webhooks/target").json
    assert shown == {"url": "http://localhost:9/x", "secret": "of the server", "profile_id": None, "set_by": "server"}


@pytest.mark.parametrize(
    ("url", "status"), [("http://good.example/x", 200), ("http://bad.example/x", 400), (None, 200)]
)
def test_hosts_can_be_limited(url: str | None, status: int) -> None:
    api = wire(webhook_hosts=("good.example",))
    assert api.put("/_sandbox/webhooks/target", {"url": url}).status == status


@pytest.mark.parametrize("url", ["ftp://x/y", "localhost", "", 5, "http://", "javascript:alert(1)"])
def test_a_target_is_a_web_address(api: Wire, url: object) -> None:
    assert api.put("/_sandbox/webhooks/target", {"url": url}).error["code"] == "IR_04"
