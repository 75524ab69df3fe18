"""The payment methods: which there are, what the customer sees, and what a request must have (interface §4.2).

A method is a category and a type. Its data are in `payment_method_data.<category>.<payload name>`; the public API has
further names for the same data (facts §2.2), and some of them choose another flow (`ali_pay_qr`, `ali_pay_redirect`).
The interface's names are stored and shown. Of those that only the public dialect offers, currencies and countries are
those in which each is used; one that names none is offered everywhere (public schemas; the flows are ours).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS


class Flow(StrEnum):
    """How the customer pays."""

    CHARGE = "charge"
    REDIRECT = "redirect"
    QR_CODE = "qr_code"
    VOUCHER = "voucher"
    BANK_TRANSFER = "bank_transfer"
    WAIT_SCREEN = "wait_screen"
    UPI_INTENT = "upi_intent"
    UPI_QR = "upi_qr"
    CODE = "phone_code"
    DEBIT = "debit"


APP_MS: Final = 5 * MINUTE_MS
"""How long a customer has who approves in an app."""


class Need(StrEnum):
    """What a confirmation needs besides the method's own data."""

    RETURN_URL = "return_url"
    EMAIL = "email"
    BILLING_COUNTRY = "billing.address.country"
    WALLET_IDENTITY = "wallet_identities"


NEXT_ACTIONS: Final = {
    Flow.REDIRECT: "redirect_to_url",
    Flow.QR_CODE: "qr_code_information",
    Flow.VOUCHER: "display_voucher_information",
    Flow.BANK_TRANSFER: "display_bank_transfer_information",
    Flow.WAIT_SCREEN: "wait_screen_information",
    Flow.UPI_INTENT: "invoke_upi_intent_sdk",
    Flow.UPI_QR: "invoke_upi_qr_flow",
    Flow.CODE: "collect_otp",
}
"""The `next_action.type` of each flow that has one (facts §2.3)."""


class Method(NamedTuple):
    """One category and type.

    `asynchronous`: the money arrives some time after the customer has paid, and the payment is pending in between.
    `customer_time_ms` is how long page, code, voucher or instructions are valid, `aliases` are further names of the
    type, and `asks` the fields that its data must have. The public dialect offers it for these currencies and countries
    only, if any are named; `is_public`: no other dialect offers it.
    """

    category: str
    type: str
    flow: Flow
    asynchronous: bool
    needs: tuple[Need, ...]
    customer_time_ms: int
    source: str
    aliases: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    is_public: bool = False


class Payload(NamedTuple):
    """One name under `payment_method_data.<group>`; `fields` None: free-form, otherwise the names that it may have."""

    group: str
    name: str
    category: str
    type: str
    flow: Flow
    fields: tuple[str, ...] | None = None
    required: tuple[str, ...] = ()
    source: str = "facts §2.2"


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
_IDENTITY, _RETURN = (Need.WALLET_IDENTITY,), (Need.RETURN_URL,)
_BUYER: Final = (Need.EMAIL, Need.BILLING_COUNTRY)


def _needs(category: str, flow: Flow) -> tuple[Need, ...]:
    if flow is Flow.REDIRECT and category in ("bank_redirect", "card_redirect"):
        return _RETURN
    return _BUYER if category == "pay_later" else ()


_REDIRECT, _QR, _VOUCHER, _TRANSFER = Flow.REDIRECT, Flow.QR_CODE, Flow.VOUCHER, Flow.BANK_TRANSFER
_WAIT, _CHARGE, _DEBIT, _CODE = Flow.WAIT_SCREEN, Flow.CHARGE, Flow.DEBIT, Flow.CODE

