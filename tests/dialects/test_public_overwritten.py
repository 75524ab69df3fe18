"""A payment that was changed is as one that was made so: what is sent later replaces all that was there.

For every field that requests and answers share, by the public document's types: each value over each other one. The
changed payment and one that was created with the last value have the same answer, sums included, and end alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.contract.requests.public_names import PUBLIC
from tests.counts import times
from tests.dialects.public import table
from tests.dialects.public_values import kinds, parts, value
from tests.wire import Reply, Wire, card_payment, wire

MADE: Final = table()[1]["PaymentsResponse"]["properties"]
ELSEWHERE: Final = {
    *("payment_id", "client_secret", "payment_link", "profile_id"),  # whose payment it is
    *("payment_method", "payment_method_type", "payment_method_data", "payment_token"),  # sent together
    *("customer", "customer_id", "mandate_id", "mandate_data"),  # name something that exists
    *("split_payments", "connector_metadata", "feature_metadata"),  # returned unread
}
FIELDS: Final = tuple(
    name for name in dict.fromkeys(PUBLIC["payments.update"].split()) if name in MADE and name not in ELSEWHERE
)
OWN: Final = {
    *("payment_id", "client_secret", "created", "modified_at", "updated", "expires_on", "sdk_authorization"),
    *("connector_transaction_id", "reference_id", "network_transaction_id", "next_action", "payment_link"),
}
"""What each payment has of its own."""
BASE: Final = {"amount": 6540, "currency": "USD", "customer_id": "cus_1", "return_url": "https://shop.example.com/"}
KLARNA: Final = {
    "payment_method": "pay_later",
    "payment_method_type": "klarna",
    "payment_method_data": {"pay_later": {"klarna_redirect": {"billing_email": "jane.doe@example.com"}}},
}
CARD: Final = {name: value for name, value in card_payment().items() if name.startswith("payment_")}
"""Klarna needs the country of the billing address."""


def values(schema: Any, name: str) -> Iterator[Any]:
    """Values of a type; of an object also the whole without each part that is not required, or with another one."""
    yield from (one for one in kinds(schema, name) if one is not None)
    members, needed = parts(schema["anyOf"][0] if "anyOf" in schema else schema)
    whole = value(schema, name, whole=True)
    for key, one in members.items():
        if key not in needed:
            yield {inner: found for inner, found in whole.items() if inner != key}
        yield from ({**whole, key: found} for found in kinds(one, key))


def rest(reply: Reply) -> Any:
    """What an answer says beside what each payment has of its own."""
    if reply.status != 200:
        return reply.error
    return {name: value for name, value in reply.json.items() if name not in OWN}


def ends(api: Wire, name: str, first: Any, last: Any, way: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The answers of a payment that was changed, each with that of one made so; then both are confirmed in one way."""
    changed, made = (api.post("/payments", {**BASE, name: value}) for value in (first, last))
    if changed.status != 200:
        return
    found, expected = (f"/payments/{one['payment_id']}" if one.status == 200 else "" for one in (changed, made))
    updated = api.post(found, {name: last})
    yield rest(updated), rest(made)
    if updated.status == made.status == 200:
        yield rest(api.post(f"{found}/confirm", way)), rest(api.post(f"{expected}/confirm", way))
        at_once, late = (api.post("/payments", {**BASE, **way, name: value}) for value in (last, first))
        if at_once.status == late.status == 200:
            path = f"/payments/{late['payment_id']}/confirm"
            yield (
                rest(api.post(path, {name: last})),
                rest(api.post(f"/payments/{at_once['payment_id']}/confirm")),
            )


def test_there_are_many() -> None:
    assert len(FIELDS) > 35
    assert {"surcharge_details", "billing", "shipping", "order_details", "browser_info", "amount"} <= set(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_what_is_sent_replaces_all_that_was_there(name: str) -> None:
    api = wire(dialect=HYPERSWITCH)
    api.post("/customers", {"customer_id": "cus_1", "name": "Jane Doe"})
    found = list({json.dumps(value): value for value in values(MADE[name], name)}.values())
    found.sort(key=lambda value: -len(json.dumps(value)))
    wrong = []
    pairs = list(permutations(found, 2))
    for first, last in pairs[:: max(1, len(pairs) // times(8, soak=60))]:
        for way in (CARD, KLARNA) if name == "billing" else (CARD,):
            for got, expected in ends(api, name, first, last, way):
                if got != expected:
                    differ = {key for key in expected if got.get(key) != expected[key]} if "error" not in got else got
                    wrong.append((first, last, differ))
    assert not wrong, (len(wrong), wrong[:3])
