"""Which methods are on offer: what a profile's connector accounts enable, and what a payment allows (facts §1.4).

Without a connector account, or with one that says nothing of methods, every method of this sandbox is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mock_server.domain.card_brands import BRANDS
from mock_server.domain.merchant_account import Connector
from mock_server.domain.methods import METHODS, Method, Need, find, types_of
from mock_server.domain.offers import AskOffer, OfferedMethod
from mock_server.domain.payment import CONNECTOR, Payment
from mock_server.domain.profile import Profile

ENABLED: Final = "payment_methods_enabled"
Limits = Mapping[str, Any]
"""What an account says of one type: currencies, countries, amounts, networks."""
_ANY: Final[Limits] = {}


def methods_of(
    profile: Profile, accounts: Sequence[Connector], asked: AskOffer, payment: Payment | None
) -> tuple[OfferedMethod, ...]:
    """The methods in the order of the table, each with the accounts that take it."""
    enabled = [(one.connector_name, _enabled(one)) for one in accounts] or [(CONNECTOR, None)]
    allowed = _allowed(payment)
    found = []
    for row in METHODS:
        if Need.WALLET_IDENTITY in row.needs and row.type not in profile.wallet_identities:
            continue
        if allowed is not None and allowed.isdisjoint((row.type, *row.aliases)):
            continue
        fitting = [(name, said) for name, rows in enabled for said in _said(rows, row) if _fits(said, asked)]
        if fitting:
            connectors = tuple(dict.fromkeys(name for name, _ in fitting))
            networks = _networks(row, [said for _, said in fitting], asked)
            found.append(OfferedMethod(row.category, row.type, row, connectors, networks, payment))
    return tuple(found)


def narrowed(asked: AskOffer, payment: Payment | None) -> AskOffer:
    """What is asked for, by what is known of the payment."""
    if payment is None:
        return asked
    countries = (payment.billing_country,) if payment.billing_country else asked.accepted_countries
    return asked._replace(
        amount=payment.net_amount, accepted_currencies=(payment.currency,), accepted_countries=countries
    )


def _allowed(payment: Payment | None) -> frozenset[str] | None:
    text = payment.echo.get("allowed_payment_method_types") if payment else None
    return frozenset(json.loads(text)) if text else None


def _enabled(account: Connector) -> Mapping[Method, list[Limits]] | None:
    """What the account says of each method; None where it says nothing of any."""
    groups = json.loads(account.echo.get(ENABLED, "null"))
    if groups is None:
        return None
    found: dict[Method, list[Limits]] = {}
    for group in _objects(groups):
        category = str(group.get("payment_method"))
        types = group.get("payment_method_types")
        every = [{"payment_method_type": word} for word in types_of(category)]
        for limits in every if types is None else _objects(types):
            row = find(category, str(limits.get("payment_method_type")))
            if row is not None:
                found.setdefault(row, []).append(limits)
    return found


def _objects(given: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list that anybody may have sent."""
    return (one for one in given if isinstance(one, dict)) if isinstance(given, list) else iter(())


def _said(rows: Mapping[Method, list[Limits]] | None, row: Method) -> Iterable[Limits]:
    return (_ANY,) if rows is None else rows.get(row, ())


def _fits(said: Limits, asked: AskOffer) -> bool:
    """Whether what is asked for is within an account's limits."""
    least, most = said.get("minimum_amount"), said.get("maximum_amount")
    if asked.amount and isinstance(least, int) and asked.amount < least:
        return False
    if asked.amount and isinstance(most, int) and asked.amount > most:
        return False
    return _accepts(said.get("accepted_currencies"), asked.accepted_currencies) and _accepts(
        said.get("accepted_countries"), asked.accepted_countries
    )


def _accepts(rule: object, asked: Sequence[str]) -> bool:
    if not asked or not isinstance(rule, dict) or not isinstance(rule.get("list"), list):
        return True
    hit = any(one in rule["list"] for one in asked)
    return {"enable_only": hit, "disable_only": not hit}.get(str(rule.get("type")), True)


def _networks(row: Method, limits: Iterable[Limits], asked: AskOffer) -> tuple[str, ...]:
    """The card networks that some account takes; those of a method that is no card are none."""
    if row.category != "card":
        return ()
    own = [said.get("card_networks") for said in limits]
    taken = {word for words in own if isinstance(words, list) for word in words}
    names = [brand.name for brand in BRANDS if None in own or brand.name in taken]
    return tuple(name for name in names if not asked.card_networks or name in asked.card_networks)
