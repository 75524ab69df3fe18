"""A call answers with the payment as a retrieve shows it then, whatever happened beside it: to its method, its profile.

Every call that answers with a whole payment, on payments in every standing, after each change of another record.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.counts import times
from tests.wire import Reply, Wire, card_data, card_payment, wire

Act = Callable[[Wire, str], Reply]
Beside = Callable[[Wire, dict[str, Any]], object]
SAVING: Final = {"customer_id": CUSTOMER, "setup_future_usage": "off_session", "customer_acceptance": ACCEPTANCE}
MANUAL: Final = {"capture_method": "manual", "request_incremental_authorization": True}
NUMBERS: Final = {"4242": "4242424242424242", "3184": "4000002760003184", "3178": "4000008260003178"}

STANDINGS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "unconfirmed": ("success", {"confirm": False}),
    "captured": ("success", {}),
    "authorized": ("success", MANUAL),
    "in parts": ("success", {"capture_method": "manual_multiple"}),
    "challenged": ("visa_3ds_always", {}),
    "failed": ("visa_generic_decline", {}),
    "failed later": ("visa_3ds_insufficient_funds", {}),
    "held": ("visa_review", {}),
    "pending": ("visa_pending", {}),
}
CHANGES: Final[dict[str, dict[str, Any]]] = {
    "update_metadata": {"metadata": {"a": 1}},
    "incremental_authorization": {"amount": 9000},
    "extend_authorization": {},
    "capture": {"amount_to_capture": 100},
    "cancel": {},
    "cancel_post_capture": {},
    "confirm": {},
    "approve": {},
    "reject": {},
    "complete_authorize": {"shipping": {"address": {"city": "Linz"}}},
}
"""What is posted below a payment, by the last part of its path."""


def posted(name: str) -> Act:
    return lambda api, path: api.post(f"{path}/{name}", CHANGES[name])


CALLS: Final[dict[str, Act]] = {
    **{name: posted(name) for name in CHANGES},
    "update": lambda api, path: api.post(path, {"description": "changed"}),
    "replace": lambda api, path: api.put(path, card_payment()),
    "sync": lambda api, path: api.post("/payments/sync", {"payment_id": path.rpartition("/")[2]}),
    "reversal": lambda api, path: api.get(f"{path}/cancel_post_capture"),
}


def saved_by_a_call(api: Wire, payment: dict[str, Any]) -> object:
    number = NUMBERS.get(payment["payment_method_data"]["card"]["last4"], NUMBERS["4242"])
    data = {"card": card_data(number)}
    body = {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_data": data}
    return payment["customer_id"] and api.post("/payment_methods", body)


def retries_allowed(api: Wire, payment: dict[str, Any]) -> object:
    path = f"/account/{payment['merchant_id']}/business_profile/pro_shop"
    return api.post(path, {"is_manual_retry_enabled": True})


BESIDE: Final[dict[str, Beside]] = {
    "nothing": lambda api, payment: None,
    "method deleted": lambda api, payment: api.delete(f"/payment_methods/{payment['payment_method_id']}"),
    "method saved": saved_by_a_call,
    "customer changed": lambda api, payment: api.post(f"/customers/{CUSTOMER}", {"name": "New", "email": "n@n.co"}),
    "customer deleted": lambda api, payment: api.delete(f"/customers/{CUSTOMER}"),
    "retries allowed": retries_allowed,
}


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
def test_an_answer_is_what_a_retrieve_says(dialect: Dialect) -> None:
    api, wrong, count = wire(dialect=dialect), [], 0
    cases = list(product(STANDINGS, (False, True), BESIDE, CALLS))
    for number, (standing, saves, beside, call) in enumerate(cases[:: times(11, soak=1)]):
        client = api.as_key(f"snd_retrieved_{number:04}")
        card, more = STANDINGS[standing]
        payment = client.pay(card, **{**more, **(SAVING if saves else {})}).json
        BESIDE[beside](client, payment)
        path = f"/payments/{payment['payment_id']}"
        answer = CALLS[call](client, path)
        if answer.status != 200 or "amount_capturable" not in answer.json:
            continue
        count += 1
        shown = client.get(path).json
        differs = [name for name, value in answer.json.items() if value != shown[name]]
        if call == "complete_authorize" and shown["shipping"]["address"]["city"] != "Linz":
            differs.append("shipping")
        wrong += [(standing, saves, beside, call, differs)] if differs else []
    assert not wrong, (len(wrong), wrong[:4])
    assert count > len(cases) // 11 // 8
