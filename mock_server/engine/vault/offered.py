"""What a customer can pay with next time: their saved methods, each with a token (facts §2.8)."""

from __future__ import annotations

from mock_server.domain.ids import owner_of_secret
from mock_server.domain.offered import Offered, Wallet
from mock_server.domain.paging import MAX_LIMIT, Query
from mock_server.domain.statuses import MethodStatus
from mock_server.engine import customers
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENT_METHODS
from mock_server.engine.payments import access
from mock_server.engine.vault import tokens
from mock_server.store.protocol import Transaction


def of_customer(tx: Transaction, desk: CommandContext, customer_id: str) -> Wallet:
    """A customer's saved methods. Refused as `ephemeral_key_wrong`, `object_unknown`."""
    customers.permit_holder(desk, customer_id)
    customer = customers.find(tx, customer_id)
    filters = {"customer_id": (customer_id,), "status": (MethodStatus.ACTIVE.value,)}
    found = tx.find(PAYMENT_METHODS, Query(filters=filters, limit=MAX_LIMIT)).items
    default = customer.default_payment_method_id
    return Wallet(
        tuple(
            Offered(method, tokens.hand_out(tx, desk, method), method.payment_method_id == default) for method in found
        )
    )


def of_payment(tx: Transaction, desk: CommandContext, client_secret: str | None) -> Wallet:
    """The saved methods of a payment's customer, or of the customer whose ephemeral key this is.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    if desk.words.holder is not None:
        return of_customer(tx, desk, desk.words.holder)
    payment = access.find_for(tx, desk, owner_of_secret(client_secret or ""), client_secret)
    if payment.customer_id is None:
        return Wallet((), is_guest=True)
    return of_customer(tx, desk, payment.customer_id)
