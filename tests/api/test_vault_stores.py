"""Customers to reports under a store that runs work twice, through a snapshot, and in another dialect."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest

from mock_server.domain.statuses import MandateStatus, MethodStatus, PaymentStatus
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response
from mock_server.webhooks.transport import Wire as Line
from tests.api.money_places import bytes_of, fine
from tests.api.saving import CUSTOMER, browser, charge, mandate, off_session, reserved, save, saved, token
from tests.clocks import ManualClock
from tests.dialects.nonsense import NONSENSE, renamed
from tests.store.retrying import RetryingStore
from tests.webhooks.shops import send_notices
from tests.wire import Reply, Wire, card_data, card_payment, wire

DAY_MS = 24 * 60 * 60 * 1000
MONTH = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-31T23:59:59Z"}
ASK = {"timeRange": MONTH, "emails": ["owner@shop.example.com"]}
COUNTS = {"timeRange": MONTH, "groupByNames": ["status"], "metrics": ["payment_count", "payment_success_rate"]}
RECEIVER = "https://shop.example.com"


class Tale:
    """Calls one after the other; keeps every answer."""

    def __init__(self, api: Wire) -> None:
        self.api = api
        self.seen: list[Reply] = []

    def say(self, method: str, path: str, body: object = None, *, api: Wire | None = None, **headers: str) -> Reply:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        self.seen.append((api or self.api).call(method, path, body, headers=sent))
        return self.seen[-1]


def life(api: Wire, clock: ManualClock) -> Tale:
    """Everything that can happen to what is kept beside payments."""
    tale = Tale(api)
    say, admin, page = tale.say, api.as_key("admin"), browser(api)

    say("POST", "/customers", {"customer_id": CUSTOMER, "email": "a@shop.example.com", "metadata": {"n": 1}})
    say("POST", "/customers", {"customer_id": CUSTOMER})
    say("PUT", f"/customers/{CUSTOMER}", {"name": "Jane"})
    say("POST", "/customers", {"name": "nobody named"})

    kept, again = saved(api), saved(api, "visa_success_1111", usage="on_session")
    bound, single = mandate(api, "multi_use"), mandate(api, "single_use")
    tale.seen += [
        charge(api, payment_token=token(api), card_cvc="737"),
        off_session(api, "payment_method_id", kept),
        off_session(api, "payment_method_id", again),
        off_session(api, "mandate_id", bound),
        off_session(api, "mandate_id", single),
        off_session(api, "mandate_id", single),
    ]
    merchant = tale.seen[-2]["merchant_id"]
    say("POST", f"/mandates/revoke/{bound}")
    say("POST", f"/mandates/revoke/{bound}")
    say("POST", f"/customers/{CUSTOMER}/payment_methods/{kept}/default")
    say("DELETE", f"/payment_methods/{kept}")
    say("DELETE", f"/payment_methods/{again}")
    fresh = reserved(api)
    given = {"payment_method": "card", "card": card_data("4000000000000077"), "client_secret": fresh["client_secret"]}
    say("POST", f"/payment_methods/{fresh['payment_method_id']}/save", given, api=page)
    say("POST", f"/payment_methods/{kept}/update", {"card": {"nick_name": "mine"}})
    epk = say("POST", "/ephemeral_keys", {"customer_id": CUSTOMER})
    say("DELETE", f"/ephemeral_keys/{epk['id']}")

    home = f"/account/{merchant}/business_profile"
    shop = {"profile_name": "second", "webhook_details": {"webhook_url": f"{RECEIVER}/hooks"}}
    second = say("POST", home, shop)["profile_id"]
    say("POST", home, shop)
    say("POST", f"{home}/{second}", {"webhook_details": {"payment_statuses_enabled": ["failed"]}})
    say("PUT", f"{home}/pro_shop", {"profile_name": "shop", "session_expiry": 600})
    say("DELETE", f"{home}/{second}")

    say("POST", "/accounts", {"merchant_id": "mer_other"}, api=admin)
    key = say("POST", "/api_keys/mer_other", {"name": "k", "expiration": "2026-01-02T00:00:00Z"}, api=admin)
    other = api.as_key(key["api_key"])
    say("POST", "/payments", card_payment(), api=other)
    say("POST", f"/api_keys/mer_other/{key['key_id']}", {"expiration": "never"}, api=admin)
    say("POST", "/account/mer_other/connectors", {"connector_name": "stripe_test"}, api=admin)
    say("DELETE", f"/api_keys/mer_other/{key['key_id']}", api=admin)
    say("POST", "/customers", {}, api=other)

    clock.advance(DAY_MS)
    say("POST", "/analytics/v1/merchant/report/payments", {**ASK, "returnUrl": f"{RECEIVER}/reports"})
    tale.seen += looks(api, merchant, kept, bound, single)
    return tale


def looks(api: Wire, merchant: str, *ids: str) -> list[Reply]:
    """What can be seen of it."""
    method, *mandates = ids
    paths = (
        *(f"/customers/{CUSTOMER}", "/customers/list", "/customers/list_with_count?limit=1"),
        *(f"/customers/{CUSTOMER}/mandates", f"/payment_methods/{method}", "/mandates/list"),
        *(f"/mandates/{one}" for one in mandates),
        *(f"/account/{merchant}/business_profile", f"/events/{merchant}?limit=100"),
    )
    asked = [
        ("/analytics/v1/merchant/metrics/payments", [COUNTS]),
        ("/analytics/v1/filters/payments", {"timeRange": MONTH}),
    ]
    return [*(api.get(path) for path in paths), *(api.post(path, body) for path, body in asked)]


def test_work_that_runs_twice_gives_the_same_bytes() -> None:
    once, twice = ManualClock(), ManualClock()
    plain = life(wire(clock=once), once)
    again = life(wire(clock=twice, store=RetryingStore()), twice)
    assert bytes_of(again.seen) == bytes_of(plain.seen)
    assert {reply.status for reply in plain.seen} == {200, 400, 401}


class Inbox:
    """Keeps the links of the reports that it was told of."""

    def __init__(self) -> None:
        self.links: list[str] = []

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, line: Line) -> Response:
        parts = urlsplit(json.loads(body)["data"]["download_url"])
        self.links.append(f"{parts.path}?{parts.query}")
        return Response(200)


def report(api: Wire) -> str:
    """The link of a report of this month's payments."""
    inbox = Inbox()
    undo = api.sandbox.post.routing.connect(RECEIVER, inbox)
    assert api.post("/analytics/v1/merchant/report/payments", {**ASK, "returnUrl": f"{RECEIVER}/reports"}).status == 200
    send_notices(api)
    undo()
    return inbox.links[-1]