# ruff: noqa: E501 — one row, one line
# fmt: off
_ROWS: Final[tuple[tuple[str, Flow, str, str, str, str], ...]] = (
    ("wallet", _REDIRECT, "{}_redirect", "", "", """
        ali_pay_hk HKD HK | bluecode EUR AT,DE,IT | dana IDR ID | gcash PHP PH | go_pay IDR ID |
        kakao_pay KRW KR | mobile_pay DKK,EUR,NOK,SEK DK,FI | momo VND VN | touch_n_go MYR MY | twint CHF CH |
        vipps NOK NO"""),
    ("wallet", _CHARGE, "{}", "checkout_session_id", "", "amazon_pay EUR,GBP,JPY,USD *"),
    ("wallet", _QR, "{}_qr", "", "", "cashapp USD US | swish SEK SE"),
    ("wallet", _WAIT, "{}_redirect", "", "telephone_number", "mb_way EUR PT"),
    ("wallet", _REDIRECT, "{}", "date_of_birth", "language_preference", "mifinity * *"),
    ("wallet", _REDIRECT, "{}", "", "", "paysera EUR * | revolut_pay EUR,GBP * | skrill * *"),
    ("wallet", _CHARGE, "{}", "complete_response", "", "paze USD US"),
    ("pay_later", _REDIRECT, "{}_redirect", "", "", """
        alma EUR BE,DE,ES,FR,IT,NL,PT | atome MYR,SGD MY,SG | breadpay USD US | flexiti CAD CA |
        pay_bright CAD CA | payjustnow ZAR ZA | walley DKK,EUR,NOK,SEK DK,FI,NO,SE"""),
    ("bank_redirect", _REDIRECT, "{}", "", "", "bizum EUR ES | local_bank_redirect CNY CN | open_banking EUR,GBP *"),
    ("bank_redirect", _WAIT, "{}", "", "blik_code", "blik PLN PL"),
    ("bank_redirect", _REDIRECT, "{}", "provider", "", "eft ZAR ZA"),
    ("bank_redirect", _REDIRECT, "{}", "", "country email", "interac CAD CA"),
    ("bank_redirect", _REDIRECT, "{}", "issuer", "", """
        online_banking_czech_republic CZK,EUR CZ | online_banking_fpx MYR MY | online_banking_poland PLN PL |
        online_banking_slovakia EUR SK | online_banking_thailand THB TH"""),
    ("bank_redirect", _REDIRECT, "{}", "", "email", "online_banking_finland EUR FI"),
    ("bank_redirect", _REDIRECT, "{}", "issuer country", "", "open_banking_uk GBP GB"),
    ("bank_redirect", _REDIRECT, "{}", "", "bank_name billing_details", "przelewy24 EUR,PLN PL"),
    ("bank_redirect", _REDIRECT, "{}", "", "country", "trustly DKK,EUR,GBP,NOK,SEK AT,DE,DK,EE,ES,FI,GB,LT,LV,NL,NO,SE"),
    ("card_redirect", _REDIRECT, "{}", "", "", "benefit BHD BH | card_redirect * * | knet KWD KW | momo_atm VND VN"),
    ("bank_debit", _DEBIT, "{}_bank_debit", "account_number routing_number", "bank_account_holder_name bank_name bank_type bank_holder_type billing_details", "ach USD US"),
    ("bank_debit", _DEBIT, "{}_bank_debit", "account_number sort_code", "bank_account_holder_name billing_details", "bacs GBP GB"),
    ("bank_debit", _DEBIT, "{}_bank_debit", "account_number bsb_number", "bank_account_holder_name billing_details", "becs AUD AU"),
    ("bank_debit", _DEBIT, "{}", "account_number", "branch_code bank_account_holder_name bank_name bank_type billing_details", "eft_debit_order ZAR ZA"),
    ("bank_debit", _DEBIT, "{}_bank_debit", "iban", "bank_account_holder_name billing_details", "sepa EUR AT,BE,DE,ES,FI,FR,IE,IT,LU,NL,PT"),
    ("bank_debit", _DEBIT, "sepa_guarenteed_bank_debit", "iban", "bank_account_holder_name billing_details", "sepa_guarenteed_debit EUR AT,CH,DE"),
    ("bank_transfer", _TRANSFER, "{}", "", "billing_details", "bca_bank_transfer IDR ID | permata_bank_transfer IDR ID"),
    ("bank_transfer", _TRANSFER, "{}_bank_transfer", "", "billing_details", "bni_va IDR ID | bri_va IDR ID | cimb_va IDR ID | danamon_va IDR ID | mandiri_va IDR ID"),
    ("bank_transfer", _TRANSFER, "{}", "", "bank_name", "indonesian_bank_transfer IDR ID"),
    ("bank_transfer", _REDIRECT, "{}", "", "", """
        instant_bank_transfer CZK,EUR,GBP,PLN * | instant_bank_transfer_finland EUR FI |
        instant_bank_transfer_poland PLN PL | pse COP CO"""),
    ("bank_transfer", _REDIRECT, "{}", "", "bank_code", "local_bank_transfer CNY CN"),
    ("bank_transfer", _WAIT, "{}", "", "account_number branch_code bank_identifier", "pix_automatico_push BRL BR"),
    ("bank_transfer", _QR, "{}", "", "", "pix_automatico_qr BRL BR | pix_emv BRL BR | pix_qr BRL BR"),
    ("crypto", _REDIRECT, "{}", "", "pay_currency network", "crypto_currency * *"),
    ("reward", _REDIRECT, "{}", "", "", "classic * * | evoucher * *"),
    ("real_time_payment", _QR, "{}", "", "", "duit_now MYR MY | fps HKD HK | prompt_pay THB TH | qris IDR ID | viet_qr VND VN"),
    ("upi", Flow.UPI_QR, "{}", "", "upi_source", "upi_qr INR IN"),
    ("voucher", _VOUCHER, "{}", "", "first_name last_name email", "alfamart IDR ID | indomaret IDR ID"),
    ("voucher", _VOUCHER, "{}", "", "", "efecty COP CO | oxxo MXN MX | pago_efectivo PEN PE | red_compra CLP CL | red_pagos UYU UY"),
    ("voucher", _VOUCHER, "{}", "", "first_name last_name email phone_number", """
        family_mart JPY JP | lawson JPY JP | mini_stop JPY JP | pay_easy JPY JP | seicomart JPY JP |
        seven_eleven JPY JP"""),
    ("gift_card", _CHARGE, "{}", "account_number pin cvv2 expiration_date", "", "bhn_card_network * *"),
    ("gift_card", _CHARGE, "{}", "number cvc", "", "givex * *"),
    ("gift_card", _REDIRECT, "{}", "", "", "pay_safe_card * *"),
    ("mobile_payment", _CODE, "{}", "msisdn", "client_uid", "direct_carrier_billing * *"),
)
"""A group, a flow, the name of the data ({} is the type), the fields that the data must have, those that they can have.

Then the types, each with its currencies and its countries (* for all of them).
"""
# fmt: on

