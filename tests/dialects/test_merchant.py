"""A merchant's integration, written for the public API, runs against `serve --dialect hyperswitch`.

It says nothing that only this server knows, but where a shop would have to wait (a dispute). Every answer and every
webhook is held against the public schemas.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from mock_server.cli.conformance import listening
from mock_server.conformance.target import WebhookListener
from tests.dialects.public import agree, told
from tests.running import RunningSandbox

PAYS: Final[dict[str, Any]] = {"amount": 6540, "currency": "USD", "confirm": True, "payment_method": "card"}
ACCEPTED: Final = {
    "acceptance_type": "online",
    "accepted_at": "2026-01-01T00:00:00.000Z",
    "online": {"ip_address": "203.0.113.7", "user_agent": "Mozilla/5.0"},
}


def card(number: str = "4242424242424242") -> dict[str, Any]:
    """A card as shops of the public API send it: its year has two digits or four."""
    typed = {"card_number": number, "card_exp_month": "10", "card_exp_year": "35", "card_cvc": "123"}
    return {"card": {**typed, "card_holder_name": "Jo Doe"}}


class _Stays(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Leaves the way back to the shop."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back."""

    status: int
    headers: Any
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    def __getitem__(self, name: str) -> Any:
        return self.json[name]


class Shop:
    """The shop's server."""

    def __init__(self, base: str, key: str) -> None:
        self.base = base
        self.key = key
        self._open = build_opener(_Stays).open

    def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answered:
        """A call of the API."""
        headers = {"api-key": key or self.key, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        found = self.send(Request(self.base + path, data, headers, method=method))
        agree(method, path, found.status, found.text.encode())
        return found

    def send(self, request: Request) -> Answered:
        try:
            with self._open(request) as answer:
                return Answered(answer.status, answer.headers, answer.read().decode())
        except HTTPError as refused:
            with refused:
                return Answered(refused.code, refused.headers, refused.read().decode())

    def get(self, path: str) -> Answered:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None, key: str | None = None) -> Answered:
        return self.call("POST", path, body, key)

    def pay(self, number: str = "4242424242424242", **fields: Any) -> Answered:
        return self.post("/payments", {**PAYS, "payment_method_data": card(number), **fields})


@pytest.fixture(scope="module")
def receiver() -> Iterator[WebhookListener]:
    with listening("127.0.0.1", patience_s=60) as found:
        yield found


@pytest.fixture(scope="module")
def server() -> Iterator[RunningSandbox]:
    with RunningSandbox("--dialect", "hyperswitch") as found:
        yield found


@pytest.fixture
def shop(server: RunningSandbox, request: pytest.FixtureRequest) -> Shop:
    """A shop with a key of its own."""
    return Shop(server.base, f"snd_{request.node.name.replace('_', '')}0123456789")


def test_a_payment_needs_no_profile_while_there_is_one(shop: Shop) -> None:
    paid = shop.pay()
    assert (paid["status"], paid["amount_received"]) == ("succeeded", 6540)
    assert paid["profile_id"].startswith("pro_")
    assert paid["payment_method_data"]["card"]["card_network"] == "Visa"


def test_manual_capture_in_parts(shop: Shop) -> None:
    held_back = shop.pay(capture_method="manual_multiple")
    path = f"/payments/{held_back['payment_id']}"
    assert held_back["status"] == "requires_capture"
    part = shop.post(f"{path}/capture", {"amount_to_capture": 2000})
    assert (part["status"], part["amount_capturable"]) == ("partially_captured_and_capturable", 4540)
    assert shop.post(f"{path}/capture", {"amount_to_capture": 4540})["status"] == "succeeded"
    assert len(shop.get(f"{path}?expand_captures=true")["captures"]) == 2
    once = shop.pay(capture_method="manual")["payment_id"]
    assert shop.post(f"/payments/{once}/capture", {"amount_to_capture": 2000})["status"] == "partially_captured"


def test_a_customer_comes_back_from_3d_secure_with_a_signature(shop: Shop) -> None:
    begun = shop.pay("4000003800000446", return_url="https://shop.example/back?order=7", authentication_type="three_ds")
    assert begun["status"] == "requires_customer_action"
    page = begun["next_action"]["redirect_to_url"]
    html = shop.send(Request(page)).text
    action = re.search(r'<form[^>]*action="([^"]*)"', html)
    assert action
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    button = re.search(r'name="(\w+)" value="approved"', html)
    assert button
    form = urlencode({**fields, button[1]: "approved"}).encode()
    back = shop.send(Request(urljoin(page, action[1]), form, {"Content-Type": "application/x-www-form-urlencoded"}))
    assert back.status == 302
    pairs = parse_qsl(urlsplit(back.headers["Location"]).query, keep_blank_values=True)
    said = dict(pairs)
    assert (said["order"], said["status"], said["payment_id"]) == ("7", "succeeded", begun["payment_id"])
    merchant, profile = begun["merchant_id"], begun["profile_id"]
    secret = shop.get(f"/account/{merchant}/business_profile/{profile}")["payment_response_hash_key"]
    signed = "&".join(f"{name}={value}" for name, value in sorted(pairs) if not name.startswith("signature"))
    assert said["signature"] == hmac.new(secret.encode(), signed.encode(), hashlib.sha512).hexdigest()
    assert shop.get(f"/payments/{begun['payment_id']}")["status"] == "succeeded"