def test_a_snapshot_carries_everything(api: Wire, clock: ManualClock) -> None:
    life(api, clock)
    merchant, ids, link, card = merchant_of(api), ids_of(api), report(api), token(api)
    before = [*looks(api, merchant, *ids), api.as_key(None).get(link)]
    fine(api.call("PUT", "/_sandbox/snapshots/kept"))
    fine(api.post("/_sandbox/reset", {}))
    assert api.get("/customers/list")["total_count"] == 0
    assert api.as_key(None).get(link).status == 404
    fine(api.post("/_sandbox/snapshots/kept/restore"))
    after = [*looks(api, merchant, *ids), api.as_key(None).get(link)]
    assert [(reply.status, reply.raw) for reply in after] == [(200, reply.raw) for reply in before]
    assert charge(api, payment_token=card, card_cvc="737")["status"] == "succeeded"


def test_an_ephemeral_key_opens_a_workspace_that_was_put_elsewhere(api: Wire) -> None:
    api.post("/customers", {"customer_id": CUSTOMER})
    secret = api.post("/ephemeral_keys", {"customer_id": CUSTOMER})["secret"]
    fine(api.call("PUT", "/_sandbox/snapshots/kept"))
    other = api.as_key("snd_somebody_else")
    fine(other.post("/_sandbox/snapshots/kept/restore"))
    method = saved(other)
    fine(api.post("/_sandbox/reset", {}))
    (one,) = api.as_key(secret).get("/customers/payment_methods")["customer_payment_methods"]
    assert one["payment_method_id"] == method


def merchant_of(api: Wire) -> str:
    return str(api.get("/payments/list")["data"][0]["merchant_id"])


def ids_of(api: Wire) -> list[str]:
    """A saved method and every mandate."""
    offered = api.get(f"/customers/{CUSTOMER}/payment_methods")["customer_payment_methods"]
    return [offered[0]["payment_method_id"], *(one["mandate_id"] for one in api.get("/mandates/list")["data"])]


# another dialect


@pytest.fixture
def strange() -> Wire:
    """A client of a nonsense server."""
    return wire(dialect=NONSENSE)


def items(reply: Reply) -> list[Any]:
    """The items of a list, in the nonsense envelope."""
    body = fine(reply).json
    assert set(body) == {renamed("data"), renamed("total_count"), renamed("has_more")}
    assert len(body[renamed("data")]) <= body[renamed("total_count")]
    found: list[Any] = body[renamed("data")]
    return found


ACTIVE = [lambda api: api.get(f"/payment_methods/{saved(api)}"), save, lambda api: charge_again(api)]


def charge_again(api: Wire) -> Reply:
    saved(api)
    return charge(api, payment_token=token(api))


