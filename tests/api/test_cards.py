"""Every card of the table, charged over HTTP (decisions "Cards", facts §7)."""

from __future__ import annotations

import re

import pytest

from mock_server.domain import declines
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS, Card
from mock_server.domain.issuer import Authenticates, Lookup
from mock_server.domain.outcomes import OutcomeStatus
from tests.wire import Wire, card_payment, wire

STATUS = {
    OutcomeStatus.SUCCEEDED: "succeeded",
    OutcomeStatus.FAILED: "failed",
    OutcomeStatus.PENDING: "pending",
    OutcomeStatus.REQUIRES_MERCHANT_ACTION: "requires_merchant_action",
    OutcomeStatus.PARTIALLY_AUTHORIZED: "partially_authorized_and_requires_capture",
}
SILENT = {Lookup.AUTHENTICATED, Lookup.ATTEMPTED}
REFUSED = {Lookup.REJECTED, Lookup.UNAVAILABLE}
ASKS_BY_ITSELF = {Authenticates.REQUIRED, Authenticates.UNLESS_SET_UP, Authenticates.ALWAYS}

ENDS = {
    "declined": "failed",
    "succeeded": "succeeded",
    "held for review": "requires_merchant_action",
    "approved": "partially_authorized_and_requires_capture",
}
"""How sentences begin, and the status."""

each_card = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)


def expected(card: Card) -> str:
    """Where an ordinary charge of a card ends, read from its row by this file's own few lines."""
    if card.issuer.authenticates in ASKS_BY_ITSELF:
        if card.issuer.lookup in REFUSED:
            return "failed"
        if card.issuer.lookup not in SILENT:
            return "requires_action"
    return STATUS[card.issuer.says.word]


def told(card: Card, *, is_asked: bool) -> str:
    """Where a charge ends by the sentence of the card's table, with or without a request for 3-D Secure."""
    plain, _, on_request = card_effect(card.issuer).partition("; 3-D Secure on request")
    effect = "3-D Secure" + on_request if is_asked and on_request else plain
    asks, _, then = effect.partition(", then ")
    if effect.startswith("3-D Secure"):
        if not any(words in asks for words in ("without a challenge", "service down")):
            return "requires_action"
        effect = then
    elif is_asked and not effect.startswith("declined") and "; no 3-D Secure" not in effect:
        return "requires_action"
    said = re.split("[,;:]", effect.removeprefix("50% ").removeprefix("10% "))[0]
    return next((status for start, status in ENDS.items() if said.startswith(start)), said)


@each_card
def test_a_charge_ends_as_the_row_says_and_names_the_card(api: Wire, card: Card) -> None:
    reply = api.pay(card.number, enable_partial_authorization=True)
    assert (reply.status, reply["status"]) == (200, expected(card)), reply.raw
    assert told(card, is_asked=False) == reply["status"]
    assert card.name in reply.headers["X-Sandbox-Because"]
    shown = reply["payment_method_data"]["card"]
    assert (shown["last4"], shown["brand"], shown["card_isin"]) == (card.number[-4:], card.brand, card.number[:6])


@pytest.mark.parametrize(
    "card", [card for card in CARDS if card.issuer.says.word is OutcomeStatus.FAILED], ids=lambda c: c.name
)
def test_a_decline_is_no_error_and_explains_itself(api: Wire, card: Card) -> None:
    reply = api.pay(card.number, authentication_type="no_three_ds")
    row = declines.find(card.issuer.says.decline or "")
    assert row is not None
    if card.issuer.authenticates is Authenticates.ALWAYS:
        return
    assert (reply.status, reply["status"]) == (200, "failed")
    assert (reply["error_code"], reply["error_message"]) == (row.error_code, row.error_message)
    assert (reply["unified_code"], reply["unified_message"]) == (
        row.standard.unified.code,
        row.standard.unified.message,
    )
    details = reply["error_details"]
    assert details["unified_details"]["standardised_code"] == row.standard.code
    assert details["connector_details"]["reason"] == row.name
    assert reply["amount_received"] is None
    assert reply["amount_capturable"] == 0


@each_card
def test_three_ds_can_be_asked_of_every_card_that_knows_it(api: Wire, card: Card) -> None:
    reply = api.pay(card.number, authentication_type="three_ds", enable_partial_authorization=True)
    knows = card.issuer.authenticates is not Authenticates.NEVER and card.issuer.lookup is Lookup.CHALLENGE
    assert (reply["status"] == "requires_action") is knows
    assert told(card, is_asked=True) == reply["status"]


@each_card
def test_no_three_ds_leaves_a_challenge_only_where_the_card_always_has_one(api: Wire, card: Card) -> None:
    reply = api.pay(card.number, authentication_type="no_three_ds", enable_partial_authorization=True)
    always = card.issuer.authenticates is Authenticates.ALWAYS and card.issuer.lookup is Lookup.CHALLENGE
    assert (reply["status"] == "requires_action") is always


def test_a_number_that_is_none_is_refused(api: Wire) -> None:
    reply = api.post("/payments", card_payment("4242424242424241"))
    assert (reply.status, reply.error["code"]) == (400, "IR_04")
    assert reply.error["fields"][0]["field"] == "payment_method_data.card.card_number"


@pytest.mark.parametrize(
    ("setting", "status", "code"), [("succeed", "succeeded", None), ("decline", "failed", "DC_04")]
)
def test_a_number_outside_the_table(setting: str, status: str, code: str | None) -> None:
    reply = wire(unknown_cards=setting).pay("4929000000006")
    assert (reply["status"], reply["error_code"]) == (status, code)
    assert "not a test card" in reply.headers["X-Sandbox-Because"]


def test_a_partial_approval_is_a_decline_where_nobody_asked_for_it(api: Wire) -> None:
    reply = api.pay("visa_partial_authorization")
    assert (reply["status"], reply["error_message"]) == ("failed", "Payment declined: insufficient funds")


@pytest.mark.parametrize("card", [card for card in CARDS if expected(card) == "pending"], ids=lambda card: card.name)
def test_only_a_connector_that_was_late_answers_when_asked(api: Wire, card: Card) -> None:
    payment = api.pay(card.number)
    asked = api.get(f"/payments/{payment['payment_id']}?force_sync=true")
    assert (asked["status"] != "pending") is card.issuer.on_sync, asked.raw
