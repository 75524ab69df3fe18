"""Finding saved methods, who may see them, and their tokens for browsers (facts §1.0, §1.4)."""

from __future__ import annotations

from mock_server.domain.customer import PaymentMethod, PaymentToken
from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.limits import PAYMENT_TOKEN_MS
from mock_server.domain.statuses import MethodStatus
from mock_server.engine import customers
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENT_METHODS, PAYMENT_TOKENS
from mock_server.engine.listing import drop_expired
from mock_server.store.transaction import Transaction


def find(tx: Transaction, payment_method_id: str) -> PaymentMethod:
    """The method of that id. Refused as `object_unknown`."""
    method = tx.get(PAYMENT_METHODS, payment_method_id)
    if method is None:
        raise unknown(payment_method_id)
    return method


def unknown(payment_method_id: str) -> Refusal:
    """The refusal for a method that does not exist, or belongs to another customer."""
    return Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.PAYMENT_METHOD, id=payment_method_id)


def find_for(
    tx: Transaction, context: CommandContext, payment_method_id: str, client_secret: str | None = None
) -> PaymentMethod:
    """The method, if the caller may see it: a browser needs the method's client_secret, or its customer's key.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `ephemeral_key_wrong`.
    """
    method = find(tx, payment_method_id)
    customers.permit_holder(context, method.customer_id)
    if context.call.by_client:
        if method.client_secret is None or client_secret != method.client_secret:
            raise Refusal(Cause.CLIENT_SECRET_WRONG, kind=ObjectKind.PAYMENT_METHOD)
        if context.now >= method.client_secret_expires_at:
            raise Refusal(Cause.CLIENT_SECRET_EXPIRED, expired_at=method.client_secret_expires_at)
    return method


def chargeable(tx: Transaction, payment_method_id: str, customer_id: str | None) -> PaymentMethod:
    """A customer's method that can be charged. Refused as `object_unknown`, `method_status_forbids`."""
    method = find(tx, payment_method_id)
    if method.customer_id != customer_id:
        raise unknown(payment_method_id)
    if method.status is not MethodStatus.ACTIVE:
        raise Refusal(Cause.METHOD_STATUS_FORBIDS, action="charge", status=method.status)
    return method


def hand_out(tx: Transaction, context: CommandContext, method: PaymentMethod) -> str:
    """A new token for a saved method."""
    drop_expired(tx, PAYMENT_TOKENS, context.now)
    token = context.new_id(tx, "payment_token")
    expires_at = context.now + PAYMENT_TOKEN_MS
    tx.put(PAYMENT_TOKENS, PaymentToken(token, method.payment_method_id, method.customer_id, context.now, expires_at))
    return token


def redeem(tx: Transaction, context: CommandContext, token: str, customer_id: str | None) -> str:
    """The id of a token's method. Refused as `payment_token_over`, also for another customer's token."""
    known = tx.get(PAYMENT_TOKENS, token)
    if known is None or known.expires_at <= context.now or known.customer_id != customer_id:
        raise Refusal(Cause.PAYMENT_TOKEN_OVER)
    return known.payment_method_id
