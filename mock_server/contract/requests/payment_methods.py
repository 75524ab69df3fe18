"""The bodies of saved methods and the browser's keys (facts §1.4, §2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany
from mock_server.contract.kinds.places import DROPPED, Loaded, known_text, metadata_text, read_as
from mock_server.contract.kinds.rules import Cross
from mock_server.contract.kinds.texts import CallerId, Choice, Text, country_code, currency_code
from mock_server.contract.kinds.values import Amount, Flag, Free, Metadata, Whole
from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.payments.consent import CustomerAcceptance
from mock_server.contract.requests.payments.inputs import card_input, category, method_input, method_type
from mock_server.contract.requests.payments.methods import (
    METHOD_WORDS,
    OTHER_METHODS,
    OTHER_TYPES,
    TYPE_WORDS,
    CardDetails,
    card_cvc,
    card_holder,
    exp_month,
    exp_year,
    group_schema,
)
from mock_server.contract.requests.payments.parts import Contact
from mock_server.contract.requests.shapes import Shape, asking
from mock_server.domain.commands import MethodInput
from mock_server.domain.errors import Cause
from mock_server.domain.offers import SESSION_WALLETS, AskOffer, AskSessionTokens
from mock_server.domain.paging import Query
from mock_server.domain.payment_method import CreateMethod, UpdateMethod

_F: Final = "facts §2.8"
_PAYOUT: Final = "For payouts, which are not modelled: taken, and changes nothing."
_CUSTOMER: Final = "cus_shopper_42"


_NARROWS: Final = "Methods that no connector account takes for it are left out."
_ALL: Final = "Taken; the list holds all there are."


class KeptCardBody(CardDetails):
    """A card to be kept; its code is taken and kept by nobody."""

    card_cvc = card_cvc()


class KeptData(Body):
    """What is kept: a card, or a payload that can be charged again."""

    card = ObjectOf(lambda: KeptCardBody, "A card.", source=_F)
    wallet = ObjectOf(lambda: group_schema("wallet"), "A wallet's payload.", source=_F)
    bank_redirect = ObjectOf(lambda: group_schema("bank_redirect"), "A bank account.", source=_F)
    billing = ObjectOf(lambda: Contact, "Address of the method's owner.", source=_F)

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
    payment_method = Choice(
        METHOD_WORDS, "Category.", others=OTHER_METHODS, source=_F, example="card", place=read_as(category)
    )
    payment_method_type = Choice(
        TYPE_WORDS,
        "Type, one of its category's.",
        others=OTHER_TYPES,
        source=_F,
        example="credit",
        place=read_as(method_type),
    )
    payment_method_data = ObjectOf(lambda: KeptData, "What is kept.", source=_F, place=DROPPED)
    card = ObjectOf(lambda: KeptCardBody, "A card, in the public API's older place.", source=_F, place=DROPPED)
    billing = ObjectOf(lambda: Contact, "Address of the method's owner.", source=_F, place=DROPPED)
    metadata = Metadata("Up to 50 pairs of your own.", source=_F, place=read_as(metadata_text))
    network_transaction_id = Text("The network's reference of an earlier charge.", source=_F)
    customer_acceptance = ObjectOf(
        lambda: CustomerAcceptance, "The customer's agreement.", source="facts §8", place=read_as(known_text)
    )
    client_secret = Text("From the browser: the method's client secret.", source="facts §1.4")
    payment_method_issuer = Text("Taken, and changes nothing.", source=_F, place=DROPPED)
    payment_method_issuer_code = Text("Taken, and changes nothing.", source=_F, place=DROPPED)
    card_network = Text("Taken; the number's own brand holds.", source=_F, place=DROPPED)
    bank_transfer = Free(_PAYOUT, source=_F, place=DROPPED)
    bank_transfer_data = Free(_PAYOUT, source=_F, place=DROPPED)
    wallet = Free(_PAYOUT, source=_F, place=DROPPED)

    crosses = (
        Cross(("card", "payment_method_data"), lambda body: False, "must not come beside payment_method_data", "card"),
    )


_PLACES: Final = MethodBody.places()


class CardUpdate(Body):
    """What may change of a saved card."""

    card_exp_month = exp_month()
    card_exp_year = exp_year()
    card_holder_name = card_holder()
    nick_name = Text("The customer's own name for the card.", source=_F)
    card_network = Text("Taken; the number's own brand holds.", source=_F)
    card_issuer = Text("Taken, and changes nothing.", source=_F)
    last4_digits = Text("Taken, and changes nothing.", source=_F)
    issuer_country = Text("Taken, and changes nothing.", source=_F)
    issuer_country_code = Text("Taken, and changes nothing.", source=_F)


class MethodUpdate(Body):
    """A change of a saved method."""

    card = ObjectOf(lambda: CardUpdate, "The card's name, nickname or expiry.", source=_F)
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
    wallets = Items(
        Choice(SESSION_WALLETS),
        "Wallets; all of the profile's where none is named.",
        source="facts §1.1",
        place=read_as(tuple),
    )
    merchant_connector_details = Free("Taken, and changes nothing.", source="facts §1.1", place=DROPPED)


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


class OfferQuery(ClientQuery):
    """The same for the methods on offer; what a payment says of itself goes before."""

    accepted_countries = OneOrMany(country_code(), _NARROWS, source="facts §1.4", example="US")
    accepted_currencies = OneOrMany(currency_code(), _NARROWS, source="facts §1.4", example="USD")
    amount = Amount(_NARROWS, source="facts §1.4", example=6540)
    card_networks = OneOrMany(Text(), _NARROWS, source="facts §1.4", example="Visa")


def _mandate_filters(statuses: tuple[str, ...]) -> dict[str, FieldKind]:
    """The filters by the engine's names; `statuses` are the dialect's words."""
    return {
        "status": OneOrMany(Choice(statuses), "Status.", source="interface §8.2", example="active"),
        "customer_id": OneOrMany(Text(), "Customer.", source="interface §8.2", example=_CUSTOMER),
        "payment_method_id": OneOrMany(Text(), "Saved method.", source="ours", example="pm_0123456789abcdefghij"),
    }


def _create(loaded: Loaded) -> CreateMethod:
    given, billing = _given(loaded), loaded.get("billing")
    if given is not None and billing is not None and given.billing is None:
        given = structs.replace(given, billing=known_text(billing))
    nick_name = given.card.nick_name if given is not None and given.card is not None else None
    read, _, _ = _PLACES(loaded)
    return CreateMethod(**read, given=given, nick_name=nick_name)


def _given(loaded: Loaded) -> MethodInput | None:
    """The data, under either of the places that the public API has for a card."""
    card = loaded.get("card")
    if card is not None:
        return MethodInput(category="card", card=card_input(card))
    data = loaded.get("payment_method_data")
    return None if data is None else method_input(data)


def _update(loaded: Loaded) -> UpdateMethod:
    card, metadata = loaded.get("card") or {}, loaded.get("metadata")
    return UpdateMethod(
        exp_month=card.get("card_exp_month"),
        exp_year=card.get("card_exp_year"),
        holder=card.get("card_holder_name"),
        nick_name=card.get("nick_name"),
        metadata=None if metadata is None else metadata_text(metadata),
        client_secret=loaded.get("client_secret"),
    )


CREATE: Final[Shape[CreateMethod]] = Shape(MethodBody, _create)
"""`POST /payment_methods`."""
SAVE: Final[Shape[CreateMethod]] = Shape(MethodBody, _create)
"""`POST /payment_methods/{id}/save`."""
UPDATE: Final[Shape[UpdateMethod]] = Shape(MethodUpdate, _update)
EPHEMERAL_KEY: Final[Shape[str]] = Shape(EphemeralKeyBody, lambda loaded: str(loaded["customer_id"]))
SESSION_TOKENS: Final[Shape[AskSessionTokens]] = asking(SessionTokensBody, AskSessionTokens)
CLIENT: Final[Shape[str | None]] = Shape(
    ClientQuery, lambda loaded: loaded.get("client_secret"), Cause.UNKNOWN_PARAMETER
)
"""The query of the list that a browser reads of what was saved."""


def _offer(loaded: Loaded) -> AskOffer:
    """What is asked for; everything else is taken, and changes nothing."""
    lists = ("accepted_countries", "accepted_currencies", "card_networks")
    found = {name: tuple(loaded.get(name) or ()) for name in lists}
    return AskOffer(loaded.get("client_secret"), amount=loaded.get("amount"), **found)


OFFER: Final[Shape[AskOffer]] = Shape(OfferQuery, _offer, Cause.UNKNOWN_PARAMETER)


def mandates_list(statuses: Mapping[str, object], names: Mapping[str, str]) -> Shape[Query]:
    """`GET` and `POST /mandates/list`, and a customer's mandates.

    `statuses` gives the engine's status for every word of the dialect, `names` the wire's name of a parameter.
    """
    return listing(_mandate_filters(tuple(statuses)), names, {"status": statuses})
