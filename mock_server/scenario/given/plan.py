"""`given`: which records are there before the first call, as a stream of plain descriptions in order of time.

Written out or made up, the same for the same seed. Of what is made up only the customers are held; payments come one
by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import structs

from mock_server import jsontext
from mock_server.domain import cards
from mock_server.domain.customer import Customer
from mock_server.domain.instants import DAY_MS, SECOND_MS
from mock_server.randomness import Randomness
from mock_server.scenario.given.generated_payments import Crowd, PaymentSeed, Seed, customers_of, made_up
from mock_server.scenario.model.scenario import Given

DEFAULT_CARD: Final = "visa_success"
DEFAULT_CURRENCY: Final = "USD"
DEFAULT_DECLINE: Final = "insufficient_funds"
BEFORE_MS: Final = 30 * DAY_MS
"""How long before the activation customers were made who are given by number alone (ours)."""


def total(given: Given) -> int:
    """How many records the plan has, refunds and disputes not counted: what a progress bar needs."""
    return _many(given.blocks.get("payments", ())) + _many(given.blocks.get("customers", ()))


def _many(block: Any) -> int:
    if isinstance(block, int):
        return block
    return int(block["count"]) + customers_of(block) if isinstance(block, dict) else len(block)


def plan(given: Given, randomness: Randomness, now: int) -> Iterator[Seed]:
    """Every given record, customers first, then payments from the oldest on; `now` is the activation's instant."""
    crowd = Crowd(randomness, now - BEFORE_MS)
    customers: Any = given.blocks.get("customers", ())
    own: dict[str, tuple[Customer, str | None]] = {}
    if isinstance(customers, int):
        yield from (crowd.customer(number, "US") for number in range(customers))
    else:
        for number, row in enumerate(customers):
            country = row.get("country", "US")
            customer = _customer(row, crowd.customer(number, country))
            own[customer.customer_id] = customer, country
            yield customer
    payments: Any = given.blocks.get("payments", ())
    if isinstance(payments, dict):
        yield from made_up(payments, randomness, now)
    else:
        written = [_payment(row, own, now) for row in payments]
        yield from sorted(written, key=lambda seed: seed.created_at)


def _customer(row: Mapping[str, Any], made: Customer) -> Customer:
    """A customer as written; what is left out is made up."""
    said = {name: row[name] for name in ("customer_id", "name", "email", "phone") if name in row}
    said |= {"phone_country_code": None} if "phone" in row else {}
    return structs.replace(made, metadata=_json(row.get("metadata")), **said)


def _payment(row: Mapping[str, Any], customers: Mapping[str, tuple[Customer, str | None]], now: int) -> PaymentSeed:
    created = now - row.get("ago", SECOND_MS)
    status = row.get("status", "succeeded")
    decline = row.get("decline", DEFAULT_DECLINE) if status == "failed" else None
    customer_id = row.get("customer_id")
    customer, country = None, None
    if customer_id is not None:
        stranger = Customer(customer_id=customer_id, created_at=created), None
        customer, country = customers.get(customer_id, stranger)
    return PaymentSeed(
        payment_id=row.get("payment_id"),
        amount=row["amount"],
        currency=row.get("currency", DEFAULT_CURRENCY),
        status=status,
        created_at=created,
        card=row.get("card", card_of(decline)),
        capture_method=row.get("capture_method", "manual" if status in NEEDS_MANUAL else "automatic"),
        decline=decline,
        customer=customer,
        country=country,
        email=row.get("email", customer.email if customer else None),
        description=row.get("description"),
        merchant_order_reference_id=row.get("merchant_order_reference_id"),
        metadata=_json(row.get("metadata")) or "{}",
        refunds=tuple(_refund(refund, row["amount"], created, now) for refund in row.get("refunds", ())),
        disputes=tuple(_dispute(dispute, row["amount"], created, now) for dispute in row.get("disputes", ())),
    )


NEEDS_MANUAL: Final = frozenset({"requires_capture", "partially_captured", "partially_captured_and_capturable"})
"""Statuses that only a manual capture leads to."""


def _refund(row: Mapping[str, Any], amount: int, created: int, now: int) -> dict[str, Any]:
    return {
        "amount": row.get("amount", amount),
        "status": row.get("status", "succeeded"),
        "created_at": _between(created, now, row.get("ago")),
        **{name: row[name] for name in ("refund_id", "reason") if name in row},
    }


def _dispute(row: Mapping[str, Any], amount: int, created: int, now: int) -> dict[str, Any]:
    return {
        "amount": row.get("amount", amount),
        "reason": row.get("reason", "fraudulent"),
        "stage": row.get("stage", "dispute"),
        "status": row.get("status", "dispute_opened"),
        "created_at": _between(created, now, row.get("ago")),
    }


def _between(created: int, now: int, ago: int | None) -> int:
    """An instant of something that came of a payment: never before it, never after now."""
    return created if ago is None else min(max(created, now - ago), now)


def _json(value: object) -> str | None:
    return None if value is None else jsontext.canonical(value)


def card_of(decline: str | None) -> str:
    """The card that declines so, or the plain one."""
    row = cards.by_name(decline) if decline else None
    return DEFAULT_CARD if row is None else row.name
