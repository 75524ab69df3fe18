"""`given`: the records that exist before the first call, as a stream of plain descriptions in order of time.

They are listed in the file or generated, the same for the same seed. Generated payments are made one by one; only
their customers are held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import structs

from mock_server import jsontext
from mock_server.domain.customer import Customer
from mock_server.domain.instants import DAY_MS, SECOND_MS
from mock_server.randomness import Randomness
from mock_server.scenario.given import generated_payments as generated
from mock_server.scenario.given.generated_payments import PaymentSeed, Seed

Given = Mapping[str, object]
BEFORE_MS: Final = 30 * DAY_MS
"""How long before the activation listed or counted customers were created (ours)."""


def total(given: Given) -> int:
    """How many records the plan has without refunds and disputes, for a progress bar."""
    customers: Any = given.get("customers", ())
    payments: Any = given.get("payments", ())
    count = customers if isinstance(customers, int) else len(customers)
    if isinstance(payments, dict):
        return int(count + payments["count"] + generated.customers_of(payments))
    return int(count + len(payments))


def plan(given: Given, randomness: Randomness, now: int) -> Iterator[Seed]:
    """Every given record, customers first, then payments, oldest first; `now` is the time of the activation."""
    crowd = generated.Crowd(randomness, now - BEFORE_MS)
    customers: Any = given.get("customers", ())
    own: dict[str, tuple[Customer, str | None]] = {}
    if isinstance(customers, int):
        yield from (crowd.customer(number, "US") for number in range(customers))
    else:
        for number, row in enumerate(customers):
            country = row.get("country", "US")
            customer = _customer(row, crowd.customer(number, country))
            own[customer.customer_id] = customer, country
            yield customer
    payments: Any = given.get("payments", ())
    if isinstance(payments, dict):
        others = customers if isinstance(customers, int) else len(customers)
        yield from generated.made_up(payments, randomness, now, others)
    else:
        yield from sorted([_payment(row, own, now) for row in payments], key=lambda seed: seed.created_at)


def _customer(row: Mapping[str, Any], made: Customer) -> Customer:
    """A listed customer; missing fields are generated."""
    said = {name: row[name] for name in ("customer_id", "name", "email", "phone") if name in row}
    said |= {"phone_country_code": None} if "phone" in row else {}
    return structs.replace(made, metadata=jsontext.canonical(row["metadata"]) if "metadata" in row else None, **said)


def _payment(row: Mapping[str, Any], customers: Mapping[str, tuple[Customer, str | None]], now: int) -> PaymentSeed:
    created = now - row.get("ago", SECOND_MS)
    status = row.get("status", "succeeded")
    decline = row.get("decline", "insufficient_funds") if status == "failed" else None
    customer, country = None, None
    if (customer_id := row.get("customer_id")) is not None:
        stranger = Customer(customer_id=customer_id, created_at=created), None
        customer, country = customers.get(customer_id, stranger)
    captured = generated.captured_of(status, row["amount"])
    return PaymentSeed(
        payment_id=row.get("payment_id"),
        amount=row["amount"],
        currency=row.get("currency", "USD"),
        status=status,
        created_at=created,
        card=row.get("card", generated.card_of(decline) or "visa_success"),
        capture_method=row.get("capture_method", generated.MANUAL.get(status, "automatic")),
        decline=decline,
        customer=customer,
        country=country,
        email=row.get("email", customer.email if customer else None),
        description=row.get("description"),
        merchant_order_reference_id=row.get("merchant_order_reference_id"),
        metadata=jsontext.canonical(row.get("metadata", {})),
        refunds=tuple(_part(_REFUND, captured, refund, created, now) for refund in row.get("refunds", ())),
        disputes=tuple(_part(_DISPUTE, captured, dispute, created, now) for dispute in row.get("disputes", ())),
    )


_REFUND: Final = {"status": "succeeded"}
_DISPUTE: Final = {"reason": "fraudulent", "stage": "dispute", "status": "dispute_opened"}


def _part(usual: Mapping[str, str], amount: int, row: Mapping[str, Any], created: int, now: int) -> dict[str, Any]:
    """A refund or dispute, as usual where the row says nothing; created not before its payment, not after now."""
    said = {"amount": amount, **usual, **row}
    ago = said.pop("ago", None)
    return {**said, "created_at": created if ago is None else min(max(created, now - ago), now)}
