"""What a browser needs to show a wallet's button for a payment (facts §1.1, §1.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mock_server.domain.payment import Payment
from mock_server.domain.profile import Profile

SESSION_WALLETS: Final = ("apple_pay", "google_pay", "paypal", "samsung_pay")
"""The wallets whose SDK begins with a session (ours: those of interface §4.2 that have one)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSessionTokens:
    """A browser's request for wallet sessions; no wallets means all."""

    payment_id: str
    client_secret: str | None = field(default=None, repr=False)
    wallets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletSession:
    """One wallet's session; `token` is opaque."""

    wallet: str
    token: str
    started_at: int
    expires_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletSessions:
    """The sessions of one payment, with what their answers tell of it."""

    payment: Payment
    profile: Profile
    merchant_name: str
    sessions: tuple[WalletSession, ...]
