"""The values of a payment body that the engine reads: methods without aliases, cards, payloads, customers, mandates."""

from __future__ import annotations

from typing import Final

from msgspec import convert

from mock_server.contract.kinds.base import Loaded, known_text, read_as
from mock_server.domain import commands, methods
from mock_server.domain.instants import parse
from mock_server.jsontext import canonical

_BESIDE: Final = ("billing", "card_token")
"""The fields of `payment_method_data` that are not methods."""
_FLAT: Final = {"crypto": "crypto_currency"}


def method_input(data: Loaded) -> commands.MethodInput | None:
    """The method in `payment_method_data`, in the interface's words; without a category if none was sent."""
    billing, card, token = data.get("billing"), data.get("card"), data.get("card_token") or {}
    billing = None if billing is None else known_text(billing)
    if card is not None:
        return commands.MethodInput(category="card", card=card_input(card), billing=billing)
    for group, payloads in data.items():
        if group not in _BESIDE and payloads is not None:
            return _payload_input(group, payloads, billing)
    holder = token.get("card_holder_name")
    return commands.MethodInput(category="", billing=billing, holder=holder) if billing or holder else None


def _payload_input(group: str, payloads: Loaded, billing: commands.JsonText | None) -> commands.MethodInput | None:
    if group in _FLAT:  # its fields stand directly under the group
        payloads = {_FLAT[group]: payloads}
    for name, given in payloads.items():
        row = methods.payload(group, name)
        if given is not None and row is not None:
            sent = {key: value for key, value in given.items() if value is not None}
            return commands.MethodInput(
                category=row.category, name=row.type, sent_as=name, payload=sent, billing=billing
            )
    return commands.MethodInput(category=group, billing=billing) if group == methods.BY_TYPE_ALONE else None


def card_input(card: Loaded) -> commands.CardInput:
    """The fields of a card that a charge needs."""
    return commands.CardInput(
        number=card["card_number"],
        exp_month=card["card_exp_month"],
        exp_year=card["card_exp_year"],
        cvc=card.get("card_cvc"),
        holder=card.get("card_holder_name"),
        nick_name=card.get("nick_name"),
    )


CUSTOMER: Final = read_as(lambda sent: convert(sent, commands.CustomerInput))
"""The customer of a payment, whose fields are named as they are sent."""


def mandate_input(mandate: Loaded) -> commands.MandateInput:
    """A mandate to create; a kind that is null beside the other is not there."""
    kinds, acceptance = mandate.get("mandate_type") or {}, mandate.get("customer_acceptance")
    sort = {name: limits for name, limits in kinds.items() if limits is not None} or kinds
    return commands.MandateInput(
        single_use=_bounds(sort.get("single_use")),
        multi_use=_bounds(sort.get("multi_use")),
        customer_acceptance=None if acceptance is None else known_text(acceptance),
        shown=canonical({**mandate, "mandate_type": sort or None}),
    )


_AS_CARD: Final = {
    "network_token": "card_number",
    "token_exp_month": "card_exp_month",
    "token_exp_year": "card_exp_year",
}


def recurring_input(details: Loaded) -> commands.RecurringInput:
    """The reference for a charge without the customer."""
    data = details["data"]
    if isinstance(data, str):
        return commands.RecurringInput(type=details["type"], data=data)
    if "network_token" in data:  # it is charged as its card
        data = {**data, **{of_card: data[of_token] for of_token, of_card in _AS_CARD.items()}}
    if "card_number" in data:
        return commands.RecurringInput(type=details["type"], card=card_input(data))
    return commands.RecurringInput(type=details["type"], data=data.get("processor_payment_token"))


def _bounds(bounds: Loaded | None) -> commands.MultiUse | None:
    if bounds is None:
        return None
    start, end = (None if text is None else parse(text) for text in (bounds["start_date"], bounds["end_date"]))
    return commands.MultiUse(amount=bounds["amount"], currency=bounds["currency"], start_date=start, end_date=end)