def test_declines_voids_and_refunds(shop: Shop) -> None:
    declined = shop.pay("4000000000009995")
    assert (declined.status, declined["status"]) == (200, "failed")
    assert declined["error_details"]["unified_details"]["standardised_code"] == "insufficient_funds"
    authorized = shop.pay(capture_method="manual")["payment_id"]
    voided = shop.post(f"/payments/{authorized}/cancel", {"cancellation_reason": "requested_by_customer"})
    assert voided["status"] == "cancelled"
    payment = shop.pay()["payment_id"]
    assert shop.post("/refunds", {"payment_id": payment, "amount": 540, "reason": "late"})["status"] == "succeeded"
    assert shop.post("/refunds", {"payment_id": payment, "amount": 6001}).json["error"]["code"] == "IR_13"
    assert shop.post("/refunds/list", {"payment_id": payment})["total_count"] == 1
    assert shop.get(f"/payments/{payment}")["refunds"][0]["amount"] == 540


def test_a_saved_card_is_charged_without_its_customer(shop: Shop) -> None:
    customer = {"customer_id": "cus_jo", "email": "jo@shop.example"}
    assert shop.post("/customers", customer).status == 200
    saving: dict[str, Any] = {
        "customer_id": "cus_jo",
        "setup_future_usage": "off_session",
        "customer_acceptance": ACCEPTED,
    }
    verified = shop.pay(**saving, amount=0, payment_type="setup_mandate")
    assert verified["status"] == "succeeded"
    later = {"amount": 1000, "currency": "USD", "confirm": True, "customer_id": "cus_jo", "off_session": True}
    details = {"type": "payment_method_id", "data": verified["payment_method_id"]}
    charged = shop.post("/payments", {**later, "recurring_details": details})
    assert (charged["status"], charged["payment_method_id"]) == ("succeeded", verified["payment_method_id"])
    terms = {"customer_acceptance": ACCEPTED, "mandate_type": {"single_use": {"amount": 7000, "currency": "USD"}}}
    mandate = shop.pay(**{**saving, "mandate_data": terms})["mandate_id"]
    charge = {**later, "recurring_details": {"type": "mandate_id", "data": mandate}}
    assert shop.post("/payments", charge)["status"] == "succeeded"
    assert [one["mandate_id"] for one in shop.get("/customers/cus_jo/mandates").json] == [mandate]


def test_a_customer_pays_with_a_saved_card_by_its_token(shop: Shop) -> None:
    shop.post("/customers", {"customer_id": "cus_jo"})
    shop.pay(customer_id="cus_jo", setup_future_usage="on_session", customer_acceptance=ACCEPTED)
    (saved,) = shop.get("/customers/cus_jo/payment_methods")["customer_payment_methods"]
    again = {**PAYS, "customer_id": "cus_jo", "payment_token": saved["payment_token"]}
    assert shop.post("/payments", again)["status"] == "succeeded"


def test_lists_are_read_from_one_payment_to_the_next(shop: Shop) -> None:
    made = [shop.pay()["payment_id"] for _ in range(5)][::-1]
    read, path = [], "/payments/list?limit=2"
    while found := shop.get(path)["data"]:
        read += [one["payment_id"] for one in found]
        path = f"/payments/list?limit=2&starting_after={read[-1]}"
    assert read == made
    assert shop.post("/payments/list", {"limit": 2, "offset": 4})["count"] == 1


def stringified(body: bytes) -> bytes:
    """What JavaScript makes of it by `JSON.stringify(JSON.parse(body))`."""
    parsed = json.loads(body, parse_float=lambda text: int(float(text)) if float(text).is_integer() else float(text))
    return json.dumps(parsed, separators=(",", ":"), ensure_ascii=False).encode()


def test_webhooks_are_verified_in_both_ways(shop: Shop, receiver: WebhookListener) -> None:
    first = shop.pay()
    path = f"/account/{first['merchant_id']}/business_profile/{first['profile_id']}"
    profile = shop.post(path, {"webhook_details": {"webhook_url": receiver.url}}).json
    secret = profile["payment_response_hash_key"].encode()
    payment = shop.pay(metadata={"name": "Zoë", "of": 1.0})["payment_id"]
    shop.post("/refunds", {"payment_id": payment, "amount": 100})
    dispute = shop.post(f"/_sandbox/payments/{payment}/dispute", {})["dispute_id"]
    for about in ("payment", "refund", "dispute"):
        came = receiver.wait_for(f"{about}_{'opened' if about == 'dispute' else 'succeeded'}")
        signature = came.headers["x-webhook-signature-512"]
        for body in (came.body, stringified(came.body)):
            assert signature == hmac.new(secret, body, hashlib.sha512).hexdigest()
        told(came.envelope["content"])
        assert came.object[f"{about}_id"]
    assert [one["dispute_id"] for one in shop.get("/disputes/list").json] == [dispute]
    evidence = {"dispute_id": dispute, "uncategorized_text": "It was delivered."}
    assert shop.post("/disputes/evidence", evidence)["dispute_status"] == "dispute_challenged"


def test_the_status_words_are_the_public_ones(shop: Shop) -> None:
    begun = shop.pay("4000003800000446", return_url="https://shop.example/back", authentication_type="three_ds")
    asked = {"status": ["requires_customer_action"]}
    assert [one["payment_id"] for one in shop.post("/payments/list", asked)["data"]] == [begun["payment_id"]]


def test_a_client_of_http_1_0(shop: Shop) -> None:
    body = json.dumps({**PAYS, "payment_method_data": card()})
    head = f"POST /payments HTTP/1.0\r\napi-key: {shop.key}\r\nContent-Type: application/json\r\n"
    where = urlsplit(shop.base)
    with socket.create_connection((where.hostname or "", where.port or 0)) as line:
        line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = b"".join(iter(lambda: line.recv(65_536), b""))  # the server ends the line, as nobody asked it to stay
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == "succeeded"
