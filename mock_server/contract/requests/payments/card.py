"""Cards as a customer types them (interface §2.4). Nothing here repeats a number or a code in what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.fields import Choice, Text
from mock_server.contract.requests.present import month_now
from mock_server.contract.requests.rules import Cross, Rule, matches
from mock_server.contract.requests.schema import Body
from mock_server.domain import card_brands
from mock_server.domain.cards import CARDS

_I24: Final = "interface §2.4"
_F: Final = 'decisions "Words on the wire"'
_LISTED: Final = frozenset(card.number for card in CARDS if card.listed)


def _is_number(number: str) -> bool:
    # The table's own numbers are known to be good, and nearly every test uses one.
    return number in _LISTED or card_brands.problem_of(number) is None


IS_CARD_NUMBER: Final = Rule(_is_number, card_brands.problem_of, {"pattern": "^[0-9]{12,19}$"})
MONTHS: Final = tuple(f"{month:02}" for month in range(1, 13))
IS_YEAR: Final = matches("[0-9]{4}", "must be four digits")
IS_CVC: Final = matches("[0-9]{3,4}", "must be 3 or 4 digits")


def _has_not_passed(card: Mapping[str, Any]) -> bool:
    return card["card_exp_year"] + card["card_exp_month"] >= month_now()  # type: ignore[no-any-return]  # both are text


NOT_EXPIRED: Final = Cross(
    ("card_exp_month", "card_exp_year"),
    _has_not_passed,
    "must lie in the future: this card has expired",
    "card_exp_year",
)


def number(**more: Any) -> Text:
    """The card's number: digits only."""
    return Text("Card number, digits only.", rules=[IS_CARD_NUMBER], source=_I24, example="4242424242424242", **more)


def exp_month(**more: Any) -> Choice:
    """The month it ends in."""
    wrong = "must be two digits, 01 to 12"
    return Choice(MONTHS, "Two-digit expiry month.", error=wrong, source=_I24, example="03", **more)


def exp_year(**more: Any) -> Text:
    """The year it ends in."""
    return Text(
        "Four-digit expiry year; the card must not have expired.", rules=[IS_YEAR], source=_I24, example="2035", **more
    )


def cvc(**more: Any) -> Text:
    """The code on the card."""
    return Text("Security code, 3 or 4 digits.", rules=[IS_CVC], source=_I24, example="737", **more)


def holder(**more: Any) -> Text:
    """The name on the card."""
    return Text("Name on the card.", source=_I24, example="Jane Doe", **more)


class CardDetails(Body):
    """What a card is known by without its code; the public API's descriptive fields are taken and change nothing."""

    crosses = (NOT_EXPIRED,)

    card_number = number(required=True)
    card_exp_month = exp_month(required=True)
    card_exp_year = exp_year(required=True)
    card_holder_name = holder()
    nick_name = Text("The customer's own name for the card.", source=_F)
    card_network = Text("Brand; the number's own brand holds.", source=_F, example="Visa")
    card_issuer = Text("Issuing bank.", source=_F)
    card_type = Text("Credit or debit; the number's own kind holds.", source=_F)
    card_issuing_country = Text("Country of the issuing bank.", source=_F)
    card_issuing_country_code = Text("Country code of the issuing bank.", source=_F)
    bank_code = Text("Code of the issuing bank.", source=_F)


class CardToken(Body):
    """`payment_method_data.card_token`: what a browser sends beside the token of a saved card."""

    card_holder_name = holder()
    card_cvc = cvc()
    card_cvc_token = Text("Taken, and changes nothing.", source="facts §2.8")


class Card(CardDetails):
    """`payment_method_data.card`."""

    card_cvc = cvc(required=True)
