"""The page of calls tells every limit of the API, and a call beyond it gets what the page says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from docs.limits import ELSEWHERE, ROWS, Row
from mock_server.domain import instants, limits
from tests.wire import Reply, Wire, card_payment, wire

NAMES: Final = {name for name, value in vars(limits).items() if name.isupper() and isinstance(value, int)} - vars(
    instants
).keys()
Tried = Callable[[Wire, int], Reply]


def test_every_limit_is_told() -> None:
    assert {row.name for row in ROWS} | ELSEWHERE.keys() == NAMES
    assert not {row.name for row in ROWS} & ELSEWHERE.keys()


def created(**fields: Any) -> Callable[[Wire], Reply]:
    return lambda api: api.post("/payments", {"amount": 4200, "currency": "EUR", "profile_id": "pro_shop", **fields})


def text(name: str, **more: Any) -> Tried:
    return lambda api, size: created(**more, **{name: "x" * size})(api)


def profile(name: str, value: Callable[[int], str]) -> Tried:
    def call(api: Wire, size: int) -> Reply:
        merchant = created()(api)["merchant_id"]
        return api.post(f"/account/{merchant}/business_profile", {"profile_name": "web", name: value(size)})

    return call


def url(size: int) -> str:
    return "https://shop.example/".ljust(size, "x")


def refunds(api: Wire, count: int) -> Reply:
    asked = {"payment_id": api.pay()["payment_id"], "amount": 1}
    return [api.post("/refunds", asked) for _ in range(count)][-1]


def refund_after(api: Wire, ms: int) -> Reply:
    payment_id = api.pay()["payment_id"]
    pass_time(api, ms)
    return api.post("/refunds", {"payment_id": payment_id})


def key_after(api: Wire, ms: int) -> Reply:
    api.post("/customers", {"customer_id": "cus_1"})
    key = api.post("/ephemeral_keys", {"customer_id": "cus_1"})["secret"]
    pass_time(api, ms)
    return api.as_key(key).get("/customers/cus_1")


def pass_time(api: Wire, ms: int) -> None:
    api.post("/_sandbox/clock/advance", {"by": f"{ms}ms"})


TRIES: Final[dict[str, Tried]] = {
    "AMOUNT_MAX": lambda api, size: created(amount=size)(api),
    "METADATA_PAIRS": lambda api, size: created(metadata={str(n): "x" for n in range(size)})(api),
    "METADATA_KEY": lambda api, size: created(metadata={"x" * size: "x"})(api),
    "METADATA_VALUE": lambda api, size: created(metadata={"x": "x" * size})(api),
    "IDENTIFIER": text("payment_id"),
    "MERCHANT_ORDER_REFERENCE_ID": text("merchant_order_reference_id"),
    "STATEMENT_DESCRIPTOR": text("statement_descriptor_name"),
    "DESCRIPTION": text("description"),
    "TEXT": text("name"),
    "RETURN_URL": lambda api, size: created(return_url=url(size))(api),
    "PROFILE_RETURN_URL": profile("return_url", url),
    "PROFILE_NAME": profile("profile_name", lambda size: "x" * size),
    "ITEMS": lambda api, size: created(order_details=[{"product_name": "x", "quantity": 1, "amount": 1}] * size)(api),
    "LIST_MAX": lambda api, size: api.get(f"/payments/list?limit={size}"),
    "IDEMPOTENCY_KEY": lambda api, size: api.post("/payments", card_payment(), X_Idempotency_Key="x" * size),
    "REFUNDS_PER_PAYMENT": refunds,
    "REFUND_AGE_MS": refund_after,
    "SESSION_EXPIRY_MAX_S": lambda api, size: created(session_expiry=size)(api),
    "EPHEMERAL_KEY_MS": key_after,
}
"""A call at a limit, by its name; those of reports, events, mandates and tokens have tests of their own."""


@pytest.mark.parametrize("name", TRIES)
def test_a_call_beyond_a_limit_gets_what_the_page_says(name: str) -> None:
    row = next((row for row in ROWS if row.name == name), Row(name, ""))
    most = getattr(limits, name)
    allowed = TRIES[name](wire(), most - (name == "EPHEMERAL_KEY_MS"))
    assert allowed.status == 200, allowed.raw
    refused = TRIES[name](wire(), most + 1)
    assert f"{refused.status} `{refused.error['code']}`" == row.over
