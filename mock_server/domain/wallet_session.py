"""What a browser needs to show a wallet's button for a payment (facts §1.1, §1.4)."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.domain.payment import Payment
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
