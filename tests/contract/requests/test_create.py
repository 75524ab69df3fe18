"""The body of a create: what becomes of what was sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.domain.cards import CARDS
from mock_server.domain.commands import (
    CardInput,
    CustomerInput,
    MandateInput,
    MethodInput,
    MultiUse,
    PaymentRequest,
    RecurringInput,
)
from mock_server.domain.instants import parse
from mock_server.domain.methods import PAYLOADS
from tests.contract.requests.bodies import CARD, CONTACT, CREATE, FULL, LEAST, NOW_MS, spoiled, wrong

CONTACT_TEXT = (
    '{"address":{"line1":"1467 Harrison Street","line2":null,"line3":null,"city":"San Francisco","state":null,'
    '"zip":null,"country":"US","first_name":"Jane","last_name":null,"origin_zip":null},'
    '"phone":{"number":"5550100","country_code":"+1"},"email":"jane.doe@example.com"}'
)


def load(**more: Any) -> PaymentRequest:
    return CREATE.load({**LEAST, **more}, NOW_MS)


def test_the_least_body() -> None:
    kept: dict[str, Any] = {"amount": 6540, "currency": "USD"}
    assert load() == PaymentRequest(profile_id="pro_1", carried=kept, **kept)


def test_null_is_as_good_as_absent() -> None:
    optional = [name for name, field in CREATE.schema.load_fields.items() if not field.required]
    assert load(**dict.fromkeys(optional)) == load()


@pytest.mark.parametrize("key", ["billing", "shipping"])
def test_addresses_are_shown_whole_and_in_the_documented_order(key: str) -> None:
    turned = {name: CONTACT[name] for name in reversed(CONTACT)}
    assert load(**{key: turned}).echo == {key: CONTACT_TEXT}


def test_the_country_of_the_bill_is_known() -> None:
    assert load(billing=CONTACT).carried["billing_country"] == "US"
    assert load(billing={"address": {"country": None}}).carried["billing_country"] is None
    assert load(billing={"address": None}).carried["billing_country"] is None
    assert "billing_country" not in load(shipping=CONTACT).carried


def test_a_card() -> None:
    data = {"card": {**CARD, "card_network": "Visa", "nick_name": "Mine", "card_issuer": None}, "billing": CONTACT}
    assert load(payment_method_data=data).payment_method_data == MethodInput(
        category="card",
        card=CardInput(
            number="4242424242424242", exp_month="03", exp_year="2035", cvc="737", holder="Jane Doe", nick_name="Mine"
        ),
        billing=CONTACT_TEXT,
    )


@pytest.mark.parametrize("card", [card for card in CARDS if card.listed], ids=lambda card: card.name)
def test_every_card_of_the_table_is_a_card(card: Any) -> None:
    cvc = "1234" if card.brand == "AmericanExpress" else "123"
    sent = {**CARD, "card_number": card.number, "card_cvc": cvc}
    given = load(payment_method_data={"card": sent}).payment_method_data
    assert given is not None
    assert given.card is not None
    assert given.card.number == card.number


@pytest.mark.parametrize(
    ("month", "year", "good"), [("01", "2027", True), ("12", "2026", False), ("02", "2027", True), ("12", "9999", True)]
)
def test_a_card_holds_until_the_end_of_its_month(month: str, year: str, good: bool) -> None:
    body = spoiled("payment_method_data.card", {**CARD, "card_exp_month": month, "card_exp_year": year})
    if good:
        CREATE.load(body, NOW_MS)
    else:
        (error,) = wrong(CREATE, body)
        assert error.field == "payment_method_data.card.card_exp_year"
        assert "expired" in error.message


def test_the_workspaces_clock_decides_what_is_expired() -> None:
    body = {**LEAST, "payment_method_data": {"card": {**CARD, "card_exp_year": "2026"}}}
    assert CREATE.load(body, parse("2026-03-31T23:59:59Z")).payment_method_data
    assert len(wrong(CREATE, body)) == 1


@pytest.mark.parametrize("row", PAYLOADS, ids=lambda row: f"{row.group}.{row.name}")
def test_every_payload_becomes_the_interfaces_method(row: Any) -> None:
    payload = {"vpa_id": "success@upi"} if "vpa_id" in row.required else {"token": "t"} if row.fields is None else {}
    given = load(payment_method_data={row.group: {row.name: payload}}).payment_method_data
    assert given == MethodInput(category=row.category, name=row.type, sent_as=row.name, payload=payload)


@pytest.mark.parametrize(
    ("data", "given"),
    [
        ({}, None),
        ({"billing": CONTACT}, MethodInput(category="", billing=CONTACT_TEXT)),
        ({"card": None, "wallet": None}, None),
        ({"wallet": {}}, None),
        ({"voucher": {}}, None),
        ({"reward": {}}, MethodInput(category="reward")),
        ({"wallet": {"apple_pay": None, "google_pay": {"x": 1}}},
         MethodInput(category="wallet", name="google_pay", sent_as="google_pay", payload={"x": 1})),
        ({"bank_redirect": {"ideal": {"bank_name": "ing", "country": None}}},
         MethodInput(category="bank_redirect", name="ideal", sent_as="ideal", payload={"bank_name": "ing"})),
    ],
)  # fmt: skip
def test_method_data_at_its_edges(data: dict[str, Any], given: MethodInput | None) -> None:
    assert load(payment_method_data=data).payment_method_data == given


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"card": CARD, "wallet": {"paypal": {}}}, "payment_method_data"),
        ({"wallet": {"ali_pay": {}, "paypal": {}}}, "payment_method_data.wallet"),
        ({"upi": {"upi_collect": {"vpa_id": "a@b"}, "upi_intent": {}}}, "payment_method_data.upi"),
        ({"upi": {"upi_collect": {}}}, "payment_method_data.upi.upi_collect.vpa_id"),
        ({"wallet": {"apple_pay": "token"}}, "payment_method_data.wallet.apple_pay"),
        ({"wallet": {"apple_pie": {}}}, "payment_method_data.wallet.apple_pie"),
        ({"bank_redirect": {"ideal": {"country": "NLD"}}}, "payment_method_data.bank_redirect.ideal.country"),
        ({"bank_redirect": {"ideal": {"billing_details": {"email": "x"}}}},
         "payment_method_data.bank_redirect.ideal.billing_details.email"),
        ({"bank_redirect": {"bancontact_card": {"card_number": "4242"}}},
         "payment_method_data.bank_redirect.bancontact_card.card_number"),
        ({"bank_redirect": {"bancontact": {"card_exp_month": "01", "card_exp_year": "2020"}}},
         "payment_method_data.bank_redirect.bancontact.card_exp_year"),
        ({"bank_transfer": {"boleto": {"messages": "hello"}}}, "payment_method_data.bank_transfer.boleto.messages"),
        ({"bank_transfer": {"pix": {"pix_key": 1}}}, "payment_method_data.bank_transfer.pix.pix_key"),
        ({"pay_later": {"klarna": {"billing_country": "x"}}}, "payment_method_data.pay_later.klarna.billing_country"),
    ],
)  # fmt: skip
def test_method_data_that_is_wrong(data: dict[str, Any], path: str) -> None:
    assert [error.field for error in wrong(CREATE, {**LEAST, "payment_method_data": data})] == [path]


def test_wallet_payloads_are_free() -> None:
    payload = {"payment_data": "x" * 9_000, "payment_method": {"display_name": "Visa", "deep": [{"er": None}]}}
    given = load(payment_method_data={"wallet": {"apple_pay": payload}}).payment_method_data
    assert given is not None
    assert given.payload == payload


def test_customer_mandate_and_consent() -> None:
    request = CREATE.load(FULL, NOW_MS)
    acceptance = (
        '{"acceptance_type":"online","accepted_at":"2027-01-15T07:59:00Z",'
        '"online":{"ip_address":"203.0.113.7","user_agent":"Mozilla/5.0"}}'
    )
    bounds = MultiUse(amount=6540, currency="USD", start_date=parse("2027-01-15T00:00:00Z"))
    assert request.customer == CustomerInput(id="cus_1", name="Jane Doe", email="jane.doe@example.com")
    assert request.customer_acceptance == acceptance
    assert request.mandate_data == MandateInput(
        multi_use=bounds,
        customer_acceptance=acceptance,
        shown=f'{{"customer_acceptance":{acceptance},"mandate_type":{{"multi_use":{{"amount":6540,"currency":"USD",'
        '"start_date":"2027-01-15T00:00:00Z","end_date":null,"metadata":null}},"update_mandate_id":null}',
    )
    assert request.recurring_details == RecurringInput(type="mandate_id", data="man_1")


REFERENCED = {key: value for key, value in CARD.items() if key != "card_cvc"}
KEPT = CardInput(number="4242424242424242", exp_month="03", exp_year="2035", holder="Jane Doe")


@pytest.mark.parametrize(
    ("type_", "data", "made"),
    [
        ("payment_method_id", "pm_1", RecurringInput(type="payment_method_id", data="pm_1")),
        ("processor_payment_token", {"processor_payment_token": "tok 1"},
         RecurringInput(type="processor_payment_token", data="tok 1")),
        ("network_transaction_id_and_card_details", {**REFERENCED, "network_transaction_id": "1"},
         RecurringInput(type="network_transaction_id_and_card_details", card=KEPT)),
        ("card_with_limited_data", REFERENCED, RecurringInput(type="card_with_limited_data", card=KEPT)),
        ("network_transaction_id_and_network_token_details",
         {"network_token": "4242424242424242", "token_exp_month": "03", "token_exp_year": "2035",
          "network_transaction_id": "1", "card_holder_name": "Jane Doe"},
         RecurringInput(type="network_transaction_id_and_network_token_details", card=KEPT)),
        ("network_transaction_id_and_decrypted_wallet_token_details", {"decrypted": {}},
         RecurringInput(type="network_transaction_id_and_decrypted_wallet_token_details")),
    ],
)  # fmt: skip
def test_what_a_later_charge_is_made_with(type_: str, data: object, made: RecurringInput) -> None:
    assert load(recurring_details={"type": type_, "data": data}).recurring_details == made


@pytest.mark.parametrize(
    ("type_", "data", "path"),
    [
        ("mandate_id", {}, "recurring_details.data"),
        ("card_with_limited_data", "pm_1", "recurring_details.data"),
        ("card_with_limited_data", {**REFERENCED, "card_exp_year": "2020"}, "recurring_details.data.card_exp_year"),
        ("network_transaction_id_and_card_details", REFERENCED, "recurring_details.data.network_transaction_id"),
        ("processor_payment_token", {"token": "x", "processor_payment_token": "x"}, "recurring_details.data.token"),
    ],
)
def test_its_type_says_what_its_data_must_be(type_: str, data: object, path: str) -> None:
    body = {**LEAST, "recurring_details": {"type": type_, "data": data}}
    assert [error.field for error in wrong(CREATE, body)] == [path]


def test_a_mandate_is_of_one_kind() -> None:
    bounds = {"amount": 1, "currency": "USD"}
    body = spoiled("mandate_data.mandate_type", {"single_use": bounds, "multi_use": bounds})
    assert [error.field for error in wrong(CREATE, body)] == ["mandate_data.mandate_type"]


def test_echoed_values_are_json_texts_under_their_names() -> None:
    order = [{"amount": 1, "quantity": 2, "product_name": "Shirt", "tax_rate": 7.0}]
    request = load(description='a "b"\n', order_details=order, connector_metadata={"b": 1.0, "7": 1, "1": None})
    assert request.echo["description"] == '"a \\"b\\"\\n"'
    assert request.echo["order_details"].startswith(
        '[{"product_name":"Shirt","quantity":2,"amount":1,"tax_rate":7,"total_tax_amount":null,'
    )
    assert request.echo["connector_metadata"] == '{"1":null,"7":1,"b":1}'


def test_a_surcharge_is_counted_and_shown() -> None:
    request = load(surcharge_details={"surcharge_amount": 100})
    assert (request.surcharge_amount, request.surcharge_tax) == (100, 0), "it replaces one with a tax"
    assert request.echo["surcharge_details"] == '{"surcharge_amount":100,"tax_amount":null}'


def test_the_connectors_that_are_wanted_stay_in_their_order() -> None:
    assert load(connector=["one", "two"]).carried["wanted_connectors"] == ("one", "two")
    assert load(connector=[]).carried["wanted_connectors"] == ()


def test_empty_texts_are_allowed_where_no_form_is_asked() -> None:
    for name in ("description", "name", "phone", "statement_descriptor_suffix", "merchant_order_reference_id"):
        assert CREATE.load({**LEAST, name: ""}, NOW_MS).amount == 6540


def test_characters_are_counted_as_people_count_them() -> None:
    assert load(statement_descriptor_name="é" * 21 + "😀").echo["statement_descriptor_name"]
    assert load(merchant_order_reference_id="😀" * 255).carried["merchant_order_reference_id"] == "😀" * 255
    assert len(wrong(CREATE, {**LEAST, "merchant_order_reference_id": "😀" * 256})) == 1


@pytest.mark.parametrize("amount", [0, 1, 999_999_999])
def test_amounts_at_their_edges(amount: int) -> None:
    assert load(amount=amount).amount == amount


def test_the_full_body_holds_together() -> None:
    request = CREATE.load(FULL, NOW_MS)
    for name, text in request.echo.items():
        assert json.loads(text) is not None, name
    assert request.metadata == '{"order_id":"1001","count":42}'
    assert request.session_expiry == 900


def test_a_command_is_equal_to_one_made_by_hand_and_cannot_be_changed() -> None:
    request = load(name="Jane")
    kept: dict[str, Any] = {"amount": 6540, "currency": "USD", "customer_name": "Jane"}
    assert request == PaymentRequest(profile_id="pro_1", carried=kept, **kept)
    with pytest.raises(AttributeError):
        request.amount = 1  # type: ignore[misc]  # that is the point
