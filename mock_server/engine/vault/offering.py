"""The methods that a merchant offers for a payment (facts §1.4)."""

from __future__ import annotations

from mock_server.domain.ids import owner_of_secret
from mock_server.domain.offered import Offering
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access
from mock_server.store.protocol import Transaction


def of_payment(tx: Transaction, desk: CommandContext, client_secret: str | None) -> Offering:
    """What the payment of a client_secret can be made by; without one, what the default profile offers.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    if client_secret is None:
        return Offering(profiles.default(tx, desk), desk.policy.merchant_name)
    payment = access.find_for(tx, desk, owner_of_secret(client_secret), client_secret)
    return Offering(profiles.find(tx, payment.profile_id), desk.policy.merchant_name, payment)
