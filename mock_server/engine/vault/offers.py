"""What a customer can pay with: a profile's methods, saved ones with a token each, sessions of wallets (facts §1.1)."""

from __future__ import annotations

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.offers import (
    SESSION_WALLETS,
    AskEligibility,
    AskOffer,
    AskOfPayment,
    AskSessionTokens,
    Eligibility,
    ForClient,
    Offered,
    Offering,
    OpenLink,
    Wallet,
    WalletSession,
    WalletSessions,
)
from mock_server.domain.paging import MAX_LIMIT, Query
from mock_server.domain.payment import LINK_IDS, Payment, has_link
from mock_server.domain.profile import WALLET_IDENTITIES, Profile
from mock_server.domain.statuses import MethodStatus
from mock_server.engine import blocklist, connectors, customers, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENT_METHODS, PAYMENTS
from mock_server.engine.payments import access
from mock_server.engine.vault.access import hand_out
from mock_server.engine.vault.offering import methods_of, narrowed
from mock_server.store.protocol import Transaction


def of_customer(tx: Transaction, desk: CommandContext, customer_id: str) -> Wallet:
    """A customer's saved methods. Refused as `ephemeral_key_wrong`, `object_unknown`."""
    customers.permit_holder(desk, customer_id)
    customer = customers.find(tx, customer_id)
    filters = {"customer_id": (customer_id,), "status": (MethodStatus.ACTIVE.value,)}
    found = tx.find(PAYMENT_METHODS, Query(filters=filters, limit=MAX_LIMIT)).items
    default = customer.default_payment_method_id
    return Wallet(
        tuple(Offered(method, hand_out(tx, desk, method), method.payment_method_id == default) for method in found)
    )


def of_payment(tx: Transaction, desk: CommandContext, client_secret: str | None) -> Wallet:
    """The saved methods of a payment's customer, or of the customer whose ephemeral key this is.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    if desk.words.holder is not None:
        return of_customer(tx, desk, desk.words.holder)
    payment = access.find_by_secret(tx, desk, client_secret or "")
    if payment.customer_id is None:
        return Wallet((), is_guest=True)
    return of_customer(tx, desk, payment.customer_id)


def offering(tx: Transaction, desk: CommandContext, asked: AskOffer) -> Offering:
    """What the payment of a client_secret can be made by; without one, what the default profile offers.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    secret = asked.client_secret
    payment = None if secret is None else access.find_by_secret(tx, desk, secret)
    return of_profile(tx, desk, asked, payment)


def of_profile(tx: Transaction, desk: CommandContext, asked: AskOffer, payment: Payment | None) -> Offering:
    """What a payment's profile offers, or the default one."""
    profile = profiles.default(tx, desk) if payment is None else profiles.find(tx, payment.profile_id)
    accounts = connectors.taking_charges(tx, profile.profile_id)
    methods = methods_of(profile, accounts, narrowed(asked, payment), payment)
    return Offering(profile, desk.policy.merchant_name, methods, payment)


def start_sessions(tx: Transaction, desk: CommandContext, command: AskSessionTokens) -> WalletSessions:
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


def for_client(tx: Transaction, desk: CommandContext, payment_id: str, asked: AskOffer) -> ForClient:
    """What a payment can be made by, with what its customer has saved.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    payment = access.find_for(tx, desk, payment_id, asked.client_secret)
    saved = Wallet((), is_guest=True) if payment.customer_id is None else of_customer(tx, desk, payment.customer_id)
    return ForClient(of_profile(tx, desk, asked, payment), saved)


def begin(tx: Transaction, desk: CommandContext, payment_id: str, asked: AskOfPayment) -> Payment:
    """The payment that a wallet's session begins for.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `status_forbids`.
    """
    payment = access.find_for(tx, desk, payment_id, asked.client_secret)
    access.permit(payment, "session_tokens")
    return payment


def eligibility(tx: Transaction, desk: CommandContext, payment_id: str, asked: AskEligibility) -> Eligibility:
    """Whether the blocklist lets a card through, before it is charged. Refused as `begin`."""
    begin(tx, desk, payment_id, AskOfPayment(asked.client_secret))
    return Eligibility(payment_id, blocklist.blocks_number(tx, asked.card_begins or ""))


def link(tx: Transaction, desk: CommandContext, link_id: str, asked: AskOfPayment) -> OpenLink:
    """A payment's page to pay on. Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`."""
    found = tx.get(PAYMENTS, link_id.removeprefix(LINK_IDS))
    if found is None or not has_link(found):
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.PAYMENT_LINK, id=link_id)
    return OpenLink(access.find_for(tx, desk, found.payment_id, asked.client_secret), desk.now)