_ALIASES: Final = {"touch_n_go": ("touch_ngo",)}
"""What the public server's list of words calls it; its answers do not."""
BY_TYPE_ALONE: Final = "reward"
"""The group whose data can be empty."""
CATEGORY_ALIASES: Final = {"voucher": "bank_transfer"}
"""Further names of a category in the public API (facts §9), and the engine's category of a group of data."""


def _made() -> Iterator[tuple[Method, Payload]]:
    for group, flow, data, asks, takes, types in _ROWS:
        category, asked = CATEGORY_ALIASES.get(group, group), tuple(asks.split())
        for words in types.split("|"):
            type_, *countries = words.split()
            used, there = (() if names == "*" else tuple(names.split(",")) for names in countries)
            times = flow in _LATER, _needs(category, flow), _TIMES.get(flow, APP_MS)
            row = Method(category, type_, flow, *times, _SOURCE, _ALIASES.get(type_, ()), asked, used, there, True)
            fields = (*asked, *takes.split())
            yield row, Payload(group, data.format(type_), category, type_, flow, fields, asked, _SOURCE)


_PAIRS: Final = tuple(_made())
PUBLIC_METHODS: Final = tuple(row for row, _ in _PAIRS)
PUBLIC_PAYLOADS: Final = (
    *(row for _, row in _PAIRS),
    Payload("wallet", "amazon_pay_redirect", "wallet", "amazon_pay", Flow.REDIRECT, None, (), _SOURCE),
)

