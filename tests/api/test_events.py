"""Events over HTTP: looked up, their attempts, sent once more (facts §1.6, §2.9)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mock_server.domain.events import EventClass, EventType
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response
from mock_server.webhooks.transport import Wire as Line
from tests.api.saving import mandate, refused
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_payment

DAY_MS = 24 * 60 * 60 * 1000
ITEM = [
    *("event_id", "merchant_id", "profile_id", "object_id", "event_type", "event_class", "is_delivery_successful"),
    *("initial_attempt_id", "processor_merchant_id", "created"),
]
RECEIVER = "http://shop.test"


class Shop:
    """A receiver that answers with these statuses, one after another, the last one for ever."""

    def __init__(self, *statuses: int) -> None:
        self._statuses = list(statuses)
        self.bodies: list[bytes] = []

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Line) -> Response:
        self.bodies.append(body)
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return Response(status, (("X-Shop", "1"),), b"thanks")


@pytest.fixture
def shop(api: Wire) -> Iterator[Shop]:
    """A receiver that refuses its first delivery, and takes the others."""
    receiver = Shop(500, 200)
    undo = api.sandbox.post.routing.connect(RECEIVER, receiver)
    yield receiver
    undo()
    api.sandbox.post.close()


def listening(api: Wire) -> str:
    """A merchant whose shop listens; gives where its events are."""
    merchant = api.post("/payments", card_payment())["merchant_id"]
    details = {"webhook_details": {"webhook_url": f"{RECEIVER}/hooks"}}
    assert api.post(f"/account/{merchant}/business_profile/pro_shop", details).status == 200
    return f"/events/{merchant}"


def deliver(api: Wire) -> None:
    """Makes what is due now."""
    workspace = api.sandbox.workspaces()[0]
    while api.sandbox.post.run_due(workspace, workspace.now(), 5.0):
        pass


def home(api: Wire) -> str:
    return f"/events/{api.post('/payments', card_payment())['merchant_id']}"


def ids_of(reply: Reply) -> list[str]:
    return [event["object_id"] for event in reply["data"]]


def test_an_event_says_what_it_is_about(api: Wire) -> None:
    path, payment = home(api), api.pay()
    (event,) = api.post(path, {"object_id": payment["payment_id"]})["data"]
    assert list(event) == ITEM
    assert (event["event_type"], event["event_class"], event["profile_id"]) == (
        "payment_succeeded",
        "payments",
        "pro_shop",
    )
    assert (event["is_delivery_successful"], event["initial_attempt_id"]) == (None, event["event_id"])
    assert event["created"] == "2026-01-01T00:00:00.000Z"


@pytest.fixture
def busy(api: Wire, clock: ManualClock) -> dict[str, str]:
    """Events of several sorts, one a second; the object of each."""
    made: dict[str, Callable[[], Any]] = {
        "first": lambda: api.pay(profile_id="pro_a")["payment_id"],
        "declined": lambda: api.pay("visa_generic_decline", profile_id="pro_b")["payment_id"],
        "refund": lambda: api.post("/refunds", {"payment_id": objects["first"]})["refund_id"],
        "mandate": lambda: mandate(api),
    }
    objects: dict[str, str] = {}
    for name, make in made.items():
        objects[name] = make()
        clock.advance(1000)
    return objects


FILTERS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("class", {"event_classes": ["refunds"]}, ["refund"]),
    ("classes", {"event_classes": ["refunds", "mandates"]}, ["mandate", "refund"]),
    ("type", {"event_types": ["payment_failed"]}, ["declined"]),
    ("profile", {"profile_id": "pro_b"}, ["declined"]),
    (
        "from",
        {"created_after": "2026-01-01T00:00:02Z", "event_classes": ["refunds", "mandates"]},
        ["mandate", "refund"],
    ),
    ("until", {"created_before": "2026-01-01T00:00:01Z"}, ["declined", "first"]),
    ("interface's from", {"created_gte": "2026-01-01T00:00:02Z", "event_classes": ["refunds"]}, ["refund"]),
    ("interface's until", {"created_lte": "2026-01-01T00:00:00Z"}, ["first"]),
    ("not delivered", {"is_delivered": False}, []),
]


@pytest.mark.parametrize(("asked", "found"), [pytest.param(*row[1:], id=row[0]) for row in FILTERS])
def test_events_are_found_by(api: Wire, busy: dict[str, str], asked: dict[str, Any], found: list[str]) -> None:
    reply = api.post(home(api), asked)
    assert ids_of(reply) == [busy[name] for name in found]
    assert reply["total_count"] == len(found)


def test_a_query_asks_the_same(api: Wire, busy: dict[str, str]) -> None:
    path = home(api)
    assert ids_of(api.get(f"{path}?event_classes=refunds&event_classes=mandates")) == [busy["mandate"], busy["refund"]]
    page = api.get(f"{path}?limit=2&offset=1")
    assert (len(page["data"]), page["total_count"], page["has_more"]) == (2, 5, True)


def test_one_event_is_found_by_its_id(api: Wire, busy: dict[str, str]) -> None:
    path = home(api)
    event = api.post(path, {"object_id": busy["refund"]})["data"][0]
    assert api.post(path, {"event_id": event["event_id"]})["data"] == [event]
    assert api.post(path, {"event_id": event["event_id"], "event_classes": ["payments"]})["data"] == []
    assert api.post(path, {"event_id": event["event_id"], "created_before": "2026-01-01T00:00:00Z"})["data"] == []
    assert api.post(path, {"event_id": event["event_id"], "created_after": "2026-01-01T00:00:04Z"})["data"] == []
    assert api.post(path, {"event_id": "evt_nobody"})["data"] == []


def test_a_profile_has_its_own_list(api: Wire, busy: dict[str, str]) -> None:
    assert ids_of(api.post("/events/profile/list", {}, X_Profile_Id="pro_a")) == [busy["refund"], busy["first"]]
    assert ids_of(api.get("/events/profile/list", X_Profile_Id="pro_b")) == [busy["declined"]]
    assert refused(api.post("/events/profile/list", {}, X_Profile_Id="pro_nobody")) == (404, "HE_02")
    reply = api.post("/events/profile/list", {})
    assert refused(reply) == (400, "IR_04")
    assert reply.error["fields"][0]["field"] == "X-Profile-Id"


def test_events_are_kept_for_ninety_days(api: Wire, clock: ManualClock) -> None:
    path, payment = home(api), api.pay()["payment_id"]
    clock.advance(90 * DAY_MS)
    assert ids_of(api.post(path, {})) == [payment]
    assert ids_of(api.post(path, {"created_after": "2026-01-01T00:00:00Z"})) == [payment]
    clock.advance(1)
    assert ids_of(api.post(path, {})) == []
    assert refused(api.post(path, {"created_after": "2026-01-01T00:00:00Z"})) == (400, "IR_16")


WRONG: list[tuple[str, str, str, Any, int, str]] = [
    ("object and event", "POST", "", {"object_id": "pay_1", "event_id": "evt_1"}, 400, "IR_16"),
    ("unknown class", "POST", "", {"event_classes": ["nonsense"]}, 400, "IR_04"),
    ("unknown type", "POST", "", {"event_types": ["nonsense"]}, 400, "IR_04"),
    ("limit", "POST", "", {"limit": 101}, 400, "IR_04"),
    ("offset", "POST", "", {"offset": -1}, 400, "IR_04"),
    ("timestamp", "POST", "", {"created_after": "yesterday"}, 400, "IR_04"),
    ("unknown constraint", "POST", "", {"object": "pay_1"}, 400, "IR_06"),
    ("attempts of an unknown event", "GET", "/evt_nobody/attempts", None, 404, "HE_02"),
    ("retry of an unknown event", "POST", "/evt_nobody/retry", {}, 404, "HE_02"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "tail", "body", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in WRONG]
)
def test_what_is_refused(api: Wire, method: str, tail: str, body: Any, status: int, code: str) -> None:
    assert refused(api.call(method, home(api) + tail, body)) == (status, code)


@pytest.mark.parametrize(
    ("method", "tail"), [("POST", ""), ("GET", ""), ("GET", "/evt_1/attempts"), ("POST", "/evt_1/retry")]
)
def test_another_merchants_events_are_not_there(api: Wire, method: str, tail: str) -> None:
    assert refused(api.call(method, f"/events/mer_somebody_else{tail}", {} if method == "POST" else None)) == (
        404,
        "HE_02",
    )


# attempts


def test_every_attempt_is_told(api: Wire, shop: Shop, clock: ManualClock) -> None:
    path = listening(api)
    payment = api.pay()["payment_id"]
    deliver(api)
    (event,) = api.post(path, {"object_id": payment})["data"]
    assert event["is_delivery_successful"] is False
    clock.advance(60_000)
    deliver(api)
    (event,) = api.post(path, {"object_id": payment, "is_delivered": True})["data"]
    assert event["is_delivery_successful"] is True
    second, first = api.get(f"{path}/{event['event_id']}/attempts")["data"]
    assert [one["delivery_attempt"] for one in (first, second)] == ["initial_attempt", "automatic_retry"]
    assert [one["response"]["status_code"] for one in (first, second)] == [500, 200]
    assert [one["is_delivery_successful"] for one in (first, second)] == [False, True]
    assert (first["event_id"], second["initial_attempt_id"]) == (event["event_id"], event["event_id"])
    assert second["event_id"] != event["event_id"]
    assert list(first) == [*ITEM, "request", "response", "delivery_attempt"]


def test_an_attempt_shows_what_was_sent_and_what_came_back(api: Wire, shop: Shop) -> None:
    path = listening(api)
    payment = api.pay()["payment_id"]
    deliver(api)
    event = api.post(path, {"object_id": payment})["data"][0]["event_id"]
    (attempt,) = api.get(f"{path}/{event}/attempts")["data"]
    assert attempt["request"]["body"].encode() == shop.bodies[0]
    assert json.loads(shop.bodies[0])["event_id"] == event
    assert "X-Webhook-Signature-512" in dict(attempt["request"]["headers"])
    assert (attempt["response"]["body"], attempt["response"]["error_message"]) == ("thanks", None)
    assert ["X-Shop", "1"] in attempt["response"]["headers"]


def test_attempts_come_in_pages(api: Wire, shop: Shop) -> None:
    path = listening(api)
    api.pay()
    deliver(api)
    event = api.post(path, {})["data"][0]["event_id"]
    api.post(f"{path}/{event}/retry")
    deliver(api)
    page = api.get(f"{path}/{event}/attempts?limit=1")
    assert (len(page["data"]), page["total_count"], page["has_more"]) == (1, 2, True)


def test_an_event_is_sent_once_more(api: Wire, shop: Shop) -> None:
    path = listening(api)
    payment = api.pay()["payment_id"]
    deliver(api)
    event = api.post(path, {"object_id": payment})["data"][0]["event_id"]
    reply = api.post(f"{path}/{event}/retry")
    assert shop.bodies[1] == shop.bodies[0] == reply["request"]["body"].encode()
    assert (reply["delivery_attempt"], reply["response"]["status_code"]) == ("manual_retry", 200)
    assert (reply["is_delivery_successful"], reply["response"]["body"]) == (True, "thanks")
    assert api.get(f"{path}/{event}/attempts")["data"][0] == reply.json
    assert api.post(path, {"event_id": event})["data"][0]["is_delivery_successful"] is True


def test_what_came_of_it_is_kept_in_the_journal_and_for_a_repeat(api: Wire, shop: Shop) -> None:
    path = listening(api)
    api.pay()
    deliver(api)
    event = api.post(path, {})["data"][0]["event_id"]
    first, again = (api.post(f"{path}/{event}/retry", X_Idempotency_Key="once") for _ in range(2))
    assert (again.raw, again.headers["X-Sandbox-Replayed"]) == (first.raw, "true")
    assert first["response"]["status_code"] == 200
    assert len(shop.bodies) == 2
    lines = api.get("/_sandbox/journal?operation=events.retry")["data"]
    assert [line["response"] for line in lines] == [first.json, first.json]


def test_without_a_receiver_nothing_can_be_sent(api: Wire) -> None:
    path = home(api)
    api.pay()
    event = api.post(path, {})["data"][0]["event_id"]
    assert refused(api.post(f"{path}/{event}/retry")) == (400, "IR_16")
    assert api.get(f"{path}/{event}/attempts")["data"] == []


def test_a_mandates_event_shows_the_mandate(api: Wire, shop: Shop) -> None:
    path = listening(api)
    made = mandate(api)
    deliver(api)
    bodies = [json.loads(body) for body in shop.bodies]
    (told,) = [body for body in bodies if body["event_type"] == "mandate_active"]
    assert told["content"] == {"type": "mandate_details", "object": api.get(f"/mandates/{made}").json}
    assert ids_of(api.post(path, {"event_classes": ["mandates"]})) == [made]


def test_every_class_and_type_can_be_asked_for(api: Wire) -> None:
    path = home(api)
    assert api.post(path, {"event_classes": list(EventClass), "event_types": list(EventType)}).status == 200


def test_an_admin_reads_a_merchants_events_and_deletes_its_profile(api: Wire) -> None:
    admin = api.as_key("an_admin")
    admin.post("/accounts", {"merchant_id": "mer_shop"})
    shop = admin.as_key(admin.post("/api_keys/mer_shop", {"name": "k"})["api_key"])
    second = shop.post("/account/mer_shop/business_profile", {"profile_name": "second"})["profile_id"]
    assert shop.post("/payments", card_payment(profile_id=second, confirm=True)).status == 200
    listed = admin.post("/events/mer_shop", {})
    assert listed.status == 200
    assert listed.json == shop.post("/events/mer_shop", {}).json
    event = listed["data"][0]["event_id"]
    assert admin.get(f"/events/mer_shop/{event}/attempts").status == 200
    assert admin.call("DELETE", f"/account/mer_shop/business_profile/{second}").status == 200
    assert shop.get(f"/account/mer_shop/business_profile/{second}").status == 404
    assert admin.post("/events/mer_nobody", {}).error["code"] == "HE_02"
