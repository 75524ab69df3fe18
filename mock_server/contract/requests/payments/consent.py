"""The customer's consent: acceptance, mandates and references for later charges (facts §8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Body, ObjectOf, ShownBody, Variant
from mock_server.contract.kinds.rules import Cross
from mock_server.contract.kinds.texts import CallerId, Choice, ListedName, Text, Timestamp, currency_code
from mock_server.contract.kinds.values import Amount, Free
from mock_server.contract.requests.payments.methods import CardDetails, PlainCard, card_holder, exp_month, exp_year
from mock_server.domain import limits

_F8: Final = "facts §8"


class OnlineAcceptance(ShownBody, source=_F8):
    """Where the customer gave consent."""

    ip_address = Text("The customer's IP address.", example="203.0.113.7")
    user_agent = Text("The customer's user agent.", most=2_048, example="Mozilla/5.0")


class CustomerAcceptance(ShownBody, source=_F8):
    """The customer's consent to later charges."""

    acceptance_type = Choice(("online", "offline"), "How consent was given.", required=True, example="online")
    accepted_at = Timestamp("When consent was given.", example="2026-01-31T09:05:00.000Z")
    online = ObjectOf(lambda: OnlineAcceptance, "Details of consent given online.")


class MandateAmount(ShownBody, source=_F8):
    """Limits of a mandate."""

    amount = Amount("Largest amount that can be charged.", required=True, example=6540)
    currency = currency_code("Currency of the amount.", required=True, example="USD")
    start_date = Timestamp("Start date.", example="2026-01-31T00:00:00.000Z")
    end_date = Timestamp("End date.", example="2027-01-31T00:00:00.000Z")
    metadata = Free("Anything.")


def _is_one_kind(sent: Mapping[str, Any]) -> bool:
    limited = [kind for kind, limits in sent.items() if limits is not None]
    return len(limited) == 1 or [*sent] == ["multi_use"]


class MandateType(Body, source=_F8):
    """One kind of mandate; that for several uses can be without limits, as null."""

    crosses = (Cross((), _is_one_kind, "must hold one of single_use and multi_use"),)

    single_use = ObjectOf(lambda: MandateAmount, "One later charge.")
    multi_use = ObjectOf(lambda: MandateAmount, "Any number of later charges.")


class MandateData(ShownBody, source=_F8):
    """`mandate_data`: creates a mandate."""

    customer_acceptance = ObjectOf(lambda: CustomerAcceptance, "The customer's acceptance.")
    mandate_type = ObjectOf(lambda: MandateType, "Kind of mandate, and its limits.")
    update_mandate_id = Text("Mandate that gets a new payment method.", most=limits.MANDATE_ID)


class ProcessorToken(Body, source=_F8):
    """A token of another processor."""

    processor_payment_token = Text("The token.", required=True)
    merchant_connector_id = Text("Connector account that issued the token.")


class CardWithReference(CardDetails, source=_F8):
    """A card and the network transaction id of the initial charge."""

    network_transaction_id = Text("The network's transaction ID.", required=True)


class TokenWithReference(Body, source=_F8):
    """A network token and the network transaction id."""

    network_token = Text("The token.", required=True)
    token_exp_month = exp_month(required=True)
    token_exp_year = exp_year(required=True)
    network_transaction_id = Text("The network's transaction ID.", required=True)
    card_network = ListedName("Brand.", named="CardNetwork")
    card_issuer = Text("Issuing bank.")
    card_type = Text("Credit or debit.")
    card_issuing_country = Text("Country of the issuing bank.")
    bank_code = Text("Code of the issuing bank.")
    card_holder_name = card_holder()
    nick_name = Text("Nickname that the customer gave the card.")
    eci = Text("Electronic commerce indicator.")


class LimitedCard(PlainCard, source=_F8):
    """A card without further references."""

    eci = Text("Electronic commerce indicator.")


_NEEDED: Final[dict[str, Any]] = {"required": True, "source": _F8}
_REFERENCES: Final[Mapping[str, tuple[str, str, FieldKind]]] = {
    "processor_payment_token": (
        "RecurringToken", "By another processor's token.",
        ObjectOf(lambda: ProcessorToken, "The token.", **_NEEDED),
    ),
    "network_transaction_id_and_card_details": (
        "RecurringCard", "By a card and the network's reference.",
        ObjectOf(lambda: CardWithReference, "The card.", **_NEEDED),
    ),
    "network_transaction_id_and_network_token_details": (
        "RecurringNetworkToken", "By a network token and the network's reference.",
        ObjectOf(lambda: TokenWithReference, "The token.", **_NEEDED),
    ),
    "network_transaction_id_and_decrypted_wallet_token_details": (
        "RecurringWallet", "By what a wallet's token held.",
        Free("The decrypted token.", **_NEEDED),
    ),
    "card_with_limited_data": (
        "RecurringLimitedCard", "By a card alone.",
        ObjectOf(lambda: LimitedCard, "The card.", **_NEEDED),
    ),
}  # fmt: skip
"""The kinds of references that are no id: the name of the shape, what it is, and its data."""


class RecurringId(Body, source=_F8):
    """By the id of a mandate or of a saved method, or of no known kind."""

    type = Choice(
        ("mandate_id", "payment_method_id", *_REFERENCES), "What to charge.", required=True, example="mandate_id"
    )
    data = CallerId("The ID.", required=True, example="man_0123456789abcdefghij")


def _reference(name: str, about: str, data: FieldKind) -> Callable[[], type[Body]]:
    shape = type(name, (RecurringId,), {"__doc__": about, "data": data})
    return lambda: shape


def recurring_reference(says: str, **more: Any) -> Variant:
    """`recurring_details`: its `type` says what its `data` is."""
    variants = {kind: _reference(*row) for kind, row in _REFERENCES.items()}
    return Variant("type", variants, lambda: RecurringId, says, **more)
