"""The bodies of saved methods, ephemeral keys, session tokens and mandates (facts §1.4, §2.8)."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.kinds.base import DROPPED, Loaded, known_text, metadata_text, read_as
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany
from mock_server.contract.kinds.rules import Cross, one_of
from mock_server.contract.kinds.texts import CallerId, Choice, ListedName, Text, country_code, currency_code
from mock_server.contract.kinds.values import Amount, Flag, Free, Metadata, Whole
from mock_server.contract.requests.listing import LIMIT, StatusFilter, listing, moments
from mock_server.contract.requests.payments import methods
from mock_server.contract.requests.payments.consent import CustomerAcceptance
from mock_server.contract.requests.payments.inputs import method_input
from mock_server.contract.requests.payments.parts import Contact
from mock_server.contract.requests.shapes import Shape, asking
from mock_server.domain import limits
from mock_server.domain.customer import CreateMethod
from mock_server.domain.offers import SESSION_WALLETS, AskOffer
from mock_server.domain.statuses import MandateStatus

_F: Final = "facts §2.8"
_PAYOUT: Final = "For payouts, which the sandbox does not have. Accepted, but has no effect."
_CUSTOMER: Final = "cus_shopper_42"
_OMITS: Final = "Methods that no connector account accepts for it are omitted."
_ALL: Final = "Accepted, but has no effect on the list."


class KeptCardBody(methods.CardDetails):
    """A card to save. Its security code is accepted but not stored."""

    card_cvc = methods.card_cvc()


class KeptData(Body, source=_F):
    """Details to save: a card, or a payload that can be charged again."""

    card = ObjectOf(lambda: KeptCardBody, "A card.")
    wallet = ObjectOf(lambda: methods.group_schema("wallet"), "A wallet's payload.")
    bank_redirect = ObjectOf(lambda: methods.group_schema("bank_redirect"), "A bank account.")
    billing = ObjectOf(lambda: Contact, "Billing address.")

    crosses = (one_of(("card", "wallet", "bank_redirect"), methods.ONE_METHOD),)


class MethodBody(Body, source=_F):
    """A payment method to save for a customer. Without details it is only reserved."""

    customer_id = CallerId("ID of the customer; required to create a method.", example=_CUSTOMER)
    payment_method = methods.category("Category.", _F)
    payment_method_type = methods.method_type("Type within the category.", _F)
    payment_method_data = ObjectOf(lambda: KeptData, "Details of the method.", place=DROPPED)
    card = ObjectOf(lambda: KeptCardBody, "A card, in an older field of the public API.", place=DROPPED)
    billing = ObjectOf(lambda: Contact, "Billing address.", place=DROPPED)
    metadata = Metadata(place=read_as(metadata_text))
    network_transaction_id = Text("Network transaction ID of an earlier charge.")
    customer_acceptance = ObjectOf(
        lambda: CustomerAcceptance, "The customer's agreement.", source="facts §8", place=read_as(known_text)
    )
    client_secret = Text("Client secret of the method, in calls from the browser.", source="facts §1.4")
    payment_method_issuer = Text(place=DROPPED)
    payment_method_issuer_code = Text(place=DROPPED)
    card_network = ListedName(named="CardNetwork", place=DROPPED)
    bank_transfer = Free(_PAYOUT, place=DROPPED)
    bank_transfer_data = Free(_PAYOUT, place=DROPPED)
    wallet = Free(_PAYOUT, place=DROPPED)

    crosses = (
        Cross(
            ("card", "payment_method_data"),
            lambda body: False,
            "must not be sent together with payment_method_data",
            "card",
        ),
    )


_PLACES: Final = MethodBody.places()


class CardUpdate(Body, source=_F):
    """Changes to a saved card."""

    card_exp_month = methods.exp_month()
    card_exp_year = methods.exp_year()
    card_holder_name = methods.card_holder()
    nick_name = Text("Nickname that the customer gave the card.")
    card_network = ListedName(named="CardNetwork", place=DROPPED)
    card_issuer = Text(place=DROPPED)
    last4_digits = Text(place=DROPPED)
    issuer_country = Text(place=DROPPED)
    issuer_country_code = Text(place=DROPPED)


class MethodUpdate(Body, source=_F):
    """Changes to a saved payment method."""

    card = ObjectOf(lambda: CardUpdate, "New name, nickname or expiry of the card.")
    wallet = Free(place=DROPPED)
    metadata = Metadata("Replaces the previous value.", source="ours")
    client_secret = Text("Client secret of the method, in calls from the browser.", source="facts §1.4")


class EphemeralKeyBody(Body, source=_F):
    """Customer for whom the key is created."""

    customer_id = CallerId("ID of the customer.", required=True, example=_CUSTOMER)


class SessionTokensBody(Body, source="facts §1.1"):
    """Wallets that the browser wants to show."""

    payment_id = CallerId("ID of the payment.", required=True, example="pay_order_1001")
    client_secret = Text("Client secret of the payment.")
    wallets = Items(
        Choice(SESSION_WALLETS, named="PaymentMethodType", narrows=True),
        "Wallets. Defaults to all wallets of the profile.",
        source="facts §1.1",
        place=read_as(tuple),
    )
    merchant_connector_details = Free(place=DROPPED)


class ClientQuery(Body, source="facts §1.4"):
    """Client secret, in calls from the browser."""

    client_secret = Text("Client secret of the payment.")
    accepted_countries = OneOrMany(country_code(), _ALL, example="US", place=DROPPED)
    accepted_currencies = OneOrMany(currency_code(), _ALL, example="USD", place=DROPPED)
    amount = Amount(_ALL, example=6540, place=DROPPED)
    recurring_enabled = Flag(_ALL, example=True, place=DROPPED)
    installment_payment_enabled = Flag(_ALL, example=False, place=DROPPED)
    limit = LIMIT("Number of items to return.", most=limits.LIST_MAX, source="facts §1.4")
    card_networks = OneOrMany(methods.brand(), _ALL, example="Visa", place=DROPPED)


class OfferQuery(ClientQuery, source="facts §1.4"):
    """Filters for the available payment methods; values of the payment take precedence."""

    accepted_countries = OneOrMany(
        country_code(), f"Country, or any of several. {_OMITS}", example="US", place=read_as(tuple)
    )
    accepted_currencies = OneOrMany(
        currency_code(), f"Currency, or any of several. {_OMITS}", example="USD", place=read_as(tuple)
    )
    amount = Amount(f"Amount. {_OMITS}", example=6540)
    limit = Whole(_ALL, least=1, example=10, place=DROPPED)
    card_networks = OneOrMany(
        methods.brand(), "Card network, or several. Others are omitted.", example="Visa", place=read_as(tuple)
    )


def _create(loaded: Loaded) -> CreateMethod:
    """The command; a card and a billing address can stand in either of two fields of the public API."""
    data = loaded.get("payment_method_data") or {}
    card, billing = loaded.get("card") or data.get("card"), data.get("billing") or loaded.get("billing")
    given = method_input({**data, "card": card, "billing": billing})
    read, _, _ = _PLACES(loaded)
    address = billing and known_text(billing)
    return CreateMethod(**read, given=given if given is not None and given.category else None, billing=address)


def _update(loaded: Loaded) -> dict[str, Any]:
    card, metadata = loaded.get("card") or {}, loaded.get("metadata")
    changes = {
        "exp_month": card.get("card_exp_month"),
        "exp_year": card.get("card_exp_year"),
        "holder": card.get("card_holder_name"),
        "nick_name": card.get("nick_name"),
        "metadata": None if metadata is None else metadata_text(metadata),
    }
    sent = {name: value for name, value in changes.items() if value is not None}
    return {"client_secret": loaded.get("client_secret"), **sent}


CREATE: Final[Shape[CreateMethod]] = Shape(MethodBody, _create)
"""`POST /payment_methods` and `POST /payment_methods/{id}/save`."""
UPDATE: Final[Shape[dict[str, Any]]] = Shape(MethodUpdate, _update)
OFFER: Final[Shape[AskOffer]] = asking(OfferQuery, AskOffer)
MANDATES: Final = listing(
    "mandates.list",
    {
        "status": StatusFilter(MandateStatus, "Status.", "interface §8.2", "active"),
        "customer_id": OneOrMany(Text(), "Customer.", source="interface §8.2", example=_CUSTOMER),
        "connector": OneOrMany(Text(), "Connector of the first payment.", source="facts §1.4", example="stripe_test"),
        **moments("created_time", "facts §1.4"),
        "payment_method_id": OneOrMany(
            Text(), "ID of the saved payment method.", source="ours", example="pm_0123456789abcdefghij"
        ),
    },
)
"""`GET` and `POST /mandates/list`, and a customer's mandates."""