_PAGE_MS: Final = 10 * HOUR_MS  # facts §7.1: the dummy's page link holds 36 000 s
_OTHER: Final = 'decisions "The other methods"'
_I42: Final = "interface §4.2"

# fmt: off
METHODS: Final = (
    Method("card", "credit", _CHARGE, False, (), _PAGE_MS, _I42),
    Method("card", "debit", _CHARGE, False, (), _PAGE_MS, _I42),
    Method("wallet", "apple_pay", _CHARGE, False, _IDENTITY, _PAGE_MS, _OTHER),
    Method("wallet", "google_pay", _CHARGE, False, _IDENTITY, _PAGE_MS, _OTHER),
    Method("wallet", "paypal", _REDIRECT, False, (), _PAGE_MS, _OTHER),
    Method("wallet", "samsung_pay", _CHARGE, False, (), _PAGE_MS, _OTHER),
    Method("wallet", "ali_pay", _QR, False, (), HOUR_MS, _OTHER),
    Method("wallet", "we_chat_pay", _QR, False, (), HOUR_MS, _OTHER),
    Method("pay_later", "klarna", _REDIRECT, False, _BUYER, _PAGE_MS, _OTHER),
    Method("pay_later", "affirm", _REDIRECT, False, _BUYER, _PAGE_MS, _OTHER),
    Method("pay_later", "afterpay_clearpay", _REDIRECT, False, _BUYER, _PAGE_MS, _OTHER),
    Method("bank_redirect", "ideal", _REDIRECT, False, _RETURN, _PAGE_MS, _OTHER, currencies=("EUR",), countries=("NL",)),
    Method("bank_redirect", "sofort", _REDIRECT, False, _RETURN, _PAGE_MS, _OTHER),
    Method("bank_redirect", "bancontact", _REDIRECT, False, _RETURN, _PAGE_MS, _OTHER, ("bancontact_card",)),
    Method("bank_redirect", "eps", _REDIRECT, False, _RETURN, _PAGE_MS, _OTHER),
    Method("bank_redirect", "giropay", _REDIRECT, False, _RETURN, _PAGE_MS, _OTHER),
    Method("bank_transfer", "pix", _QR, True, (), DAY_MS, _OTHER),
    Method("bank_transfer", "ach", _TRANSFER, True, (), 7 * DAY_MS, _OTHER, ("ach_bank_transfer",)),
    Method("bank_transfer", "sepa", _TRANSFER, True, (), 7 * DAY_MS, _OTHER, ("sepa_bank_transfer",)),
    Method("bank_transfer", "bacs", _TRANSFER, True, (), 7 * DAY_MS, _OTHER, ("bacs_bank_transfer",)),
    Method("bank_transfer", "multibanco", _VOUCHER, True, (), 7 * DAY_MS, _OTHER, ("multibanco_bank_transfer",)),
    Method("bank_transfer", "boleto", _VOUCHER, True, (), 3 * DAY_MS, _OTHER),
    Method("upi", "upi_collect", _WAIT, False, (), APP_MS, _OTHER, asks=("vpa_id",)),
    Method("upi", "upi_intent", Flow.UPI_INTENT, False, (), APP_MS, _OTHER),
)

