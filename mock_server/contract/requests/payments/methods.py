"""Payment methods as customers enter them (interface §2.4). No message repeats a number or a code."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from mock_server.contract.kinds.base import DROPPED
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany
from mock_server.contract.kinds.rules import Cross, ValueRule, matches, month_now, one_of
from mock_server.contract.kinds.texts import Choice, ListedName, Text, country_code, currency_code, email_address
from mock_server.contract.kinds.values import Free
from mock_server.contract.requests.listing import Filters, meaning
from mock_server.contract.requests.payments.parts import Contact
from mock_server.domain import card_brands, methods
from mock_server.domain.cards import CARDS
from mock_server.domain.payment import AUTHENTICATION_TYPES, CONNECTOR

if TYPE_CHECKING:
    from marshmallow.fields import Field

_I24: Final = "interface §2.4"
_I8: Final = "interface §8.2"
METHOD_WORDS: Final = (*methods.categories(), *methods.CATEGORY_ALIASES)
TYPE_WORDS: Final = tuple(dict.fromkeys(word for row in methods.METHODS for word in (row.type, *row.aliases)))
_MORE_METHODS: Final = methods.categories(public=True)
_MORE_TYPES: Final = tuple(word for row in methods.PUBLIC_METHODS for word in (row.type, *row.aliases))
"""Words that only the public dialect has."""
_LISTED: Final = frozenset(card.number for card in CARDS if card.listed)


def category(says: str, source: str, *, narrows: bool = False, **more: Any) -> Choice:
    """The category of a payment method; one that narrows can be of either dialect."""
    words = (*METHOD_WORDS, *_MORE_METHODS) if narrows else METHOD_WORDS
    options = {"named": "PaymentMethod", "source": source, "example": "card", **more}
    return Choice(words, says, more=_MORE_METHODS, narrows=narrows, **options)


def method_type(says: str, source: str, *, narrows: bool = False, **more: Any) -> Choice:
    """The type of a payment method; one that narrows can be of either dialect."""
    words = (*TYPE_WORDS, *_MORE_TYPES) if narrows else TYPE_WORDS
    options = {"named": "PaymentMethodType", "source": source, "example": "credit", **more}
    return Choice(words, says, more=_MORE_TYPES, narrows=narrows, **options)


def connector(says: str = "", **more: Any) -> ListedName:
    """A connector's name: a public one, or one of the sandbox's own."""
    return ListedName(says, named="Connector", fits=re.compile(rf"{CONNECTOR}|.*_test").fullmatch, **more)


def authentication_type(says: str = "", **more: Any) -> Choice:
    """Whether the payment asks for 3-D Secure."""
    return Choice(AUTHENTICATION_TYPES, says, named="AuthenticationType", **more)


def brand() -> Choice:
    """A card's brand, to filter by."""
    return Choice((*card_brands.NETWORKS.split(), card_brands.OTHER.name), named="CardNetwork", narrows=True)


def _is_number(number: str) -> bool:
    # The numbers of test cards are valid, and nearly every test uses one.
    return number in _LISTED or card_brands.problem_of(number) is None


def money_filters(cite: str, types: str, types_source: str) -> Filters:
    """The filters that lists of payments, refunds and disputes share, of a section of the facts."""
    return {
        "customer_id": OneOrMany(Text(), "Customer.", source=_I8, example="cus_shopper_42"),
        "currency": OneOrMany(currency_code(), "Currency.", source=_I8, example="USD"),
        "payment_method": OneOrMany(
            Choice(dict.fromkeys((*METHOD_WORDS, *TYPE_WORDS)), named="PaymentMethod", narrows=True),
            "Payment method category or type.",
            source=_I8,
            example="card",
            place=meaning(methods.LISTED),
        ),
        "payment_method_type": OneOrMany(
            Choice(TYPE_WORDS, named="PaymentMethodType", more=_MORE_TYPES, narrows=True),
            types,
            source=types_source,
            example="credit",
            place=meaning(methods.MEANT),
        ),
        "profile_id": OneOrMany(Text(), "ID of the business profile.", source=cite, example="pro_0123456789abcdefghij"),
        "connector": OneOrMany(Text(), "Connector.", source=cite),
        "merchant_connector_id": OneOrMany(
            Text(), "ID of the connector account.", source=cite, example="mca_0123456789abcdefghij"
        ),
    }


