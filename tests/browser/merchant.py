"""A shop's server side: it makes payments in a workspace of its own, whose clock stands still."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final, Self

import httpx

from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.cards import by_name
from mock_server.domain.methods import Need, find
from tests.wire import card_data

CURRENCY: Final = {
    "pix": "BRL",
    "boleto": "BRL",
    "upi_collect": "INR",
    "upi_intent": "INR",
    "ach": "USD",
    "bacs": "GBP",
}
BUYER: Final[Mapping[str, Any]] = {
    "name": "Ada Lovelace",
    "email": "ada@example.test",
    "description": "Two seats in the stalls",
    "billing": {"address": {"country": "NL"}},
}


class Merchant:
    """A client of the API and of the control API, by HTTP alone."""

    def __init__(self, base: str) -> None:
        self.key = ApiKey(KeyKind.SECRET, uuid.uuid4().hex)
        key = {"api-key": self.key.text}
        self._http = httpx.Client(base_url=base, headers=key, trust_env=False, verify=False, timeout=None)
        self.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def call(self, method: str, path: str, **sent: Any) -> Any:
        """One call; whatever is refused fails the test."""
        answer = self._http.request(method, path, **sent)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: object = None) -> Any:
        return self.call("POST", path, json={} if body is None else body)

    def pay(self, body: Mapping[str, Any], **fields: Any) -> Any:
        """A payment that waits for its customer."""
        made = self.post("/payments", {**BUYER, **body, **fields})
        assert made["status"] == "requires_action", made
        return made

    def try_to_pay(self, body: Mapping[str, Any], **fields: Any) -> httpx.Response:
        """What a payment is answered that may be refused."""
        return self._http.post("/payments", json={**BUYER, **body, **fields})

    def status(self, payment: Any) -> str:
        return str(self.get(f"/payments/{payment['payment_id']}")["status"])

    def authenticate(self, payment: Any, result: str) -> Any:
        return self.post(f"/_sandbox/payments/{payment['payment_id']}/authenticate", {"result": result})

    def timeline(self, payment: Any) -> list[Any]:
        """What happened to a payment, times included; without its ids, and without who asked for it."""
        steps = self.get(f"/_sandbox/payments/{payment['payment_id']}/timeline")["data"]
        return [{**step, "event_id": None} for step in steps if step["kind"] not in ("call", "page", "by_hand")]

    def profile(self, payment: Any, **fields: Any) -> Any:
        """Changes the profile of a payment."""
        return self.post(f"/account/{payment['merchant_id']}/business_profile/{payment['profile_id']}", fields)

    def secret(self) -> str:
        """The key that signs for this shop."""
        return str(self.get("/_sandbox/webhooks/target")["secret"])

    def activate(self, name: str, text: str) -> None:
        self.call("PUT", f"/_sandbox/scenarios/{name}", content=text, headers={"Content-Type": "application/yaml"})
        self.post(f"/_sandbox/scenarios/{name}/activate")


def card(name: str) -> dict[str, Any]:
    """The body of a payment by a card of the table."""
    row = by_name(name)
    assert row is not None
    return {**_body("card", "credit", "USD"), "payment_method_data": {"card": card_data(row.number)}}


def method(category: str, type: str, payload: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a payment by another method."""
    made = {**_body(category, type, CURRENCY.get(type, "EUR")), "payment_method_data": {category: {payload: data}}}
    row = find((category, type))
    assert row is not None
    return {**made, **({"return_url": "https://shop.example.test/"} if Need.RETURN_URL in row.needs else {})}


def _body(category: str, type: str, currency: str) -> dict[str, Any]:
    return {
        "amount": 6540, "currency": currency, "confirm": True, "profile_id": "pro_shop",
        "payment_method": category, "payment_method_type": type,
    }  # fmt: skip


def link(payment: Any, base: str) -> str:
    """The page that a payment's next_action leads to, or the one that stands behind other instructions."""
    found = payment["next_action"].get("redirect_to_url")
    number = f"{payment['payment_id']}_{payment['attempt_count']}"
    return found or f"{base}/payments/redirect/{payment['payment_id']}/{payment['merchant_id']}/{number}"
