"""Nothing is charged by data that are not there: every payload of the table, missing, null and empty (decisions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.methods import PAYLOADS, PUBLIC_PAYLOADS, PUBLIC_WORDS, Payload
from tests.counts import times
from tests.wire import Reply, Wire, wire

TOKENS: Final = ("apple_pay", "google_pay", "samsung_pay")
"""The names of the data that are a wallet's token."""
_SOME: Final = PUBLIC_PAYLOADS[:: times(6, soak=1)]
ROWS: Final = tuple(row for row in (*PAYLOADS, *_SOME) if row.group not in ("reward", "crypto"))
"""A reward is chosen by its type alone, and a cryptocurrency's fields stand directly under its group."""
rows = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.group}-{row.name}")


@pytest.fixture(scope="module")
def clients() -> dict[str, Wire]:
    return {"interface": wire(), "hyperswitch": wire(dialect=HYPERSWITCH)}


def spoken(clients: dict[str, Wire], row: Payload) -> list[Wire]:
    """The clients of the dialects that have this payload."""
    return [client for name, client in clients.items() if name == "hyperswitch" or row in PAYLOADS]


def pay(client: Wire, row: Payload, data: Any, confirm: bool = True) -> Reply:
    payer = {"email": "jane@example.com", "return_url": "https://shop.example.com/back", "profile_id": "pro_shop"}
    category, type_ = row.category, row.type
    if client.sandbox.dialect is HYPERSWITCH:
        category, type_ = PUBLIC_WORDS[category, type_]
    kind = {"payment_method": category, "payment_method_type": type_}
    billing = {"billing": {"address": {"country": "DE"}}}
    body = {"amount": 6540, "currency": "EUR", "confirm": confirm, **payer, **kind, **billing}
    return client.post("/payments", {**body, "payment_method_data": data})


ABSENT: Final[dict[str, Callable[[Payload], Any]]] = {
    "no data": lambda row: None,
    "data null": lambda row: {row.group: None},
    "data empty": lambda row: {row.group: {}},
    "payload null": lambda row: {row.group: {row.name: None}},
}


@rows
@pytest.mark.parametrize("absent", ABSENT)
def test_absent_data_are_no_method(clients: dict[str, Wire], row: Payload, absent: str) -> None:
    for client in spoken(clients, row):
        if client.sandbox.dialect is not HYPERSWITCH:  # there a payment with a method is not created without its data
            made = pay(client, row, ABSENT[absent](row), confirm=False)
            assert made.status == 200 and made["status"] == "requires_payment_method", made.raw
        refused = pay(client, row, ABSENT[absent](row))
        assert refused.status == 400 and "payment_method_data" in refused.error["message"], refused.raw


BLANK: Final[tuple[Any, ...]] = (None, "", {})
BARE: Final[list[tuple[Payload, dict[str, Any]]]] = [
    *((row, {}) for row in ROWS),
    *((row, {"some": blank}) for row in ROWS if row.fields is None for blank in BLANK),
]


@pytest.mark.parametrize(("row", "bare"), BARE, ids=lambda value: getattr(value, "name", str(value)))
def test_bare_data_are_enough_where_nothing_is_asked_for(clients: dict[str, Wire], row: Payload, bare: Any) -> None:
    asks = bool(row.required) or row.name in TOKENS
    for client in spoken(clients, row):
        reply = pay(client, row, {row.group: {row.name: bare}})
        assert (reply.status == 400) is asks, reply.raw
        assert asks or reply["status"] in ("requires_action", "requires_customer_action", "processing", "succeeded")
        if asks and client.sandbox.dialect is not HYPERSWITCH:
            path = ".".join(("payment_method_data", row.group, row.name, *row.required[:1]))
            assert reply.error["fields"][0]["field"] == path


@pytest.mark.parametrize("token", [{"payment_data": "x"}, {"info": {"card_network": "VISA"}}, {"token": 7}])
@pytest.mark.parametrize("wallet", TOKENS)
def test_any_token_is_charged(clients: dict[str, Wire], wallet: str, token: Any) -> None:
    row = next(row for row in PAYLOADS if row.name == wallet)
    for client in spoken(clients, row):
        assert pay(client, row, {"wallet": {wallet: token}})["status"] == "succeeded"
