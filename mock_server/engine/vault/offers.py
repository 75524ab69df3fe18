"""How a customer can pay: available methods, saved ones, wallet sessions (facts §1.1, §1.4).

The profile's connector accounts enable methods, and the payment can limit them. Without a connector account, or with
one that does not list methods, every method is available.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mock_server.domain import offers
from mock_server.domain.card_brands import BRANDS
from mock_server.domain.commands import CardInput
from mock_server.domain.customer import OFF_SESSION, SAVEABLE
from mock_server.domain.errors import ObjectKind, unknown
from mock_server.domain.limits import LIST_MAX
from mock_server.domain.merchant import Connector, Profile
from mock_server.domain.methods import ALL_METHODS, METHODS, Method, Need, public_words
from mock_server.domain.offers import AskOffer, Offered, OfferedMethod, Offering, Wallet, WalletSessions
from mock_server.domain.paging import Query
from mock_server.domain.payment import CONNECTOR, LINK_IDS, Payment, linked
from mock_server.domain.statuses import MethodStatus
from mock_server.engine import blocklist, connectors, customers, profiles
from mock_server.engine.connectors import Limits
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENT_METHODS, PAYMENTS
from mock_server.engine.payments import access
from mock_server.engine.payments.instrument import fingerprint
from mock_server.engine.vault.methods import hand_out
from mock_server.store.transaction import Transaction

_ANY: Final[Limits] = {}
ANY_OFFER: Final = AskOffer()


def methods_of(
    profile: Profile, accounts: Sequence[Connector], asked: AskOffer, payment: Payment | None, public: bool
) -> tuple[OfferedMethod, ...]:
    """The available methods, in the order of the table, each with the accounts that accept it.

    `public`: also those that only the public dialect has, where they are used. For a mandate, those that can be saved.
    """
    enabled = [(account.connector_name, connectors.enabled(account)) for account in accounts] or [(CONNECTOR, None)]
    types = payment.echo.get("allowed_payment_method_types") if payment else None
    allowed = frozenset(json.loads(types)) if types else None
    is_mandate = payment is not None and payment.setup_future_usage == OFF_SESSION
    found = []
    for row in ALL_METHODS if public else METHODS:
        if Need.WALLET_IDENTITY in row.needs and row.type not in profile.wallet_identities:
            continue
        if (public and not _is_used_there(row, asked)) or (is_mandate and row.category not in SAVEABLE):
            continue
        if allowed is not None and allowed.isdisjoint((public_words(row.category, row.type, public)[1], *row.aliases)):
            continue
        limits = [(name, (_ANY,) if rows is None else rows.get(row, ())) for name, rows in enabled]
        fitting = [(name, said) for name, several in limits for said in several if _fits(said, asked)]
        if fitting:
            names = tuple(dict.fromkeys(name for name, _ in fitting))
            networks = _networks(row, [said for _, said in fitting], asked)
            found.append(OfferedMethod(row.category, row.type, row, names, networks, payment))
    return tuple(found)


def _is_used_there(row: Method, asked: AskOffer) -> bool:
    """Whether a method is used with one of these currencies, in one of these countries."""
    pairs = ((row.currencies, asked.accepted_currencies), (row.countries, asked.accepted_countries))
    return all(not own or not wanted or not set(wanted).isdisjoint(own) for own, wanted in pairs)


def _fits(said: Limits, asked: AskOffer) -> bool:
    least, most = said.get("minimum_amount"), said.get("maximum_amount")
    if asked.amount and not (least or 0) <= asked.amount <= (asked.amount if most is None else most):
        return False
    return _accepts(said.get("accepted_currencies"), asked.accepted_currencies) and _accepts(
        said.get("accepted_countries"), asked.accepted_countries
    )


def _accepts(rule: Mapping[str, Any] | None, asked: Sequence[str]) -> bool:
    if not asked or rule is None or rule.get("list") is None:
        return True
    hit = any(value in rule["list"] for value in asked)
    return {"enable_only": hit, "disable_only": not hit}.get(rule["type"], True)


def _networks(row: Method, limits: Iterable[Limits], asked: AskOffer) -> tuple[str, ...]:
    """The card networks that some account accepts; none for other methods."""
    if row.category != "card":
        return ()
    own = [said.get("card_networks") for said in limits]
    taken = [word for words in own if words is not None for word in words]
    known = [brand.name for brand in BRANDS if None in own or brand.name in taken]
    names = dict.fromkeys((*known, *taken))  # what the account calls a network stays, though we do not know it
    return tuple(name for name in names if not asked.card_networks or name in asked.card_networks)


def of_customer(
    tx: Transaction, context: CommandContext, customer_id: str, client_secret: str | None = None, limit: int = LIST_MAX
) -> Wallet:
    """A customer's saved methods, whatever the client_secret. Refused as `ephemeral_key_wrong`, `object_unknown`."""
    customers.permit_holder(context, customer_id)
    customer = customers.find(tx, customer_id)
    filters = {"customer_id": (customer_id,), "status": (MethodStatus.ACTIVE.value,)}
    found = tx.find(PAYMENT_METHODS, Query(filters=filters, limit=limit)).items
    default = customer.default_payment_method_id
    return Wallet(
        tuple(Offered(method, hand_out(tx, context, method), method.payment_method_id == default) for method in found)
    )


