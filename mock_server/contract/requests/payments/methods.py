"""`payment_method_data`: one payload, under its category and name (interface §2.4, facts §2.2).

Which payloads there are, and what each may hold, is the table of `domain.methods`; here stands what kind of value each
inner field takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from marshmallow.fields import Field

from mock_server.contract.requests.fields import Free, Items, Part, Text, country_code, email_address
from mock_server.contract.requests.payments import card as cards
from mock_server.contract.requests.payments.address import Contact
from mock_server.contract.requests.rules import Cross
from mock_server.contract.requests.schema import Body
from mock_server.domain.methods import PAYLOADS, Payload

_I24: Final = "interface §2.4"
_F22: Final = "facts §2.2"
_SDK_TOKEN: Final = 10_000


class BankBilling(Body):
    """The customer of a bank payment; redirects and transfers spell the name differently."""

    billing_name = Text("Name, for a redirect.", source=_F22)
    name = Text("Name, for a transfer.", source=_F22)
    email = email_address("E-mail address.", source=_F22)


_KINDS: Final[dict[str, Callable[..., Field[Any]]]] = {
    "billing_details": lambda **more: Part(lambda: BankBilling, "The customer.", source=_F22, **more),
    "billing_country": lambda **more: country_code("Country.", source=_F22, **more),
    "billing_email": lambda **more: email_address("E-mail address.", source=_F22, **more),
    "card_exp_month": cards.exp_month,
    "card_exp_year": cards.exp_year,
    "card_number": cards.number,
    "country": lambda **more: country_code("Country of the bank.", source=_F22, **more),
    "messages": lambda **more: Items(Text(), "Lines for the customer.", source=_F22, **more),
    "token": lambda **more: Text("Token of the wallet's or shop's SDK.", most=_SDK_TOKEN, source=_F22, **more),
}
"""Inner fields that are more than a text of 255 characters."""


def _inner(name: str, row: Payload) -> Field[Any]:
    required = name in row.required
    kind = _KINDS.get(name)
    if kind is not None:
        return kind(required=required)
    return Text(f"{name.replace('_', ' ').capitalize()}.", source=row.source, required=required)


@cache
def payload_schema(row: Payload) -> type[Body]:
    """The shape of one payload whose fields are known."""
    inner = {name: _inner(name, row) for name in row.fields or ()}
    crosses = (cards.NOT_EXPIRED,) if "card_exp_year" in inner else ()
    return type(f"{row.group}_{row.name}", (Body,), {**inner, "crosses": crosses})


def _payload(row: Payload) -> Field[Any]:
    about = f"{row.type} as {row.name}."
    if row.fields is None:
        return Free(about, source=row.source)
    return Part(lambda: payload_schema(row), about, source=row.source)


def _one_of(names: tuple[str, ...]) -> Cross:
    """Of several payloads nobody could say which is meant."""

    def holds(loaded: Mapping[str, Any]) -> bool:
        return len(loaded) < 2 or sum(loaded.get(name) is not None for name in names) < 2

    return Cross((), holds, "must hold exactly one payment method")


@cache
def group_schema(group: str) -> type[Body]:
    """The shape of `payment_method_data.<group>`: one payload by its name."""
    rows = {row.name: _payload(row) for row in PAYLOADS if row.group == group}
    return type(group, (Body,), {**rows, "crosses": (_one_of(tuple(rows)),)})


def _group(group: str, about: str, source: str = _F22) -> Part:
    return Part(lambda: group_schema(group), about, source=source)


class PaymentMethodData(Body):
    """One payload, and the address that belongs to it."""

    card = Part(lambda: cards.Card, "A card.", source=_I24)
    wallet = _group("wallet", "A wallet's payload, one sub-object per wallet, shaped by its SDK.", _I24)
    pay_later = _group("pay_later", "Buy now, pay later.")
    bank_redirect = _group("bank_redirect", "The customer pays on their bank's page.", _I24)
    bank_transfer = _group("bank_transfer", "The customer sends money from their bank.", _I24)
    upi = _group("upi", "UPI.")
    voucher = _group("voucher", "The public API's place for boleto.")
    card_token = Part(lambda: cards.CardToken, "Beside the `payment_token` of a saved card.", source="facts §2.8")
    billing = Part(lambda: Contact, "Address of the method's owner.", source=_F22)

    crosses = (_one_of(("card", "wallet", "pay_later", "bank_redirect", "bank_transfer", "upi", "voucher")),)