IS_CARD_NUMBER: Final = ValueRule(_is_number, card_brands.problem_of, {"pattern": "^[0-9]{12,19}$"})
HAS_TOKEN: Final = ValueRule(lambda data: any(data.values()), "must hold the wallet's token", {"minProperties": 1})
ONE_METHOD: Final = "must hold exactly one payment method"
MONTHS: Final = tuple(f"{month:02}" for month in range(1, 13))
IS_YEAR: Final = matches("[0-9]{4}", "must be four digits", matches("([0-9]{2}){1,2}", "must be two or four digits"))
IS_CVC: Final = matches("[0-9]{3,4}", "must be 3 or 4 digits")


NOT_EXPIRED: Final = Cross(
    ("card_exp_month", "card_exp_year"),
    lambda card: card_brands.full_year(card["card_exp_year"]) + str(card["card_exp_month"]) >= month_now(),
    "must be in the future: this card has expired",
    "card_exp_year",
)


def card_number(**more: Any) -> Text:
    """The card's number: digits only."""
    return Text(
        "Card number, digits only.",
        rules=[IS_CARD_NUMBER],
        rule=_number_rule,
        source=_I24,
        example="4242424242424242",
        **more,
    )


def _number_rule(number: str) -> str:
    too_long_or_short = not number.strip("0123456789") and not card_brands.has_length(number)
    return "card_number_length" if too_long_or_short else "card_number"


def exp_month(**more: Any) -> Choice:
    """The card's expiry month."""
    wrong = "must be two digits, 01 to 12"
    return Choice(MONTHS, "Two-digit expiry month.", error=wrong, rule=_month_rule, source=_I24, example="03", **more)


def exp_year(**more: Any) -> Text:
    """The card's expiry year."""
    return Text("Four-digit expiry year.", rules=[IS_YEAR], rule=_year_rule, source=_I24, example="2035", **more)


def _month_rule(month: str) -> str:
    return "expiry_month" if month.isascii() and month.isdigit() else "not_numeric"


def _year_rule(year: str) -> str:
    if not (year.isascii() and year.isdigit()):
        return "not_numeric"
    has_come = len(year) in (2, 4) and card_brands.full_year(year) >= month_now()[:4]
    return "expired" if has_come else "expiry_year"


def _code_rule(code: str) -> str:
    return "not_numeric" if len(code) in (3, 4) else "card_cvc"


def card_cvc(**more: Any) -> Text:
    """The code on the card."""
    return Text("Security code, 3 or 4 digits.", rules=[IS_CVC], rule=_code_rule, source=_I24, example="737", **more)


def card_holder(**more: Any) -> Text:
    """The name on the card."""
    return Text("Name on the card.", source=_I24, example="Jane Doe", **more)


class PlainCard(Body):
    """A card without its security code."""

    crosses = (NOT_EXPIRED,)

    card_number = card_number(required=True)
    card_exp_month = exp_month(required=True)
    card_exp_year = exp_year(required=True)
    card_holder_name = card_holder()


class CardDetails(PlainCard, source='decisions "Words on the wire"'):
    """A card without its security code. Descriptive fields other than the nickname have no effect."""

    nick_name = Text("Nickname that the customer gave the card; saved with it.")
    card_network = ListedName("Accepted; the brand follows from the number.", named="CardNetwork", example="Visa")
    card_issuer = Text("Issuing bank.")
    card_type = Text("Accepted, but has no effect: the type follows from the number.")
    card_issuing_country = Text("Country of the issuing bank.")
    card_issuing_country_code = Text("Country code of the issuing bank.")
    bank_code = Text("Code of the issuing bank.")


class CardToken(Body, source="facts §2.8"):
    """`payment_method_data.card_token`: sent by a browser together with the token of a saved card."""

    card_holder_name = card_holder()
    card_cvc = card_cvc()
    card_cvc_token = Text(place=DROPPED)


class CardBody(CardDetails):
    """`payment_method_data.card`."""

    card_cvc = card_cvc(required=True)


_F22: Final = "facts §2.2"
_PUBLIC: Final = "public schemas"


class BankBilling(Body, source=_F22):
    """The customer of a bank payment. Redirects and transfers use different fields for the name."""

    billing_name = Text("Customer's name, for a redirect.")
    name = Text("Customer's name, for a transfer.")
    email = email_address("Email address.")


