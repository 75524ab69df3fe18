"""What a payment can be made by: a merchant's methods, what was saved, sessions of wallets (facts §1.1, §1.4, §2.8)."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.domain.methods import Method
from mock_server.domain.payment import Payment
from mock_server.domain.payment_method import PaymentMethod
from mock_server.domain.profile import Profile

SESSION_WALLETS: Final = ("apple_pay", "google_pay", "paypal", "samsung_pay")
"""The wallets whose SDK begins with a session (ours: those of interface §4.2 that have one)."""


class AskSessionTokens(NamedTuple):
    """A browser's request for wallet sessions; no wallets means all."""

    payment_id: str
    client_secret: str | None = None
    wallets: tuple[str, ...] = ()


class WalletSession(NamedTuple):
    """One wallet's session; `token` is opaque."""

    wallet: str
    token: str
    started_at: int
    expires_at: int


class WalletSessions(NamedTuple):
    """The sessions of one payment, with what their answers tell of it."""

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
    """What a list of methods is asked for: a payment by its secret, or what one would be."""

    client_secret: str | None = None
    accepted_countries: tuple[str, ...] = ()
    accepted_currencies: tuple[str, ...] = ()
    amount: int | None = None
    card_networks: tuple[str, ...] = ()


class OfferedMethod(NamedTuple):
    """A method on offer, with the names of the connectors that take it, and of the networks of its cards."""

    payment_method: str
    payment_method_type: str
    row: Method
    connectors: tuple[str, ...]
    networks: tuple[str, ...] = ()
    payment: Payment | None = None


class Offering(NamedTuple):
    """A profile's methods, for one payment or for none in particular."""

    profile: Profile
    merchant_name: str
    methods: tuple[OfferedMethod, ...]
    payment: Payment | None = None


class AskOfPayment(NamedTuple):
    """What a browser shows to ask about its payment."""

    client_secret: str | None = None


class AskEligibility(NamedTuple):
    """Whether a payment may be made with a card that begins so."""

    client_secret: str | None = None
    card_begins: str | None = None


class Eligibility(NamedTuple):
    """Whether the blocklist keeps a payment from being made."""

    payment_id: str
    blocked: bool


class ForClient(NamedTuple):
    """All that a checkout's script begins with."""

    offering: Offering
    wallet: Wallet


class OpenLink(NamedTuple):
    """A page to pay on, as it stands at an instant (ms)."""

    payment: Payment
    now: int