def of_payment(
    tx: Transaction, context: CommandContext, client_secret: str | None = None, limit: int = LIST_MAX
) -> Wallet:
    """The saved methods of a payment's customer, or of the customer whose ephemeral key this is.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    if context.call.holder is not None:
        return of_customer(tx, context, context.call.holder, limit=limit)
    return _saved_for(tx, context, access.find_by_secret(tx, context, client_secret or ""), limit)


def _saved_for(tx: Transaction, context: CommandContext, payment: Payment, limit: int = LIST_MAX) -> Wallet:
    customer = payment.customer_id
    return Wallet((), is_guest=True) if customer is None else of_customer(tx, context, customer, limit=limit)


def offering(tx: Transaction, context: CommandContext, asked: AskOffer) -> Offering:
    """The available methods of the payment of a client_secret; without one, those of the default profile.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    secret = asked.client_secret
    payment = None if secret is None else access.find_by_secret(tx, context, secret)
    return of_profile(tx, context, asked, payment)


def of_profile(tx: Transaction, context: CommandContext, asked: AskOffer, payment: Payment | None) -> Offering:
    """The available methods of a payment's profile, or of the default one."""
    if payment is None:
        profile = profiles.default(tx, context)
    else:
        profile = profiles.find(tx, payment.profile_id)
        countries = (payment.billing_country,) if payment.billing_country else asked.accepted_countries
        asked = AskOffer(asked.client_secret, countries, (payment.currency,), payment.net_amount, asked.card_networks)
    accounts = connectors.taking_charges(tx, profile.profile_id)
    offered = methods_of(profile, accounts, asked, payment, context.policy.public)
    return Offering(profile, profiles.merchant_name(tx.fact), offered, payment)


def start_sessions(
    tx: Transaction,
    context: CommandContext,
    payment_id: str,
    client_secret: str | None = None,
    wallets: Sequence[str] = (),
) -> WalletSessions:
    """A session for each requested wallet, of all if none is named, that the profile accepts.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `status_forbids`.
    """
    payment = begin(tx, context, payment_id, client_secret)
    offered = of_profile(tx, context, ANY_OFFER, payment)
    connector_of = {method.payment_method_type: method.connectors[0] for method in offered.methods}
    sessions = tuple(
        offers.WalletSession(
            wallet, context.token(tx, "wallet_session", 32), context.now, payment.expires_at, connector_of[wallet]
        )
        for wallet in wallets or offers.SESSION_WALLETS
        if wallet in offers.SESSION_WALLETS and wallet in connector_of
    )
    return WalletSessions(payment, offered.profile, profiles.merchant_name(tx.fact), sessions)


def for_client(tx: Transaction, context: CommandContext, payment_id: str, asked: AskOffer) -> offers.ForClient:
    """The available methods of a payment, with the saved ones of its customer.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`.
    """
    payment = access.find_for(tx, context, payment_id, asked.client_secret)
    return offers.ForClient(of_profile(tx, context, asked, payment), _saved_for(tx, context, payment))


def begin(tx: Transaction, context: CommandContext, payment_id: str, client_secret: str | None = None) -> Payment:
    """The payment for which a wallet session starts.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `status_forbids`.
    """
    payment = access.find_for(tx, context, payment_id, client_secret)
    access.permit(payment, "session_tokens")
    return payment


def eligibility(
    tx: Transaction,
    context: CommandContext,
    payment_id: str,
    client_secret: str | None = None,
    card: CardInput | None = None,
) -> offers.Eligibility:
    """Whether the blocklist blocks a card, before it is charged. Refused as `begin`."""
    begin(tx, context, payment_id, client_secret)
    number = card.number if card and tx.fact(blocklist.IN_FORCE) else ""
    return offers.Eligibility(payment_id, blocklist.blocks(tx, number, fingerprint(context.fingerprints, number)))


def link(tx: Transaction, context: CommandContext, link_id: str, client_secret: str | None = None) -> offers.OpenLink:
    """A payment link. Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`."""
    found = tx.get(PAYMENTS, link_id.removeprefix(LINK_IDS))
    if found is None or not linked(found):
        raise unknown(ObjectKind.PAYMENT_LINK, link_id)
    return offers.OpenLink(access.find_for(tx, context, found.payment_id, client_secret), context.now)
