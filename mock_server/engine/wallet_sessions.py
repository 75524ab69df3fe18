"""Sessions for the wallets' SDKs in the browser (facts §1.1)."""

from __future__ import annotations

from mock_server.domain.payment import Payment
from mock_server.domain.profile import WALLET_IDENTITIES, Profile
from mock_server.domain.wallet_session import SESSION_WALLETS, AskSessionTokens, WalletSession, WalletSessions
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access
from mock_server.store.protocol import Transaction


def create(tx: Transaction, desk: CommandContext, command: AskSessionTokens) -> WalletSessions:
    """A session for each wallet that was asked for and that the profile can take.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `status_forbids`.
    """
    payment = access.find_for(tx, desk, command.payment_id, command.client_secret)
    access.permit(payment, "session_tokens")
    profile = profiles.find(tx, payment.profile_id)
    wanted = command.wallets or SESSION_WALLETS
    taken = tuple(wallet for wallet in wanted if _takes(profile, wallet))
    return WalletSessions(
        payment=payment,
        profile=profile,
        merchant_name=desk.policy.merchant_name,
        sessions=tuple(_session(tx, desk, payment, wallet) for wallet in taken),
    )


def _takes(profile: Profile, wallet: str) -> bool:
    return wallet not in WALLET_IDENTITIES or wallet in profile.wallet_identities


def _session(tx: Transaction, desk: CommandContext, payment: Payment, wallet: str) -> WalletSession:
    return WalletSession(
        wallet=wallet,
        token=desk.token(tx, "wallet_session", 32),
        started_at=desk.now,
        expires_at=payment.expires_at,
    )