_BUYER_AT_BANK = ("billing_details", "country", "bank_name", "preferred_language")
_IBAN_FIELDS = ("bank_account_bic", "bank_account_iban", "country", "billing_details")
_CARD_FIELDS = ("card_number", "card_exp_month", "card_exp_year", "card_holder_name", "billing_details")
PIX_FIELDS = ("pix_key", "cpf", "cnpj", "source_bank_account_id", "destination_bank_account_id", "expiry_date")
BOLETO_FIELDS = ("social_security_number", "bank_number", "document_type", "fine_percentage", "fine_quantity_days", "interest_percentage", "write_off_quantity_days", "messages", "due_date")
_PAYEE = ("billing_details", "country")
_KLARNA = ("billing_email", "billing_country", "token", "payment_type")
_CLEARPAY = ("billing_email", "billing_name")

_F22: Final = "facts §2.2"
_BY_TYPE: Final = {row.type: row for row in METHODS}


def _data(type: str, fields: tuple[str, ...] | None, source: str, *names: str, named: str = _F22) -> Iterator[Payload]:
    """The rows of a method's data: under the name of the type, and under further names, of which some redirect."""
    row = _BY_TYPE[type]
    yield Payload(row.category, type, row.category, type, row.flow, fields, row.asks, source)
    for name in names:
        flow = Flow.REDIRECT if name.endswith("_redirect") else row.flow
        yield Payload(row.category, name, row.category, type, flow, fields, (), named)


PAYLOADS: Final = (
    *_data("apple_pay", None, _I42, "apple_pay_redirect", "apple_pay_third_party_sdk"),
    *_data("google_pay", None, _I42, "google_pay_redirect", "google_pay_third_party_sdk"),
    *_data("paypal", None, _I42, "paypal_redirect", "paypal_sdk"),
    *_data("samsung_pay", None, _I42, "samsung_pay_redirect", named=_OTHER),
    *_data("ali_pay", None, _I42, "ali_pay_qr", "ali_pay_redirect"),
    *_data("we_chat_pay", None, _I42, "we_chat_pay_qr", "we_chat_pay_redirect"),
    *_data("klarna", _KLARNA, _OTHER, "klarna_redirect", "klarna_sdk"),
    *_data("affirm", _CLEARPAY, _OTHER, "affirm_redirect"),
    *_data("afterpay_clearpay", _CLEARPAY, _OTHER, "afterpay_clearpay_redirect"),
    *_data("ideal", _BUYER_AT_BANK, _F22),
    *_data("sofort", _BUYER_AT_BANK, _F22),
    *_data("bancontact", _CARD_FIELDS, _I42, "bancontact_card"),
    *_data("eps", _BUYER_AT_BANK, _F22),
    *_data("giropay", _IBAN_FIELDS, _F22),
    *_data("pix", PIX_FIELDS, _F22),
    *_data("ach", _PAYEE, _I42, "ach_bank_transfer"),
    *_data("sepa", _PAYEE, _I42, "sepa_bank_transfer"),
    *_data("bacs", _PAYEE, _I42, "bacs_bank_transfer"),
    *_data("multibanco", _PAYEE, _I42, "multibanco_bank_transfer"),
    *_data("boleto", BOLETO_FIELDS, _I42),
    Payload("voucher", "boleto", "bank_transfer", "boleto", _VOUCHER, BOLETO_FIELDS),
    *_data("upi_collect", ("vpa_id", "upi_source"), _F22),
    *_data("upi_intent", ("upi_source", "app_name"), _F22),
)
# fmt: on

ALL_METHODS: Final = (*METHODS, *PUBLIC_METHODS)
"""Those of the interface, and those that only the public dialect has."""

_PAYLOADS: Final = {(row.group, row.name): row for row in (*PAYLOADS, *PUBLIC_PAYLOADS)}
_USUAL: Final = {(row.category, row.type): row for row in reversed(_PAYLOADS.values())}
_GROUPS: Final = dict.fromkeys(row.group for row in _PAYLOADS.values())

find: Final = {
    (category, word): row
    for row in ALL_METHODS
    for category in (row.category, *(alias for alias, meant in CATEGORY_ALIASES.items() if meant == row.category))
    for word in (row.type, *row.aliases)
}.get
"""The row of (category, type), by the names of the interface or the public API, or None; called for every payment."""

