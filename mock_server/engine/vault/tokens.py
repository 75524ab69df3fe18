"""Tokens that stand for saved methods in a browser: handed out with a list, good for fifteen minutes (facts §1.4)."""

from __future__ import annotations

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.limits import PAYMENT_TOKEN_MS
from mock_server.domain.paging import Query
from mock_server.domain.payment_method import PaymentMethod, PaymentToken
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENT_TOKENS
from mock_server.store.protocol import Transaction

_OLDEST = Query(limit=2, ascending=True)
"""Two that are over go for each one that is handed out, so they cannot pile up."""


def hand_out(tx: Transaction, desk: CommandContext, method: PaymentMethod) -> str:
    """A new token for a saved method."""
    for old in tx.find(PAYMENT_TOKENS, _OLDEST).items:
        if old.expires_at <= desk.now:
            tx.remove(PAYMENT_TOKENS, old.token)
    token = desk.new_id(tx, "payment_token")
    expires_at = desk.now + PAYMENT_TOKEN_MS
    tx.put(PAYMENT_TOKENS, PaymentToken(token, method.payment_method_id, method.customer_id, desk.now, expires_at))
    return token


def redeem(tx: Transaction, desk: CommandContext, token: str, customer_id: str | None) -> str:
    """The id of the method that a token stands for. Refused as `payment_token_over`, also for another customer's."""
    known = tx.get(PAYMENT_TOKENS, token)
    if known is None or known.expires_at <= desk.now or known.customer_id != customer_id:
        raise Refusal(Cause.PAYMENT_TOKEN_OVER)
    return known.payment_method_id