@pytest.mark.parametrize("make", ACTIVE, ids=["method", "payment that saves", "payment by token"])
def test_a_methods_status_is_translated(strange: Wire, make: Callable[[Wire], Reply]) -> None:
    assert fine(make(strange))["payment_method_status"] == renamed(MethodStatus.ACTIVE.value)


def test_a_reserved_methods_status_is_translated(strange: Wire) -> None:
    strange.post("/customers", {"customer_id": CUSTOMER})
    made = strange.post("/payment_methods", {"customer_id": CUSTOMER})
    assert made["payment_method_status"] == renamed(MethodStatus.AWAITING_DATA.value)


@pytest.mark.parametrize("status", [MandateStatus.ACTIVE, MandateStatus.REVOKED, MandateStatus.INACTIVE])
def test_a_mandates_status_is_translated_in_and_out(strange: Wire, status: MandateStatus) -> None:
    one = mandate(strange, "single_use" if status is MandateStatus.INACTIVE else "multi_use")
    if status is MandateStatus.REVOKED:
        assert fine(strange.post(f"/mandates/revoke/{one}"))["status"] == renamed("revoked")
    elif status is MandateStatus.INACTIVE:
        fine(off_session(strange, "mandate_id", one))
    assert fine(strange.get(f"/mandates/{one}"))["status"] == renamed(status.value)
    for found in (
        items(strange.get(f"/mandates/list?{renamed('status')}={renamed(status.value)}")),
        items(strange.post("/mandates/list", {renamed("status"): [renamed(status.value)]})),
        items(strange.get(f"/customers/{CUSTOMER}/mandates")),
    ):
        assert [(row["mandate_id"], row["status"]) for row in found] == [(one, renamed(status.value))]
    assert strange.get(f"/mandates/list?{renamed('status')}={status.value}").status >= 400


def test_a_profiles_statuses_are_translated_in_and_out(strange: Wire) -> None:
    home = f"/account/{strange.pay()['merchant_id']}/business_profile/pro_shop"
    wanted = {name: [renamed(word) for word in words] for name, words in TOLD.items()}
    details = {"webhook_url": f"{RECEIVER}/hooks", **wanted}
    for reply in (strange.post(home, {"webhook_details": details}), strange.get(home)):
        shown = fine(reply)["webhook_details"]
        assert {name: shown[name] for name in wanted} == wanted
    for name, words in TOLD.items():
        assert strange.post(home, {"webhook_details": {name: list(words)}}).status >= 400
    account = {"merchant_id": "mer_other", "webhook_details": details}
    shown = fine(strange.as_key("admin").post("/accounts", account))["webhook_details"]
    assert {name: shown[name] for name in wanted} == wanted


TOLD = {
    "payment_statuses_enabled": ("succeeded", "failed"),
    "refund_statuses_enabled": ("failed",),
}


@pytest.mark.parametrize("status", [PaymentStatus.SUCCEEDED, PaymentStatus.FAILED])
def test_figures_speak_the_dialect(strange: Wire, status: PaymentStatus) -> None:
    strange.pay("success" if status is PaymentStatus.SUCCEEDED else "visa_generic_decline")
    word = renamed(status.value)
    asked = {**COUNTS, "filters": {"status": [word]}}
    (bucket,) = fine(strange.post("/analytics/v1/merchant/metrics/payments", [asked]))["queryData"]
    assert (bucket["status"], bucket["payment_count"]) == (word, 1)
    filters = fine(strange.post("/analytics/v1/filters/payments", {"timeRange": MONTH}))["queryData"]
    assert {"dimension": "status", "values": [word]} in filters
    spoken = {**COUNTS, "filters": {"status": [status.value]}}
    assert strange.post("/analytics/v1/merchant/metrics/payments", [spoken]).status >= 400
    (row,) = csv.DictReader(StringIO(strange.as_key(None).get(report(strange)).raw.decode()))
    assert row["status"] == word


LISTS = (
    *("/customers/list", "/customers/list_with_count", "/mandates/list", f"/customers/{CUSTOMER}/mandates"),
    *("/account/{}/business_profile", "/account/{}/connectors", "/api_keys/{}/list", "/events/{}"),
)


@pytest.mark.parametrize("path", LISTS)
def test_every_list_takes_the_dialects_parameters(strange: Wire, path: str) -> None:
    strange.post("/customers", {"customer_id": CUSTOMER})
    merchant = strange.pay()["merchant_id"]
    client = strange.as_key("admin") if "connectors" in path or "api_keys" in path else strange
    method = client.post if path == "/events/{}" else client.get
    at = path.format(merchant)
    items(method(at))
    items(client.get(f"{at}?{renamed('limit')}=1&{renamed('offset')}=0"))
    assert client.get(f"{at}?limit=1").status >= 400
