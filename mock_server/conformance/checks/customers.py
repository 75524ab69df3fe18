"""Customers, their saved methods, and mandates."""

from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import PUBLIC, CheckedAnswer, Phrase
from mock_server.conformance.client import Check, MerchantClient, card

ACCEPTANCE: Final[dict[str, Any]] = {
    "acceptance_type": "online",
    "accepted_at": "2026-01-01T00:00:00Z",
    "online": {"ip_address": "203.0.113.7", "user_agent": "Mozilla/5.0"},
}


def new(api: MerchantClient, **fields: Any) -> str:
    return str(api.post("/customers", {"customer_id": api.name("cus"), **fields}).is_(200)["customer_id"])


def saving(api: MerchantClient, customer: str, **fields: Any) -> CheckedAnswer:
    """A payment that saves its card."""
    saves = {"setup_future_usage": "off_session", "customer_acceptance": ACCEPTANCE}
    return api.pay(customer_id=customer, **{**saves, **fields}).has(status="succeeded")


def mandated(api: MerchantClient, customer: str) -> str:
    """The id of a mandate for any amount."""
    data = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}
    return str(saving(api, customer, customer_acceptance=None, mandate_data=data)["mandate_id"])


def charged(api: MerchantClient, customer: str, kind: str, reference: str) -> CheckedAnswer:
    """A charge without the customer."""
    details = {"type": kind, "data": reference}
    return api.create(confirm=True, off_session=True, customer_id=customer, recurring_details=details)


def life(api: MerchantClient) -> None:
    customer = new(api, name="Ada Lovelace", email="ada@example.com", metadata={"a": "b"})
    api.get(f"/customers/{customer}").has(name="Ada Lovelace", email="ada@example.com", metadata={"a": "b"})
    api.post(f"/customers/{customer}", {"phone": "123456789"}).has(phone="123456789", name="Ada Lovelace")
    api.get(f"/customers/{customer}").has(phone="123456789", name="Ada Lovelace")


def taken_id(api: MerchantClient) -> None:
    customer = new(api, name="Ada")
    api.post("/customers", {"customer_id": customer, "name": "Bob"}).refused(400, "IR_12")
    api.get(f"/customers/{customer}").has(name="Ada")


def by_payment(api: MerchantClient) -> None:
    customer = api.name("cus")
    api.create(customer_id=customer, email="ada@example.com").is_(200)
    api.get(f"/customers/{customer}").has(customer_id=customer)


def deleted(api: MerchantClient) -> None:
    customer = new(api, name="Ada Lovelace", email="ada@example.com")
    api.delete(f"/customers/{customer}").has(customer_id=customer, customer_deleted=True)
    left = api.get(f"/customers/{customer}").is_(200)
    text = left.body.decode()
    left.expect("what is left", Phrase("neither name nor email"), left.json, "Ada" not in text and "ada@" not in text)
    api.create(customer_id=customer).refused(400, "IR_11")


def saved_card(api: MerchantClient) -> None:
    customer = new(api)
    method = saving(api, customer)["payment_method_id"]
    found = api.get(f"/customers/{customer}/payment_methods").is_(200)
    rows = found["customer_payment_methods"]
    found.expect("the customer's methods", [method], [row["payment_method_id"] for row in rows])
    found.shows("customer_payment_methods.0.payment_method", "card")
    api.get(f"/payment_methods/{method}").has(payment_method_id=method, customer_id=customer)


def saved_once(api: MerchantClient) -> None:
    customer = new(api)
    first, again = saving(api, customer), saving(api, customer)
    again.has(payment_method_id=first["payment_method_id"]).is_text("payment_method_id")


def charged_again(api: MerchantClient) -> None:
    customer = new(api)
    method = saving(api, customer)["payment_method_id"]
    charged(api, customer, "payment_method_id", method).has(status="succeeded", off_session=True)


def another_customers(api: MerchantClient) -> None:
    answer = charged(api, new(api), "payment_method_id", saving(api, new(api))["payment_method_id"])
    what = "a charge of another customer's card"
    answer.expect(what, Phrase("a refusal"), answer.status, answer.status in (400, 404))


def deleted_method(api: MerchantClient) -> None:
    customer = new(api)
    saving(api, customer)
    second = saving(api, customer, **card("5555555555554444"))["payment_method_id"]
    api.delete(f"/payment_methods/{second}").has(payment_method_id=second, deleted=True)
    found = api.get(f"/customers/{customer}/payment_methods").is_(200)
    left = [row["payment_method_id"] for row in found["customer_payment_methods"]]
    found.expect("the customer's methods", Phrase("without the deleted one"), left, second not in left)


def mandate(api: MerchantClient) -> None:
    customer = new(api)
    made = mandated(api, customer)
    api.get(f"/mandates/{made}").has(mandate_id=made, status="active", payment_method="card")
    charged(api, customer, "mandate_id", made).has(status="succeeded")


def revoked(api: MerchantClient) -> None:
    customer = new(api)
    made = mandated(api, customer)
    api.post(f"/mandates/revoke/{made}", {}).has(mandate_id=made, status="revoked")
    code = "IR_16" if api.target.dialect == PUBLIC else "HE_03"
    charged(api, customer, "mandate_id", made).refused(400, code)
    api.get(f"/mandates/{made}").has(status="revoked")


def bound_by_mandate(api: MerchantClient) -> None:
    customer = new(api)
    mandated(api, customer)
    api.delete(f"/customers/{customer}").refused(400, "IR_10")
    api.get(f"/customers/{customer}").has(customer_id=customer)


ROWS: Final = (
    Check("customers.life", "A customer can be created, retrieved and updated.", "facts §1.4", life),
    Check("customers.generated_id", "A customer created without an id gets one.", "interface §2.7", lambda api: api.post("/customers", {"name": "Ada"}).is_(200).begins("customer_id", "cus_")),
    Check("customers.taken_id", "A customer_id can be used once: 400 IR_12.", "facts §8", taken_id),
    Check("customers.by_payment", "A payment with a new customer_id creates the customer.", "facts §8", by_payment),
    Check("customers.deleted", "A deleted customer is redacted and cannot pay: 400 IR_11.", "facts §8", deleted),
    Check("customers.saved_card", "A card can be saved for its customer.", "facts §8", saved_card),
    Check("customers.saved_once", "Saving the same card again returns the same saved method.", "facts §8", saved_once),
    Check("customers.charged_again", "A saved card can be charged without the customer.", "facts §8", charged_again),
    Check("customers.another_customers", "A saved card works only for its customer.", "facts §8", another_customers),
    Check("customers.deleted_method", "A deleted method is no longer listed.", "facts §1.4", deleted_method),
    Check("mandates.charge", "A mandate can be charged without the customer.", "facts §8", mandate),
    Check("mandates.revoked", "A revoked mandate cannot be charged: 400 HE_03 (IR_16 in the public dialect).", "facts §3.7", revoked),
    Check("mandates.bind", "A customer with a mandate cannot be deleted: 400 IR_10.", "facts §8", bound_by_mandate),
)  # fmt: skip
