"""The bodies of saved methods and the browser's keys (facts §1.4, §2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.requests.fields import (
    Amount,
    CallerId,
    Choice,
    Flag,
    Free,
    Items,
    Metadata,
    OneOrMany,
    Part,
    Text,
    Whole,
    country_code,
    currency_code,
)
from mock_server.contract.requests.payments import card as cards
from mock_server.contract.requests.payments import methods
from mock_server.contract.requests.payments.address import Contact
from mock_server.contract.requests.payments.consent import CustomerAcceptance
from mock_server.contract.requests.payments.payment import METHOD_WORDS, TYPE_WORDS
from mock_server.contract.requests.rules import Cross
from mock_server.contract.requests.schema import Body
from mock_server.domain.offers import SESSION_WALLETS

_F: Final = "facts §2.8"
_PAYOUT: Final = "For payouts, which are not modelled: taken, and changes nothing."
_CUSTOMER: Final = "cus_shopper_42"


_ALL: Final = "Taken; the list holds all there are."


class NothingBody(Body):
    """Nothing to say."""


class KeptCard(cards.CardDetails):
    """A card to be kept; its code is taken and kept by nobody."""

    card_cvc = cards.cvc()


class KeptData(Body):
    """What is kept: a card, or a payload that can be charged again."""

    card = Part(lambda: KeptCard, "A card.", source=_F)
    wallet = Part(lambda: methods.group_schema("wallet"), "A wallet's payload.", source=_F)
    bank_redirect = Part(lambda: methods.group_schema("bank_redirect"), "A bank account.", source=_F)
    billing = Part(lambda: Contact, "Address of the method's owner.", source=_F)

    crosses = (
        Cross(
            (),
            lambda data: sum(data.get(name) is not None for name in ("card", "wallet", "bank_redirect")) < 2,
            "must hold exactly one payment method",
        ),
    )


class MethodBody(Body):
    """A method to be kept for a customer; without data it is only reserved."""

    customer_id = CallerId("Whose it is; required to make one.", source=_F, example=_CUSTOMER)
    payment_method = Choice(METHOD_WORDS, "Category.", source=_F, example="card")
    payment_method_type = Choice(TYPE_WORDS, "Type, one of its category's.", source=_F, example="credit")
    payment_method_data = Part(lambda: KeptData, "What is kept.", source=_F)
    card = Part(lambda: KeptCard, "A card, in the public API's older place.", source=_F)
    billing = Part(lambda: Contact, "Address of the method's owner.", source=_F)
    metadata = Metadata("Up to 50 pairs of your own.", source=_F)
    network_transaction_id = Text("The network's reference of an earlier charge.", source=_F)
    customer_acceptance = Part(lambda: CustomerAcceptance, "The customer's agreement.", source="facts §8")
    client_secret = Text("From the browser: the method's client secret.", source="facts §1.4")
    payment_method_issuer = Text("Taken, and changes nothing.", source=_F)
    payment_method_issuer_code = Text("Taken, and changes nothing.", source=_F)
    card_network = Text("Taken; the number's own brand holds.", source=_F)
    bank_transfer = Free(_PAYOUT, source=_F)
    bank_transfer_data = Free(_PAYOUT, source=_F)
    wallet = Free(_PAYOUT, source=_F)

    crosses = (
        Cross(("card", "payment_method_data"), lambda body: False, "must not come beside payment_method_data", "card"),
    )


class CardUpdate(Body):
    """What may change of a saved card."""

    card_exp_month = cards.exp_month()
    card_exp_year = cards.exp_year()
    card_holder_name = cards.holder()
    nick_name = Text("The customer's own name for the card.", source=_F)
    card_network = Text("Taken; the number's own brand holds.", source=_F)
    card_issuer = Text("Taken, and changes nothing.", source=_F)
    last4_digits = Text("Taken, and changes nothing.", source=_F)
    issuer_country = Text("Taken, and changes nothing.", source=_F)
    issuer_country_code = Text("Taken, and changes nothing.", source=_F)


class MethodUpdate(Body):
    """A change of a saved method."""

    card = Part(lambda: CardUpdate, "The card's name, nickname or expiry.", source=_F)
    wallet = Free("Taken, and changes nothing.", source=_F)
    metadata = Metadata("Put in the place of what was there.", source="ours")
    client_secret = Text("From the browser: the method's client secret.", source="facts §1.4")


class EphemeralKeyBody(Body):
    """Whose key it shall be."""

    customer_id = CallerId("The customer.", required=True, source=_F, example=_CUSTOMER)


class SessionTokensBody(Body):
    """Which wallets the browser wants to show."""

    payment_id = CallerId("The payment.", required=True, source="facts §1.1", example="pay_order_1001")
    client_secret = Text("The payment's client secret.", source="facts §1.1")
    wallets = Items(Choice(SESSION_WALLETS), "Wallets; all of the profile's where none is named.", source="facts §1.1")
    merchant_connector_details = Free("Taken, and changes nothing.", source="facts §1.1")


class ClientQuery(Body):
    """What a browser shows to read a list."""

    client_secret = Text("The payment's client secret.", source="facts §1.4")
    accepted_countries = OneOrMany(country_code(), _ALL, source="facts §1.4", example="US")
    accepted_currencies = OneOrMany(currency_code(), _ALL, source="facts §1.4", example="USD")
    amount = Amount(_ALL, source="facts §1.4", example=6540)
    recurring_enabled = Flag(_ALL, source="facts §1.4", example=True)
    installment_payment_enabled = Flag(_ALL, source="facts §1.4", example=False)
    limit = Whole(_ALL, least=1, source="facts §1.4", example=10)
    card_networks = OneOrMany(Text(), _ALL, source="facts §1.4", example="Visa")


def mandate_filters(statuses: tuple[str, ...]) -> Mapping[str, OneOrMany]:
    """The filters by the engine's names; `statuses` are the dialect's words."""
    return {
        "status": OneOrMany(Choice(statuses), "Status.", source="interface §8.2", example="active"),
        "customer_id": OneOrMany(Text(), "Customer.", source="interface §8.2", example=_CUSTOMER),
        "payment_method_id": OneOrMany(Text(), "Saved method.", source="ours", example="pm_0123456789abcdefghij"),
    }
