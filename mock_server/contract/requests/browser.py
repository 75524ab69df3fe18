"""The calls of a checkout script about a payment before it confirms it (facts §1.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.kinds.base import DROPPED, FieldPlace, Loaded
from mock_server.contract.kinds.objects import Body, ObjectOf
from mock_server.contract.kinds.texts import Text
from mock_server.contract.kinds.values import Free, Instant
from mock_server.contract.requests.payments.methods import category, method_type
from mock_server.contract.requests.payments.parts import BrowserInfo, Contact
from mock_server.contract.requests.shapes import Shape
from mock_server.domain.commands import CardInput

_F: Final = "facts §1.1"
_SECRET: Final = "The payment's client secret."


class SessionBody(Body, source=_F):
    """Wallet whose session to start."""

    client_secret = Text(_SECRET)
    payment_method = category("", _F, required=True, example="wallet", place=DROPPED)
    payment_method_type = method_type("", _F, required=True, example="paypal", place=DROPPED)


def _card(data: Loaded) -> CardInput | None:
    """The card, of which the blocklist needs the number alone."""
    card = data.get("card")
    number = card.get("card_number") if isinstance(card, dict) else None
    return CardInput(number=number.replace(" ", ""), exp_month="", exp_year="") if isinstance(number, str) else None


class EligibilityBody(Body, source=_F):
    """Payment method to check."""

    client_secret = Text(_SECRET)
    payment_method_type = category("", _F, required=True, place=DROPPED)
    payment_method_subtype = method_type("", _F, place=DROPPED)
    payment_method_data = Free("Details of the payment method.", place=FieldPlace("card", write=_card))
    browser_info = ObjectOf(lambda: BrowserInfo, "The customer's browser. Accepted, but has no effect.", place=DROPPED)
    payment_token = Text("Token of a saved payment method. Accepted, but has no effect.", place=DROPPED)


class TaxBody(Body, source=_F):
    """Shipping address for the tax calculation."""

    client_secret = Text(_SECRET)
    shipping = ObjectOf(lambda: Contact, "Shipping address. Accepted, but has no effect.", place=DROPPED)
    payment_method_type = method_type("", _F, place=DROPPED)
    session_id = Text("Session ID of the wallet's script. Accepted, but has no effect.", place=DROPPED)


class LinkQuery(Body, source=_F):
    """Client secret of the payment link."""

    client_secret = Text(_SECRET)


class FilterBody(Body, source=_F):
    """Time range. All filter values are listed in any case."""

    start_time = Instant(place=DROPPED)
    end_time = Instant(place=DROPPED)


FILTER: Final[Shape[None]] = Shape(FilterBody, lambda loaded: None)
