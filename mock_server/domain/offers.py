"""How a payment can be paid: a merchant's methods, saved ones, wallet sessions (facts §1.1, §1.4, §2.8)."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.domain.customer import PaymentMethod
from mock_server.domain.merchant import Profile
from mock_server.domain.methods import Method
from mock_server.domain.payment import Payment

SESSION_WALLETS: Final = ("apple_pay", "google_pay", "paypal", "samsung_pay")
"""The wallets whose SDK needs a session (ours: those of interface §4.2 that have one)."""


class WalletSession(NamedTuple):
    """One wallet's session, of the account that accepts it; `token` is opaque."""

    wallet: str
    token: str
    started_at: int
    expires_at: int
    connector: str


class WalletSessions(NamedTuple):
    """The sessions of one payment, with what their answers show of it."""

    payment: Payment
    profile: Profile
    merchant_name: str
    sessions: tuple[WalletSession, ...]


class Offered(NamedTuple):
    """One saved method with its token."""

    method: PaymentMethod
    token: str
    is_default: bool


class Wallet(NamedTuple):
    """A customer's saved methods, the newest first; a guest has none."""

    offered: tuple[Offered, ...]
    is_guest: bool = False


class AskOffer(NamedTuple):
    """A request for available methods: for a payment by its secret, or for one that could be created."""

    client_secret: str | None = None
    accepted_countries: tuple[str, ...] = ()
    accepted_currencies: tuple[str, ...] = ()
    amount: int | None = None
    card_networks: tuple[str, ...] = ()


class OfferedMethod(NamedTuple):
    """An available method, with the names of the connectors that accept it, and of the networks of its cards."""

    payment_method: str
    payment_method_type: str
    row: Method
    connectors: tuple[str, ...]
    networks: tuple[str, ...] = ()
    payment: Payment | None = None


class Offering(NamedTuple):
    """A profile's available methods, for one payment or in general."""

    profile: Profile
    merchant_name: str
    methods: tuple[OfferedMethod, ...]
    payment: Payment | None = None


class Eligibility(NamedTuple):
    """Whether the blocklist blocks a payment."""

    payment_id: str
    blocked: bool


class ForClient(NamedTuple):
    """Everything that a checkout's script needs to start."""

    offering: Offering
    wallet: Wallet


class OpenLink(NamedTuple):
    """A payment link at an instant (ms)."""

    payment: Payment
    now: int