_VOUCHERS: Final = frozenset(row.type for row in _PAYLOADS.values() if row.group == "voucher")
_RENAMED: Final = {("bank_redirect", "bancontact"): "bancontact_card", ("bank_transfer", "sepa"): "sepa_bank_transfer"}
PUBLIC_WORDS: Final = {
    row[:2]: ("voucher" if row.type in _VOUCHERS else row.category, _RENAMED.get(row[:2], row.type))
    for row in ALL_METHODS
}
"""Category and type in the public API's answers, by the engine's (facts §2.2, §9)."""
PUBLIC_TYPES: Final = {
    group: tuple(word for other, word in PUBLIC_WORDS.values() if other == group) for group, _ in PUBLIC_WORDS.values()
}
"""The types of each category, in those words."""


def _meaning(words: Mapping[str, str]) -> Callable[[str], str]:
    return lambda word: words.get(word, word)


_BY_ALIAS: Final = {alias: row.type for row in ALL_METHODS for alias in row.aliases}
MEANT: Final = _meaning(CATEGORY_ALIASES | _BY_ALIAS)
"""What a word of a filter means."""
_OTHERS: Final = {PUBLIC_WORDS[row[:2]][0]: row.type for row in METHODS if row.type in _VOUCHERS}
LISTED: Final = _meaning(_BY_ALIAS | _OTHERS)
"""The same where it finds a category or a type: `voucher` is the type that the public API has there."""
_PUBLIC: Final = {word for pair in PUBLIC_WORDS.values() for word in pair}
_NAMES: Final = {word: PUBLIC_WORDS[row[:2]][1] for row in ALL_METHODS for word in (row.type, *row.aliases)}
PUBLIC_MEANT: Final = _meaning({word: meant for word, meant in _NAMES.items() if word not in _PUBLIC})
"""The same, in the words of the public API's answers."""


def named(category: str | None, type_: str | None) -> tuple[str | None, str | None]:
    """Category and type in the engine's words, if they belong together; otherwise as they are."""
    if (row := find((category or "", type_ or ""))) is not None:
        return row.category, row.type
    if type_ is None:
        return CATEGORY_ALIASES.get(category or "", category), None
    return category, type_ if category or type_ in _BY_TYPE else PUBLIC_MEANT(type_)


def public_words(category: str | None, type_: str | None, public: bool = True) -> tuple[str | None, str | None]:
    """Category and type in the words of the public API's answers, or if not `public` as they are."""
    return PUBLIC_WORDS.get((category or "", type_ or ""), (category, type_)) if public else (category, type_)


def categories(*, public: bool = False) -> tuple[str, ...]:
    """The categories, in the interface's order; `public`: with those that only the public dialect has."""
    return tuple(dict.fromkeys(row.category for row in (ALL_METHODS if public else METHODS)))


def types_of(category: str, *, public: bool = False) -> tuple[str, ...]:
    """The types of a category, in the interface's order; none for an unknown category."""
    meant = CATEGORY_ALIASES.get(category, category)
    return tuple(row.type for row in (ALL_METHODS if public else METHODS) if row.category == meant)


def payload(group: str, name: str) -> Payload | None:
    """The row of `payment_method_data.<group>.<name>`."""
    return _PAYLOADS.get((group, name))


def payloads_of(group: str) -> tuple[Payload, ...]:
    """Every row of `payment_method_data.<group>`."""
    return tuple(row for row in _PAYLOADS.values() if row.group == group)


def payload_of(method: Method) -> Payload | None:
    """The data with which a method is paid in its usual way; a card has none."""
    return _USUAL.get((method.category, method.type))


def flow_of(method: Method, payload_name: str | None = None) -> Flow:
    """How the customer pays: by the payload's name, else by the method."""
    if payload_name is None:
        return method.flow
    rows = (_PAYLOADS.get((group, payload_name)) for group in _GROUPS)
    return next((row.flow for row in rows if row and (row.category, row.type) == method[:2]), method.flow)
