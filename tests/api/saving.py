"""Saving a method through a payment, as the tests of what comes after need it."""

from __future__ import annotations

from typing import Any

from tests.wire import Reply, Wire

ACCEPTANCE: dict[str, Any] = {
    "acceptance_type": "online",
    "accepted_at": "2026-01-01T00:00:00Z",
    "online": {"ip_address": "203.0.113.7", "user_agent": "Mozilla/5.0"},
}
CUSTOMER = "cus_saver"


def saved(api: Wire, card: str = "success", usage: str = "off_session", **fields: Any) -> str:
    """The id of a method that a payment saved."""
    reply = save(api, card, usage, **fields)
    assert reply["payment_method_id"], reply.raw
    return str(reply["payment_method_id"])


def save(api: Wire, card: str = "success", usage: str = "off_session", **fields: Any) -> Reply:
    """A payment that saves its method."""
    asked = {"customer_id": CUSTOMER, "setup_future_usage": usage, "customer_acceptance": ACCEPTANCE, **fields}
    reply = api.pay(card, **asked)
    assert reply.status == 200, reply.raw
    return reply


def mandate(api: Wire, kind: str | None = None, **bounds: Any) -> str:
    """The id of a mandate that a payment made."""
    sort = {kind: {"amount": 10_000, "currency": "USD", **bounds}} if kind else {"multi_use": None}
    data = {"customer_acceptance": ACCEPTANCE, "mandate_type": sort}
    reply = api.pay(customer_id=CUSTOMER, setup_future_usage="off_session", mandate_data=data)
    assert reply["mandate_id"], reply.raw
    return str(reply["mandate_id"])


CHARGE = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop", "customer_id": CUSTOMER, "confirm": True}


def charge(api: Wire, **how: Any) -> Reply:
    """A confirmed payment by something that was saved."""
    return api.post("/payments", {**CHARGE, **how})


def off_session(api: Wire, type_: str, data: Any, **fields: Any) -> Reply:
    """A charge without its customer."""
    return charge(api, off_session=True, recurring_details={"type": type_, "data": data}, **fields)


def token(api: Wire, customer: str = CUSTOMER) -> str:
    """A token of the customer's newest method."""
    return str(api.get(f"/customers/{customer}/payment_methods")["customer_payment_methods"][0]["payment_token"])


def browser(api: Wire) -> Wire:
    """The same merchant's publishable key."""
    return api.page()


def refused(reply: Reply) -> tuple[int, str]:
    """Status and code of an error."""
    return reply.status, str(reply.error["code"])


def reserved(api: Wire, **fields: Any) -> Reply:
    """A reserved method of a customer who is there."""
    api.post("/customers", {"customer_id": CUSTOMER})
    reply = api.post("/payment_methods", {"customer_id": CUSTOMER, **fields})
    assert reply.status == 200, reply.raw
    return reply