_KINDS: Final[dict[str, Callable[..., Field[Any]]]] = {
    "billing_details": lambda **more: ObjectOf(lambda: BankBilling, "The customer.", source=_F22, **more),
    "billing_country": lambda **more: country_code("Country.", source=_F22, **more),
    "billing_email": lambda **more: email_address("Email address.", source=_F22, **more),
    "card_exp_month": exp_month,
    "card_exp_year": exp_year,
    "card_number": card_number,
    "country": lambda **more: country_code("Country of the bank.", source=_F22, **more),
    "messages": lambda **more: Items(Text(), "Lines of text for the customer.", source=_F22, **more),
    "token": lambda **more: Text("Token from the wallet's or shop's SDK.", most=10_000, source=_F22, **more),
}
"""Inner fields that are more than a text of 255 characters."""


@cache
def payload_schema(row: methods.Payload) -> type[Body]:
    """The shape of one payload whose fields are known."""
    inner: dict[str, Any] = {}
    for name in row.fields or ():
        says = f"{name.replace('_', ' ').capitalize().replace(' id', ' ID')}."
        kind = _KINDS.get(name, partial(ListedName, says, named=name, source=row.source))
        inner[name] = kind(required=name in row.required)
    crosses = (NOT_EXPIRED,) if "card_exp_year" in inner else ()
    return type(f"{row.group}_{row.name}", (Body,), {**inner, "crosses": crosses})


def _payload(row: methods.Payload) -> Field[Any]:
    about = f"Details for {row.type}{'' if row.type == row.name else f', {row.name}'}."
    if row.fields is None:
        is_charged = row.flow is methods.Flow.CHARGE and row.name == row.type
        return Free(about, source=row.source, rules=[HAS_TOKEN] if is_charged else [])
    return ObjectOf(lambda: payload_schema(row), about, source=row.source)


@cache
def group_schema(group: str) -> type[Body]:
    """The shape of `payment_method_data.<group>`: one payload by its name."""
    rows = {row.name: _payload(row) for row in methods.payloads_of(group)}
    crosses = () if group == methods.BY_TYPE_ALONE else (one_of(tuple(rows), ONE_METHOD),)
    return type(group, (Body,), {**rows, "crosses": crosses})


def _group(group: str, about: str, source: str = _F22, *, words: bool = False) -> ObjectOf:
    """The field of a group; `words`: the name of a payload alone stands for one without fields."""
    names = tuple(row.name for row in methods.payloads_of(group)) if words else ()
    return ObjectOf(lambda: group_schema(group), about, source=source, words=names)


class PaymentMethodData(Body):
    """Details of one payment method, and its billing address."""

    card = ObjectOf(lambda: CardBody, "A card.", source=_I24)
    wallet = _group("wallet", "Payload from a wallet's SDK, one sub-object per wallet.", _I24)
    pay_later = _group("pay_later", "Buy now, pay later.")
    bank_redirect = _group("bank_redirect", "The customer pays on their bank's page.", _I24)
    bank_transfer = _group("bank_transfer", "The customer sends money from their bank.", _I24)
    upi = _group("upi", "UPI.")
    voucher = _group("voucher", "The customer pays at a counter, in the field of the public API.", words=True)
    bank_debit = _group("bank_debit", "Collected from the customer's account.", _PUBLIC)
    card_redirect = _group("card_redirect", "The customer pays on a network's page.", _PUBLIC)
    real_time_payment = _group("real_time_payment", "The customer scans a code.", _PUBLIC, words=True)
    gift_card = _group("gift_card", "A gift card.", _PUBLIC)
    mobile_payment = _group("mobile_payment", "Paid with the customer's phone bill.", _PUBLIC)
    reward = _group("reward", "A voucher that the customer pays in cash.", _PUBLIC)
    crypto = ObjectOf(lambda: payload_schema(methods.payloads_of("crypto")[0]), "A cryptocurrency.", source=_PUBLIC)
    card_token = ObjectOf(
        lambda: CardToken,
        "Sent with the `payment_token` of a saved card: its code, which is only checked, and a name if it has none.",
        source="facts §2.8",
    )
    billing = ObjectOf(lambda: Contact, "Billing address.", source=_F22)

    crosses = (
        one_of(("card", "voucher", *(name for name in methods.categories(public=True) if name != "card")), ONE_METHOD),
    )
