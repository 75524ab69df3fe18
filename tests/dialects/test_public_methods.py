"""What belongs to a payment's method is sent together: every combination of its fields, in every call that takes them.

A model of the public server's rules says what each combination must be answered with (facts §4.4).
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.contract.requests.public_names import PUBLIC
from tests.counts import times
from tests.wire import Reply, card_data, wire

BARE: Final = {"amount": 6540, "currency": "USD", "customer_id": "cus_1"}
DATA: Final[dict[str, dict[str, Any]]] = {
    "card": {"card": card_data()},
    "wallet": {"wallet": {"paypal_redirect": {}}},
    "pay_later": {"pay_later": {"klarna_redirect": {}}},
}
TYPES: Final = {"card": "credit", "wallet": "paypal", "pay_later": "klarna"}
SAVED: Final[dict[str, dict[str, Any]]] = {
    "nothing": {},
    "token": {"payment_token": "token_nobody"},
    "recurring": {"recurring_details": {"type": "payment_method_id", "data": "pm_nobody"}, "off_session": True},
    "click to pay": {"ctp_service_details": {"provider": "visa"}},
}
NEEDED: Final = "A payment token or payment method data or ctp service details is required"


class Asked(NamedTuple):
    """One combination; `type` and `data` by the category that they belong to."""

    category: str | None
    type: str | None
    data: str | None
    saved: str

    def body(self) -> dict[str, Any]:
        fields = {
            "payment_method": self.category,
            "payment_method_type": TYPES[self.type] if self.type else None,
            "payment_method_data": DATA[self.data] if self.data else None,
        }
        return {name: value for name, value in fields.items() if value is not None} | SAVED[self.saved]


COMBINATIONS: Final = [Asked(*parts) for parts in product((None, *TYPES), (None, *TYPES), (None, *TYPES), SAVED)]
WAYS: Final = ("create", "create and confirm", "update", "confirm")


def model(asked: Asked, confirms: bool) -> tuple[int, str, str] | None:
    """What the fields of the method alone are refused with; None if they are in order."""
    if asked.category is None and asked.data:
        return _missing("payment_method")
    if asked.category not in (None, "card") and asked.type is None:
        return _missing("payment_method_type")
    if asked.category and not asked.data and asked.saved == "nothing":
        return _missing("payment_method_data")
    if asked.category is None and confirms and asked.saved in ("nothing", "click to pay"):
        return 422, "IR_06", NEEDED
    return None


def _missing(name: str) -> tuple[int, str, str]:
    return 400, "IR_04", f"Missing required param: {name}"


def told(reply: Reply) -> tuple[int, str, str] | None:
    """Status, code and message of an error."""
    return None if reply.status == 200 else (reply.status, reply.error["code"], reply.error["message"])


@pytest.mark.parametrize("way", WAYS)
def test_every_combination_in_every_call(way: str) -> None:
    api = wire(dialect=HYPERSWITCH)
    refusals = {_missing(name) for name in ("payment_method", "payment_method_type", "payment_method_data")}
    wrong = []
    for asked in COMBINATIONS[:: times(3, soak=1)]:
        body = asked.body()
        if way.startswith("create"):
            found = told(api.post("/payments", {**BARE, **body, "confirm": "confirm" in way}))
        else:
            path = f"/payments/{api.post('/payments', BARE)['payment_id']}"
            found = told(api.post(f"{path}/confirm" if way == "confirm" else path, body))
        expected = model(asked, "confirm" in way)
        mismatch = asked.category and asked.type and asked.type != asked.category
        if expected is None and mismatch and asked.saved == "nothing":
            fine = found is not None and found[:2] == (422, "IR_06")
        else:
            fine = found == expected if expected else found not in refusals
        if not fine:
            wrong.append((asked, found, expected))
    assert not wrong, (len(wrong), wrong[:5])


def test_a_type_alone_is_kept_and_decides_nothing() -> None:
    api = wire(dialect=HYPERSWITCH)
    made = api.post("/payments", {**BARE, "payment_method_type": "paypal"})
    assert (made["payment_method"], made["payment_method_type"]) == (None, "paypal")
    assert made["status"] == "requires_payment_method"
    path = f"/payments/{made['payment_id']}"
    assert told(api.post(f"{path}/confirm", {})) == (422, "IR_06", NEEDED)
    paid = api.post(f"{path}/confirm", {"payment_method": "card", "payment_method_data": DATA["card"]})
    assert (paid["status"], paid["payment_method"]) == ("succeeded", "card")
    assert paid["payment_method_type"] != "paypal"


def test_what_a_click_to_pay_service_would_send_is_not_offered() -> None:
    api = wire(dialect=HYPERSWITCH)
    body = {**BARE, "payment_method": "card", **SAVED["click to pay"]}
    assert api.post("/payments", body).status == 200
    reply = api.post("/payments", {**body, "confirm": True})
    assert (reply.status, reply.error["code"]) == (501, "IR_00")


CALLS: Final = ("payments.create", "payments.update", "payments.confirm")


@pytest.mark.parametrize("way", ["create", "update", "confirm"])
def test_every_field_of_the_public_request_is_known(way: str) -> None:
    api = wire(dialect=HYPERSWITCH)
    path = f"/payments/{api.post('/payments', BARE)['payment_id']}"
    at = {"create": "/payments", "update": path, "confirm": f"{path}/confirm"}[way]
    unknown = [
        name
        for name in dict.fromkeys(" ".join(PUBLIC[call] for call in CALLS).split())
        if (found := told(api.post(at, {**BARE, name: None}))) and "unknown field" in found[2]
    ]
    assert not unknown
    assert "unknown field `nonsense`" in api.post(at, {**BARE, "nonsense": None}).error["message"]


def test_a_creation_passes_over_what_it_has_no_use_for() -> None:
    api = wire(dialect=HYPERSWITCH)
    made = api.post("/payments", {**BARE, "client_secret": "pay_x_secret_y", "retry_action": "manual_retry"})
    assert made.status == 200
    assert made["client_secret"] != "pay_x_secret_y"


def test_an_overcapture_is_captured_manually() -> None:
    api = wire(dialect=HYPERSWITCH)
    sentence = "Invalid overcapture request: supported only with manual capture"
    for fields in ({}, {"capture_method": "automatic"}, {"capture_method": "manual_multiple"}):
        reply = api.post("/payments", {**BARE, "enable_overcapture": True, **fields})
        assert told(reply) == (400, "IR_16", sentence)
    made = api.post("/payments", {**BARE, "enable_overcapture": True, "capture_method": "manual"})
    assert made.status == 200
    changed = api.post(f"/payments/{made['payment_id']}", {"capture_method": "automatic"})
    assert told(changed) == (400, "IR_16", sentence)


@pytest.mark.parametrize("more", [{}, {"setup_future_usage": "off_session"}, {"off_session": True}, {"confirm": True}])
@pytest.mark.parametrize("kind", ["payment_method_id", "mandate_id"])
def test_a_saved_method_and_a_new_mandate_exclude_each_other(kind: str, more: dict[str, Any]) -> None:
    api = wire(dialect=HYPERSWITCH)
    agreed = {"mandate_type": {"multi_use": None}, "customer_acceptance": None}
    body = {**BARE, "recurring_details": {"type": kind, "data": "pm_nobody"}, "mandate_data": agreed, **more}
    error = api.post("/payments", body).error
    assert (error["code"], error["reason"]) == (
        "HE_03",
        "Expected one out of recurring_details and mandate_data but got both",
    )
