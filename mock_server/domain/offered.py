"""What a payment can be made by: the merchant's methods, and what was saved of its customer (facts §1.4, §2.8)."""

from __future__ import annotations

from typing import NamedTuple

from mock_server.domain.payment import Payment
from mock_server.domain.payment_method import PaymentMethod
from mock_server.domain.profile import Profile


class Offered(NamedTuple):
    """One saved method with its token."""

    method: PaymentMethod
    token: str
    is_default: bool


class Wallet(NamedTuple):
    """A customer's saved methods, the newest first; a guest has none."""

    offered: tuple[Offered, ...]
    is_guest: bool = False


class Offering(NamedTuple):
    """A profile's methods, for one payment or for none in particular."""

    profile: Profile
    merchant_name: str
    payment: Payment | None = None
