"""A payment shows of its method what the public API shows: each member that was sent and answers have (facts §2.2).

Every payload with known fields, one field at a time; and the wallets, whose payloads are free, with what SDKs send.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.domain.methods import ALL_METHODS, PAYLOADS, PUBLIC_PAYLOADS, Payload, public_words
from tests.wire import Wire

VALUES: Final = {
    "bank_name": "ing",
    "billing_details": {"billing_name": "Jo Doe", "email": "jo@example.com"},
    "billing_country": "DE",
    "billing_email": "jo@example.com",
    "card_exp_month": "03",
    "card_exp_year": "2035",
    "card_number": "4242424242424242",
    "country": "DE",
    "email": "jo@example.com",
    "messages": ["a line"],
    "vpa_id": "successful@bank",
    "upi_source": "UPI_CC",
    "bank_type": "checking",
    "document_type": "cpf",
}
SECRET: Final = "".join(map(str, range(4))) * 8


def wallet(name: str, payload: dict[str, Any], **shown: str) -> Any:
    return pytest.param(name, payload, shown, id=f"{name} {next(iter(payload))}")


WALLETS: Final = (
    wallet(
        "google_pay",
        {
            "type": "CARD",
            "description": "Visa 1111",
            "info": {"card_network": "VISA", "card_details": "1111"},
            "tokenization_data": {"type": "PAYMENT_GATEWAY", "token": SECRET},
        },
        last4="1111",
        card_network="VISA",
        type="CARD",
    ),
    wallet(
        "apple_pay",
        {
            "payment_data": SECRET,
            "payment_method": {"display_name": "Visa 0492", "network": "Visa", "type": "debit"},
            "transaction_identifier": "id",
        },
        last4="0492",
        card_network="Visa",
        type="debit",
    ),
    wallet(
        "samsung_pay",
        {
            "payment_credential": {
                "method": "3DS",
                "card_brand": "visa",
                "card_last4digits": "1234",
                "3_d_s": {"type": "S", "version": "100", "data": SECRET},
            }
        },
        last4="1234",
        card_network="visa",
    ),
    wallet(
        "samsung_pay",
        {
            "payment_credential": {
                "3_d_s": {"type": "S", "version": "100", "data": SECRET},
                "payment_card_brand": "mastercard",
                "payment_currency_type": "USD",
                "payment_last4_dpan": "9876",
                "payment_last4_fpan": "5678",
            }
        },
        last4="5678",
        card_network="mastercard",
    ),
)


def paid(api: Wire, category: str, type_: str, group: str, data: object) -> Any:
    category, type_ = (word or "" for word in public_words(category, type_))
    reply = api.post(
        "/payments",
        {
            "amount": 6540,
            "currency": "EUR",
            "confirm": True,
            "return_url": "https://shop.example.com",
            "email": "jo@example.com",
            "billing": {"address": {"country": "DE"}},
            "customer_id": "cus_jo",
            "payment_method": category,
            "payment_method_type": type_,
            "payment_method_data": {group: data},
        },
    )
    assert reply.status == 200, reply.raw
    assert SECRET not in reply.raw.decode()
    return reply["payment_method_data"]


@pytest.mark.parametrize(("name", "payload", "shown"), WALLETS)
def test_a_wallet_shows_its_card(api: Wire, name: str, payload: dict[str, Any], shown: dict[str, str]) -> None:
    found = paid(api, "wallet", name, "wallet", {name: payload})["wallet"][name]
    assert shown.items() <= found.items()


NOT_KEPT: Final = {"card_exp_month", "card_exp_year"}
"""Of a card that is no payment by card, only the last four digits and the holder are kept (ours)."""


def members() -> Iterator[tuple[Payload, str]]:
    for row in (*PAYLOADS, *PUBLIC_PAYLOADS):
        yield from ((row, field) for field in row.fields or () if field not in NOT_KEPT)


def nodes(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield key, member
            yield from nodes(member)


@pytest.mark.parametrize(
    ("row", "field"), [pytest.param(*row, id=f"{row[0].group} {row[0].name} {row[1]}") for row in members()]
)
def test_a_member_that_answers_have_is_filled_with_what_was_sent(api: Wire, row: Payload, field: str) -> None:
    payload = {name: VALUES.get(name, "12345678909") for name in {*row.required, field}}
    flat = row.group == "crypto"
    data = paid(api, row.category, row.type, row.group, payload if flat else {row.name: payload})
    left = [key for key, value in nodes(data[public_words(row.category, row.type)[0] or ""]) if value is None]
    assert field not in left


TYPES: Final = sorted({str(public_words(row.category, row.type)[1]) for row in ALL_METHODS})


@pytest.mark.parametrize("word", TYPES)
def test_a_type_that_a_payment_allows_is_the_only_one_offered(api: Wire, word: str) -> None:
    body = {"amount": 6540, "allowed_payment_method_types": [word]}
    currencies = {
        row.currencies[:1] or ("USD",) for row in ALL_METHODS if public_words(row.category, row.type)[1] == word
    }
    for (currency,) in currencies:
        payment = api.post("/payments", {**body, "currency": currency})
        groups = api.page().get(f"/account/payment_methods?client_secret={payment['client_secret']}")["payment_methods"]
        offered = [
            (row["payment_method"], one["payment_method_type"]) for row in groups for one in row["payment_method_types"]
        ]
        assert {type_ for _, type_ in offered} <= {word}
        assert len(offered) <= len([row for row in ALL_METHODS if public_words(row.category, row.type)[1] == word])


REQUIRED: Final = {
    "ach_bank_debit": "account_number routing_number",
    "bacs_bank_debit": "account_number sort_code",
    "becs_bank_debit": "account_number bsb_number",
    "sepa_bank_debit": "iban",
    "sepa_guarenteed_bank_debit": "iban",
    "eft_debit_order": "account_number",
}


@pytest.mark.parametrize("name", REQUIRED)
def test_a_bank_debit_needs_only_its_account(api: Wire, name: str) -> None:
    (row,) = (row for row in PUBLIC_PAYLOADS if row.name == name)
    paid(api, row.category, row.type, row.group, {name: dict.fromkeys(REQUIRED[name].split(), "12345678")})


def test_a_reserved_method_has_none_yet(api: Wire) -> None:
    api.post("/customers", {"customer_id": "cus_jo"})
    assert api.post("/payment_methods", {"customer_id": "cus_jo"})["payment_method"] is None
