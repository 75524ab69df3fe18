"""Customers, as payments need them: an unknown customer_id on a payment makes the customer (facts §8)."""

from __future__ import annotations

from mock_server.domain.commands import PaymentRequest
from mock_server.domain.customer import Customer
from mock_server.domain.errors import Cause, Refusal
from mock_server.engine.desk import Desk
from mock_server.engine.kinds import CUSTOMERS
from mock_server.store.protocol import Transaction


def of_payment(tx: Transaction, desk: Desk, request: PaymentRequest) -> Customer | None:
    """The customer that a payment request names, made now if nobody has that id. Refused as `customer_redacted`."""
    given = request.customer
    customer_id = request.customer_id or (given.id if given else None)
    if customer_id is None:
        return None
    known = tx.get(CUSTOMERS, customer_id)
    if known is not None:
        if known.redacted:
            raise Refusal(Cause.CUSTOMER_REDACTED, customer_id=customer_id)
        return known
    return tx.put(
        CUSTOMERS,
        Customer(
            customer_id=customer_id,
            created_at=desk.now,
            name=request.name or (given.name if given else None),
            email=request.email or (given.email if given else None),
            phone=request.phone or (given.phone if given else None),
            phone_country_code=request.phone_country_code or (given.phone_country_code if given else None),
        ),
    )
