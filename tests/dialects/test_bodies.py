"""What a dialect's tables can change of bodies: every hook, by a dialect that names something else each time."""

from __future__ import annotations

from typing import Any, Final

import pytest
from msgspec import structs

from mock_server.contract.dialect import BodyRules, Unknown
from mock_server.dialects.interface import INTERFACE
from mock_server.openapi.document import document
from tests.dialects.nonsense import NONSENSE
from tests.wire import Wire, card_payment, wire

CREATE: Final = "payments.create"
CARD: Final = "payment_method_data.card"


def speaking(**said: Any) -> Wire:
    """A server whose dialect says this of a payment's creation, and nothing else."""
    rules = BodyRules(**said)
    return wire(dialect=structs.replace(INTERFACE, name=repr(rules), bodies={CREATE: rules}))


def fields(api: Wire, body: dict[str, Any]) -> list[str]:
    """The wrong fields that a creation is refused for."""
    answer = api.post("/payments", body)
    return [] if answer.status == 200 else [one["field"] for one in answer.error["fields"]]


def without(path: str) -> dict[str, Any]:
    """A payment's body without one field."""
    body = card_payment()
    *way, last = path.split(".")
    place = body
    for step in way:
        place = place[step]
    del place[last]
    return body


@pytest.mark.parametrize("path", ["email", f"{CARD}.card_holder_name"])
def test_a_dialect_requires_a_field(path: str) -> None:
    assert fields(speaking(required=frozenset((path,))), card_payment()) == [path]


def test_a_field_that_only_a_dialect_requires() -> None:
    assert fields(wire(), without("profile_id")) == ["profile_id"]
    assert fields(speaking(required=frozenset(("profile_id",))), without("profile_id")) == ["profile_id"]
    assert fields(speaking(), without("profile_id")) == []


def test_a_dialect_that_requires_something_else_does_not_do_without_a_field() -> None:
    assert fields(speaking(), without(f"{CARD}.card_cvc")) == [f"{CARD}.card_cvc"]
    other = speaking(required=frozenset(("email",)))
    assert fields(other, {**without(f"{CARD}.card_cvc"), "email": "jane.doe@example.com"}) == [f"{CARD}.card_cvc"]


@pytest.mark.parametrize("path", ["payment_token", f"{CARD}.card_cvc"])
def test_a_dialect_does_not_know_a_field(path: str) -> None:
    body = card_payment(payment_token="token_1")
    assert fields(speaking(refused=frozenset((path,))), body) == [path]


@pytest.mark.parametrize(
    ("unknown", "found"),
    [
        (Unknown.REFUSED, ["billing.planet", "planet"]),
        (Unknown.REFUSED_AT_THE_TOP, ["planet"]),
        (Unknown.PASSED_OVER, []),
    ],
)
def test_a_dialect_says_what_becomes_of_unknown_keys(unknown: Unknown, found: list[str]) -> None:
    body = card_payment(planet="Mars", billing={"planet": "Mars", "email": "jane.doe@example.com"})
    assert fields(speaking(unknown=unknown), body) == found


def test_what_is_said_of_one_operation_holds_for_no_other() -> None:
    api = speaking(required=frozenset(("email",)), unknown=Unknown.PASSED_OVER)
    payment = api.post("/payments", card_payment(email="jane.doe@example.com", planet="Mars"))
    assert api.post(f"/payments/{payment['payment_id']}", {"planet": "Mars"}).status == 400
    assert api.post(f"/payments/{payment['payment_id']}", {"description": "Later"}).status == 200


def test_the_document_says_it_too() -> None:
    rules = BodyRules(required=frozenset(("email",)), refused=frozenset(("routing",)), unknown=Unknown.PASSED_OVER)
    schemas = document(structs.replace(NONSENSE, name=repr(rules), bodies={CREATE: rules}))["components"]["schemas"]
    assert schemas["PaymentsCreateRequest"]["required"] == ["email"]
    assert schemas["PaymentsCreateRequest"]["additionalProperties"] is True
    assert "routing" not in schemas["PaymentsCreateRequest"]["properties"]
    assert "routing" in schemas["PaymentsUpdateRequest"]["properties"]


def test_a_body_read_in_one_dialect_changes_nothing_in_another() -> None:
    """The schema of the items of an array is made for each dialect, whichever read a body first."""
    strict = wire()
    made = strict.post("/payments", card_payment(confirm=False))
    lines = [{"product_name": "Shirt", "quantity": 1, "amount": 6540}]
    assert strict.post(f"/payments/{made['payment_id']}", {"order_details": lines}).status == 200
    other = speaking(required=frozenset(("order_details.sku",)))
    assert fields(other, card_payment(order_details=lines)) == ["order_details.0.sku"]
