"""A dialect is a workspace's: two workspaces of one server are answered in different words, each in its own."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from mock_server.dialects import DIALECTS
from mock_server.domain.api_keys import ApiKey, parse
from tests.dialects.nonsense import GIBBERISH, MARK, renamed
from tests.webhooks.shops import mall
from tests.wire import Wire, wire

OTHER = "snd_other_0123456789"
CREATE = {"amount": 100, "currency": "USD", "profile_id": "pro_1"}


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Wire:
    """A client of a workspace that speaks as the server does."""
    monkeypatch.setitem(DIALECTS, GIBBERISH.name, lambda: GIBBERISH)
    return wire()


@pytest.fixture
def other(plain: Wire) -> Wire:
    """A client of a workspace of the same server that speaks otherwise."""
    client = plain.as_key(OTHER)
    client.speaks = GIBBERISH
    plain.sandbox.workspace(key()).speak(GIBBERISH.name)
    return client


def key() -> ApiKey:
    found = parse(OTHER)
    assert isinstance(found, ApiKey)
    return found


def test_an_answer_is_in_the_words_of_its_workspace(plain: Wire, other: Wire) -> None:
    assert plain.pay()["status"] == "succeeded"
    assert other.pay()["status"] == renamed("succeeded")
    assert plain.pay()["payment_id"].startswith("pay_")
    assert other.pay()["payment_id"].startswith(MARK)


def test_the_engine_works_by_the_rules_of_its_workspaces_dialect(plain: Wire, other: Wire) -> None:
    for client, seconds in ((plain, 900), (other, 60)):
        payment = client.post("/payments", CREATE).json
        assert (instant(payment["expires_on"]) - instant(payment["created"])).seconds == seconds


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_an_answer_can_be_plain_text(plain: Wire, other: Wire) -> None:
    assert plain.get("/health")["status"] == "ok"
    reply = other.get("/health")
    assert reply.raw.decode() == renamed("health is good")
    assert reply.headers["Content-Type"].startswith("text/plain")


def test_an_error_is_in_the_words_of_its_workspace(plain: Wire, other: Wire) -> None:
    path = "/payments/pay_nobody"
    assert plain.get(path).error["code"] == "HE_02"
    assert other.get(path).json[renamed("error")][renamed("code")] == renamed("HE_02")
    wrong = {**CREATE, "currency": "nothing"}
    assert plain.post("/payments", wrong).status == 400
    reply = other.post("/payments", wrong)
    assert reply.status == 418
    assert set(reply.json[renamed("error")]) == {renamed("error_type"), renamed("code"), renamed("message")}
    codes = [line["cause"] for line in other.get("/_sandbox/journal")["data"]]
    assert codes == ["object_unknown", "value_invalid"]


def test_a_call_without_a_workspace_is_in_the_servers_words(other: Wire) -> None:
    stranger = other.as_key(None)
    assert stranger.get("/payments/pay_1").error["code"] == "IR_01"
    assert stranger.get("/nowhere").error["code"] == "IR_02"


def test_lists_are_in_the_envelopes_of_their_workspace(plain: Wire, other: Wire) -> None:
    for client in (plain, other):
        client.pay()
        client.post("/customers", {"customer_id": "cus_1"})
    assert set(plain.get("/payments/list").json) == {"data", "total_count", "has_more"}
    assert set(other.get("/payments/list").json) == {renamed("size"), renamed("data")}
    assert set(other.post("/payments/list", {}).json) == {renamed("data"), renamed("total_count"), renamed("has_more")}
    assert plain.get("/customers/list").json["data"][0]["customer_id"] == "cus_1"
    assert other.get("/customers/list").json[0]["customer_id"] == "cus_1"


def test_a_body_is_read_in_the_words_of_its_workspace(plain: Wire, other: Wire) -> None:
    short = {"amount": 1, "currency": "USD"}
    assert plain.post("/payments", short).status == 400
    assert other.post("/payments", short).status == 200
    assert other.post("/payments/list", {renamed("limit"): 1}).status == 200
    assert plain.post("/payments/list", {renamed("limit"): 1}).status == 400


def test_webhooks_are_in_the_words_of_their_workspace(plain: Wire, other: Wire) -> None:
    for client, word in ((plain, "succeeded"), (other, renamed("succeeded"))):
        client.pay()
        told = client.get("/_sandbox/webhooks")["data"]
        assert told[0]["event_type"] == "payment_succeeded"
        assert json.loads(told[0]["payload"])["content"]["object"]["status"] == word


def test_what_a_receiver_gets_is_in_the_words_of_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DIALECTS, GIBBERISH.name, lambda: GIBBERISH)
    shopping = mall()
    other = shopping.api.as_key(OTHER)
    other.speaks = GIBBERISH
    shopping.api.sandbox.workspace(key()).speak(GIBBERISH.name)
    for client in (shopping.api, other):
        client.pay()
        shopping.deliver()
    assert [got.object["status"] for got in shopping.shop.got] == ["succeeded", renamed("succeeded")]


def test_an_answer_that_is_repeated_is_in_the_words_of_its_workspace(other: Wire) -> None:
    once, again = (other.post("/payments", CREATE, X_Idempotency_Key="k") for _ in range(2))
    assert once.raw == again.raw
    assert again.headers["X-Sandbox-Replayed"] == "true"


def test_a_reset_goes_back_to_the_servers_words_and_a_snapshot_carries_its_own(other: Wire) -> None:
    assert other.put("/_sandbox/snapshots/mine").status == 200
    other.speaks = None
    other.post("/_sandbox/reset")
    assert other.pay()["status"] == "succeeded"
    assert other.post("/_sandbox/snapshots/mine/restore").status == 200
    other.speaks = GIBBERISH
    assert other.pay()["status"] == renamed("succeeded")


def test_a_snapshot_of_an_unknown_dialect_is_refused(other: Wire) -> None:
    other.put("/_sandbox/snapshots/mine")
    document = other.get("/_sandbox/snapshots/mine").json
    document["workspace"]["facts"]["dialect"] = "klingon"
    reply = other.put("/_sandbox/snapshots/mine", document)
    if reply.status == 200:
        reply = other.post("/_sandbox/snapshots/mine/restore")
    assert reply.status == 400
    assert "klingon" in reply.error["message"]
