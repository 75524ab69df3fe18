"""The payment methods that only the public dialect offers, and their data (public schemas; the flows are ours).

Currencies and countries are those in which each method is used; a method that names none is offered everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS
from mock_server.domain.method_kinds import Flow, Method, Need, Payload

_TIMES: Final = {
    Flow.CHARGE: 10 * HOUR_MS,
    Flow.REDIRECT: 10 * HOUR_MS,
    Flow.QR_CODE: HOUR_MS,
    Flow.VOUCHER: 7 * DAY_MS,
    Flow.BANK_TRANSFER: 7 * DAY_MS,
    Flow.DEBIT: 7 * DAY_MS,
}
_LATER: Final = (Flow.VOUCHER, Flow.BANK_TRANSFER, Flow.DEBIT)
"""Flows whose money arrives some time after the customer has paid."""
_SOURCE: Final = "public schemas"
_NEEDS: Final = {"pay_later": (Need.EMAIL, Need.BILLING_COUNTRY)}


def _needs(category: str, flow: Flow) -> tuple[Need, ...]:
    """What the interface's methods of the category need."""
    to_a_bank = flow is Flow.REDIRECT and category in ("bank_redirect", "card_redirect")
    return (Need.RETURN_URL,) if to_a_bank else _NEEDS.get(category, ())


_R, _QR, _V, _T = Flow.REDIRECT, Flow.QR_CODE, Flow.VOUCHER, Flow.BANK_TRANSFER
_W, _C, _D, _O = Flow.WAIT_SCREEN, Flow.CHARGE, Flow.DEBIT, Flow.CODE

