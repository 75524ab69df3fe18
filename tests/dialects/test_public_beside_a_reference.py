"""What a request says beside a reference to a saved method is answered as beside a card that was typed.

Every field of the public API's request that its answer has too, beside each kind of reference, at the creation and at
the confirmation.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CHARGE, CUSTOMER, mandate, save, token
from tests.counts import times
from tests.dialects.public_values import SCHEMAS, kinds, parts
from tests.openapi.agreeing import Disagreement
from tests.wire import Wire, card_data, card_payment, wire

BODY: Final = {**CHARGE, "confirm": False}
CARD: Final = {name: value for name, value in card_payment().items() if name.startswith("payment_method")}
BILLING: Final = {"payment_method_data": {"billing": {"address": {"city": "Ulm", "country": "DE"}}}}
OFF: Final = {"off_session": True}
REFERENCES: Final = ("token", "method", "mandate", "mandate again", "network")
MOMENTS: Final = ("created", "confirmed")
ITSELF: Final = (
    *("amount", "currency", "customer_id", "payment_id", "profile_id", "confirm", "payment_token", "recurring_details"),
    *("mandate_id", "mandate_data", "client_secret", "payment_method", "payment_method_type", "payment_method_data"),
    *("off_session", "customer"),
)
"""Fields that say what is charged, or how."""
MOST: Final = 6
"""Values of each field."""


def reference(api: Wire, kind: str, made: dict[str, Any]) -> dict[str, Any]:
    """What a request has instead of a card."""
    card = {name: value for name, value in card_data().items() if name != "card_cvc"}
    details: dict[str, dict[str, Any]] = {
        "method": {"type": "payment_method_id", "data": made["payment_method_id"]},
        "mandate again": {"type": "mandate_id", "data": made["mandate_id"]},
        "network": {
            "type": "network_transaction_id_and_card_details", "data": {**card, "network_transaction_id": "1234"},
        },
    }  # fmt: skip
    if kind == "token":
        return {"payment_method": "card", "payment_token": token(api)}
    named = {"mandate_id": made["mandate_id"]} if kind == "mandate" else {"recurring_details": details[kind]}
    return {**OFF, **named}


def charged(api: Wire, moment: str, body: dict[str, Any]) -> dict[str, Any] | None:
    """The payment; None if it was refused."""
    plain = {} if moment == "created" else fine(api.post("/payments", BODY)).json
    path = f"/payments/{plain['payment_id']}/confirm" if plain else "/payments"
    try:
        reply = api.post(path, {**({} if plain else CHARGE), **body})
    except Disagreement:  # values that were sent and are returned unread: test_public_echoes.py
        return None
    assert reply.status < 500 or reply.status == 501, reply.raw
    return fine(api.get(f"/payments/{reply['payment_id']}")).json if reply.status == 200 else None


def fields() -> list[tuple[str, Any]]:
    answered = parts(SCHEMAS["PaymentsResponse"])[0]
    rows = parts(SCHEMAS["PaymentsCreateRequest"])[0].items()
    some = ((name, kind) for name, kind in rows if name in answered and name not in ITSELF)
    return [(name, value) for name, kind in some for value in list(kinds(kind, name))[:MOST] if value is not None]


CASES: Final = [*product(fields(), REFERENCES[:1], MOMENTS), *product(fields(), REFERENCES[1:], MOMENTS[:1])]
"""A recurring charge is confirmed when it is created."""


def test_a_field_is_answered_beside_any_reference() -> None:
    assert len(CASES) > 400
    api, wrong, count = wire(dialect=HYPERSWITCH), [], 0
    for number, ((name, value), kind, moment) in enumerate(CASES[:: times(9, soak=1)]):
        client = api.as_key(f"snd_beside_{number:04}")
        made = fine(client.get(f"/mandates/{mandate(client)}")).json
        typed = charged(client, moment, {**CARD, name: value})
        found = typed and charged(client, moment, {**reference(client, kind, made), name: value})
        if typed is not None:
            count += 1
            wrong += [] if found and found[name] == typed[name] else [(name, value, kind, moment)]
    assert not wrong, (len(wrong), wrong[:4])
    assert count > len(CASES) // 9 // 2


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize(("kind", "moment"), [*product(REFERENCES[:1], MOMENTS), *product(REFERENCES[1:], MOMENTS[:1])])
def test_the_billing_address_beside_a_reference_is_the_payments(dialect: Dialect, kind: str, moment: str) -> None:
    api = wire(dialect=dialect)
    made = fine(api.get(f"/mandates/{mandate(api)}")).json
    shown = charged(api, moment, {**reference(api, kind, made), **BILLING})
    assert shown is not None
    assert shown["payment_method_data"]["billing"]["address"]["city"] == "Ulm"
    (saved,) = fine(api.get(f"/customers/{CUSTOMER}/payment_methods"))["customer_payment_methods"]
    assert saved["billing"] is None


def test_a_type_that_the_saved_card_did_not_have_is_taken() -> None:
    api = wire(dialect=HYPERSWITCH)
    save(api, usage="on_session", payment_method_type=None)
    asked = {"payment_method": "card", "payment_method_type": "debit", "payment_token": token(api)}
    assert fine(api.post("/payments", {**CHARGE, **asked}))["payment_method_type"] == "debit"
