"""What is no mistake of JSON or of a query is not told as one: headers of ours, and values that contradict records.

The public server's `Json deserialize error` makes a developer look at the body; `error_type` stands with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.kinds.objects import MOST_WRONG
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.saving import CUSTOMER, saved
from tests.causes.raising import ADMIN, BARE
from tests.wire import Reply, Wire, card_payment, wire

HEADERS: Final = ({"X-Sandbox-Scenario": "nothing-like-it"}, {"X-Sandbox-Sceanrio": "none"})
OUTCOME: Final = {"X-Sandbox-Outcome": "nothing_like_it"}


def told(reply: Reply) -> None:
    """Asserts a refusal that names what is wrong, and blames neither JSON nor query."""
    error = reply.error
    assert (reply.status, error.get("type"), error["code"]) == (400, "invalid_request", "IR_06"), reply.raw
    assert "deserialize" not in error["message"]
    assert reply.headers["X-Sandbox-Because"]


@pytest.mark.parametrize("headers", HEADERS, ids=str)
def test_a_header_of_ours(api: Wire, headers: dict[str, str]) -> None:
    wrong = []
    for row in OPERATIONS:
        path = re.sub(r"<\w+>", "nobody", row.path)
        body: Any = {} if row.method in ("POST", "PUT") and not row.multipart else None
        reply = api.call(row.method, path, body, headers=headers)
        if not reply.raw.startswith(b'{"error"'):
            wrong.append((row.name, reply.raw[:80]))
        elif "X-Sandbox-Sce" in reply.raw.decode() and "deserialize" in reply.error["message"]:
            wrong.append((row.name, reply.error["message"]))
    assert not wrong, (len(wrong), wrong[:5])
    told(api.call("POST", "/payments", BARE, headers=headers))
    told(api.call("GET", "/payments/list", headers=headers))


def _key(api: Wire) -> Reply:
    merchant = api.post("/payments", BARE)["merchant_id"]
    path = f"/api_keys/{merchant}"
    return api.as_key(ADMIN).post(path, {"name": "one", "expiration": "2020-01-01T00:00:00Z"})


def _reserved(api: Wire) -> Reply:
    saved(api)
    api.post("/customers", {"customer_id": "cus_other"})
    made = api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "card"})
    path = f"/payment_methods/{made['payment_method_id']}/save"
    body = {"customer_id": "cus_other", "payment_method_data": {"card": card_payment()["payment_method_data"]["card"]}}
    return api.post(path, body)


CASES: Final[dict[str, Callable[[Wire], Reply]]] = {
    "outcome": lambda api: api.call("POST", "/payments", card_payment(confirm=True), headers=OUTCOME),
    "a key that is over": _key,
    "another customer's reserved method": _reserved,
    "a customer's id is fixed": lambda api: api.post(
        f"/customers/{api.post('/customers', {})['customer_id']}", {"customer_id": "cus_other"}
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_value_that_contradicts_what_is_there(api: Wire, name: str) -> None:
    told(CASES[name](api))


@pytest.mark.parametrize("values", [{"amount": "x"}, {"email": "nobody"}, {"metadata": {"a" * 41: "x"}}], ids=str)
def test_a_value_that_cannot_be_read(api: Wire, values: dict[str, Any]) -> None:
    error = api.post("/payments", {**BARE, **values}).error
    assert error["error_type"] == "invalid_request"
    assert error["message"].startswith("Json deserialize error: ")


@pytest.mark.parametrize("asked", [5, None, "x", {}, {"timeRange": 5}, {"metrics": "x"}], ids=str)
def test_a_request_for_figures_that_cannot_be_read(api: Wire, asked: object) -> None:
    error = api.post("/analytics/v1/metrics/payments", [asked]).error
    assert (error["error_type"], error["code"]) == ("invalid_request", "IR_06")
    assert error["message"].startswith("Json deserialize error: ")


def test_many_mistakes_are_not_told_before_the_first() -> None:
    api = wire(dialect=HYPERSWITCH)
    lines = [{"product_name": "x" * 300, "quantity": 1, "amount": 1} for _ in range(2 * MOST_WRONG)]
    error = api.post("/payments", {**BARE, "order_details": lines}).error
    assert "product_name" in error["message"]