# ruff: noqa: E501 — one row, one line
# fmt: off
_ROWS: Final[tuple[tuple[str, Flow, str, str, str, str], ...]] = (
    ("wallet", _R, "{}_redirect", "", "", """
        ali_pay_hk HKD HK | bluecode EUR AT,DE,IT | dana IDR ID | gcash PHP PH | go_pay IDR ID |
        kakao_pay KRW KR | mobile_pay DKK,EUR,NOK,SEK DK,FI | momo VND VN | touch_n_go MYR MY | twint CHF CH |
        vipps NOK NO
    """),
    ("wallet", _C, "{}", "checkout_session_id", "", "amazon_pay EUR,GBP,JPY,USD *"),
    ("wallet", _QR, "{}_qr", "", "", "cashapp USD US | swish SEK SE"),
    ("wallet", _W, "{}_redirect", "", "telephone_number", "mb_way EUR PT"),
    ("wallet", _R, "{}", "date_of_birth", "language_preference", "mifinity * *"),
    ("wallet", _R, "{}", "", "", "paysera EUR * | revolut_pay EUR,GBP * | skrill * *"),
    ("wallet", _C, "{}", "complete_response", "", "paze USD US"),
    ("pay_later", _R, "{}_redirect", "", "", """
        alma EUR BE,DE,ES,FR,IT,NL,PT | atome MYR,SGD MY,SG | breadpay USD US | flexiti CAD CA |
        pay_bright CAD CA | payjustnow ZAR ZA | walley DKK,EUR,NOK,SEK DK,FI,NO,SE
    """),
    ("bank_redirect", _R, "{}", "", "", "bizum EUR ES | local_bank_redirect CNY CN | open_banking EUR,GBP *"),
    ("bank_redirect", _W, "{}", "", "blik_code", "blik PLN PL"),
    ("bank_redirect", _R, "{}", "provider", "", "eft ZAR ZA"),
    ("bank_redirect", _R, "{}", "", "country email", "interac CAD CA"),
    ("bank_redirect", _R, "{}", "issuer", "", """
        online_banking_czech_republic CZK,EUR CZ | online_banking_fpx MYR MY | online_banking_poland PLN PL |
        online_banking_slovakia EUR SK | online_banking_thailand THB TH
    """),
    ("bank_redirect", _R, "{}", "", "email", "online_banking_finland EUR FI"),
    ("bank_redirect", _R, "{}", "issuer country", "", "open_banking_uk GBP GB"),
    ("bank_redirect", _R, "{}", "", "bank_name billing_details", "przelewy24 EUR,PLN PL"),
    ("bank_redirect", _R, "{}", "", "country", "trustly DKK,EUR,GBP,NOK,SEK AT,DE,DK,EE,ES,FI,GB,LT,LV,NL,NO,SE"),
    ("card_redirect", _R, "{}", "", "", "benefit BHD BH | card_redirect * * | knet KWD KW | momo_atm VND VN"),
    ("bank_debit", _D, "{}_bank_debit", "account_number routing_number bank_account_holder_name bank_name bank_type bank_holder_type", "billing_details", "ach USD US"),
    ("bank_debit", _D, "{}_bank_debit", "account_number sort_code bank_account_holder_name", "billing_details", "bacs GBP GB"),
    ("bank_debit", _D, "{}_bank_debit", "account_number bsb_number", "bank_account_holder_name billing_details", "becs AUD AU"),
    ("bank_debit", _D, "{}", "account_number", "branch_code bank_account_holder_name bank_name bank_type billing_details", "eft_debit_order ZAR ZA"),
    ("bank_debit", _D, "{}_bank_debit", "iban bank_account_holder_name", "billing_details", "sepa EUR AT,BE,DE,ES,FI,FR,IE,IT,LU,NL,PT"),
    ("bank_debit", _D, "sepa_guarenteed_bank_debit", "iban bank_account_holder_name", "billing_details", "sepa_guarenteed_debit EUR AT,CH,DE"),
    ("bank_transfer", _T, "{}", "", "billing_details", "bca_bank_transfer IDR ID | permata_bank_transfer IDR ID"),
    ("bank_transfer", _T, "{}_bank_transfer", "", "billing_details", "bni_va IDR ID | bri_va IDR ID | cimb_va IDR ID | danamon_va IDR ID | mandiri_va IDR ID"),
    ("bank_transfer", _T, "{}", "", "bank_name", "indonesian_bank_transfer IDR ID"),
    ("bank_transfer", _R, "{}", "", "", """
        instant_bank_transfer CZK,EUR,GBP,PLN * | instant_bank_transfer_finland EUR FI |
        instant_bank_transfer_poland PLN PL | pse COP CO
    """),
    ("bank_transfer", _R, "{}", "", "bank_code", "local_bank_transfer CNY CN"),
    ("bank_transfer", _W, "{}", "", "account_number branch_code bank_identifier", "pix_automatico_push BRL BR"),
    ("bank_transfer", _QR, "{}", "", "", "pix_automatico_qr BRL BR | pix_emv BRL BR | pix_qr BRL BR"),
    ("crypto", _R, "{}", "", "pay_currency network", "crypto_currency * *"),
    ("reward", _R, "{}", "", "", "classic * * | evoucher * *"),
    ("real_time_payment", _QR, "{}", "", "", "duit_now MYR MY | fps HKD HK | prompt_pay THB TH | qris IDR ID | viet_qr VND VN"),
    ("upi", Flow.UPI_QR, "{}", "", "upi_source", "upi_qr INR IN"),
    ("voucher", _V, "{}", "", "first_name last_name email", "alfamart IDR ID | indomaret IDR ID"),
    ("voucher", _V, "{}", "", "", "efecty COP CO | oxxo MXN MX | pago_efectivo PEN PE | red_compra CLP CL | red_pagos UYU UY"),
    ("voucher", _V, "{}", "", "first_name last_name email phone_number", """
        family_mart JPY JP | lawson JPY JP | mini_stop JPY JP | pay_easy JPY JP | seicomart JPY JP |
        seven_eleven JPY JP
    """),
    ("gift_card", _C, "{}", "account_number pin cvv2 expiration_date", "", "bhn_card_network * *"),
    ("gift_card", _C, "{}", "number cvc", "", "givex * *"),
    ("gift_card", _R, "{}", "", "", "pay_safe_card * *"),
    ("mobile_payment", _O, "{}", "msisdn", "client_uid", "direct_carrier_billing * *"),
)
"""A group, a flow, the name of the data ({} is the type), the fields that the data must have, those that they can have.

Then the types, each with its currencies and its countries (* for all of them).
"""
# fmt: on

_ALIASES: Final = {"touch_n_go": ("touch_ngo",)}
"""What the public server's list of words calls it; its answers do not."""
_CATEGORY: Final = {"voucher": "bank_transfer"}
"""The engine's category of a group, as for the interface's boleto."""


def _made() -> Iterator[tuple[Method, Payload]]:
    for group, flow, data, asks, takes, types in _ROWS:
        category, asked = _CATEGORY.get(group, group), tuple(asks.split())
        for words in types.split("|"):
            type_, *places = words.split()
            used, there = (() if place == "*" else tuple(place.split(",")) for place in places)
            times = flow in _LATER, _needs(category, flow), _TIMES.get(flow, 5 * MINUTE_MS)
            row = Method(category, type_, flow, *times, _SOURCE, _ALIASES.get(type_, ()), asked, used, there, True)
            fields = (*asked, *takes.split())
            yield row, Payload(group, data.format(type_), category, type_, flow, fields, asked, _SOURCE)


_PAIRS: Final = tuple(_made())
PUBLIC_METHODS: Final = tuple(row for row, _ in _PAIRS)
PUBLIC_PAYLOADS: Final = (
    *(row for _, row in _PAIRS),
    Payload("wallet", "amazon_pay_redirect", "wallet", "amazon_pay", Flow.REDIRECT, None, (), _SOURCE),
)
