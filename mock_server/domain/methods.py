"""The payment methods: which there are, what the customer sees, and what a request must have (interface §4.2).

A method is a category and a type. Its data are in `payment_method_data.<category>.<payload name>`; the public API has
further names for the same data (facts §2.2), and some of them choose another flow (`ali_pay_qr`, `ali_pay_redirect`).
The interface's names are stored and shown.
"""

from __future__ import annotations

from typing import Final

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS
from mock_server.domain.method_kinds import NEXT_ACTIONS as NEXT_ACTIONS
from mock_server.domain.method_kinds import Flow as Flow
from mock_server.domain.method_kinds import Method as Method
from mock_server.domain.method_kinds import Need as Need
from mock_server.domain.method_kinds import Payload as Payload
from mock_server.domain.public_methods import PUBLIC_METHODS, PUBLIC_PAYLOADS

_CHARGE, _REDIRECT, _QR, _VOUCHER = Flow.CHARGE, Flow.REDIRECT, Flow.QR_CODE, Flow.VOUCHER
_TRANSFER, _WAIT, _INTENT = Flow.BANK_TRANSFER, Flow.WAIT_SCREEN, Flow.UPI_INTENT
_IDENTITY, _RETURN = (Need.WALLET_IDENTITY,), (Need.RETURN_URL,)
_BUYER: Final = (Need.EMAIL, Need.BILLING_COUNTRY)
_PAGE_MS: Final = 10 * HOUR_MS  # facts §7.1: the dummy's page link holds 36 000 s
_OTHER: Final = 'decisions "The other methods"'
_I42: Final = "interface §4.2"

# ruff: noqa: E501 — one row, one line
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
    Method("upi", "upi_collect", _WAIT, False, (), 5 * MINUTE_MS, _OTHER, asks=("vpa_id",)),
    Method("upi", "upi_intent", _INTENT, False, (), 5 * MINUTE_MS, _OTHER),
)

_BUYER_AT_BANK = ("billing_details", "country", "bank_name", "preferred_language")
_IBAN_FIELDS = ("bank_account_bic", "bank_account_iban", "country", "billing_details")
_CARD_FIELDS = ("card_number", "card_exp_month", "card_exp_year", "card_holder_name", "billing_details")
_PIX_FIELDS = ("pix_key", "cpf", "cnpj", "source_bank_account_id", "destination_bank_account_id", "expiry_date")
_BOLETO_FIELDS = ("social_security_number", "bank_number", "document_type", "fine_percentage", "fine_quantity_days", "interest_percentage", "write_off_quantity_days", "messages", "due_date")
_PAYEE = ("billing_details", "country")
_KLARNA = ("billing_email", "billing_country", "token", "payment_type")
_CLEARPAY = ("billing_email", "billing_name")

PAYLOADS: Final = (
    Payload("wallet", "apple_pay", "wallet", "apple_pay", _CHARGE, None, (), _I42),
    Payload("wallet", "apple_pay_redirect", "wallet", "apple_pay", _REDIRECT),
    Payload("wallet", "apple_pay_third_party_sdk", "wallet", "apple_pay", _CHARGE),
    Payload("wallet", "google_pay", "wallet", "google_pay", _CHARGE, None, (), _I42),
    Payload("wallet", "google_pay_redirect", "wallet", "google_pay", _REDIRECT),
    Payload("wallet", "google_pay_third_party_sdk", "wallet", "google_pay", _CHARGE),
    Payload("wallet", "paypal", "wallet", "paypal", _REDIRECT, None, (), _I42),
    Payload("wallet", "paypal_redirect", "wallet", "paypal", _REDIRECT),
    Payload("wallet", "paypal_sdk", "wallet", "paypal", _REDIRECT),
    Payload("wallet", "samsung_pay", "wallet", "samsung_pay", _CHARGE, None, (), _I42),
    Payload("wallet", "samsung_pay_redirect", "wallet", "samsung_pay", _REDIRECT, None, (), _OTHER),
    Payload("wallet", "ali_pay", "wallet", "ali_pay", _QR, None, (), _I42),
    Payload("wallet", "ali_pay_qr", "wallet", "ali_pay", _QR),
    Payload("wallet", "ali_pay_redirect", "wallet", "ali_pay", _REDIRECT),
    Payload("wallet", "we_chat_pay", "wallet", "we_chat_pay", _QR, None, (), _I42),
    Payload("wallet", "we_chat_pay_qr", "wallet", "we_chat_pay", _QR),
    Payload("wallet", "we_chat_pay_redirect", "wallet", "we_chat_pay", _REDIRECT),
    Payload("pay_later", "klarna", "pay_later", "klarna", _REDIRECT, _KLARNA, (), _OTHER),
    Payload("pay_later", "klarna_redirect", "pay_later", "klarna", _REDIRECT, _KLARNA),
    Payload("pay_later", "klarna_sdk", "pay_later", "klarna", _REDIRECT, _KLARNA),
    Payload("pay_later", "affirm", "pay_later", "affirm", _REDIRECT, _CLEARPAY, (), _OTHER),
    Payload("pay_later", "affirm_redirect", "pay_later", "affirm", _REDIRECT, _CLEARPAY),
    Payload("pay_later", "afterpay_clearpay", "pay_later", "afterpay_clearpay", _REDIRECT, _CLEARPAY, (), _OTHER),
    Payload("pay_later", "afterpay_clearpay_redirect", "pay_later", "afterpay_clearpay", _REDIRECT, _CLEARPAY),
    Payload("bank_redirect", "ideal", "bank_redirect", "ideal", _REDIRECT, _BUYER_AT_BANK),
    Payload("bank_redirect", "sofort", "bank_redirect", "sofort", _REDIRECT, _BUYER_AT_BANK),
    Payload("bank_redirect", "bancontact", "bank_redirect", "bancontact", _REDIRECT, _CARD_FIELDS, (), _I42),
    Payload("bank_redirect", "bancontact_card", "bank_redirect", "bancontact", _REDIRECT, _CARD_FIELDS),
    Payload("bank_redirect", "eps", "bank_redirect", "eps", _REDIRECT, _BUYER_AT_BANK),
    Payload("bank_redirect", "giropay", "bank_redirect", "giropay", _REDIRECT, _IBAN_FIELDS),
    Payload("bank_transfer", "pix", "bank_transfer", "pix", _QR, _PIX_FIELDS),
    Payload("bank_transfer", "ach", "bank_transfer", "ach", _TRANSFER, _PAYEE, (), _I42),
    Payload("bank_transfer", "ach_bank_transfer", "bank_transfer", "ach", _TRANSFER, _PAYEE),
    Payload("bank_transfer", "sepa", "bank_transfer", "sepa", _TRANSFER, _PAYEE, (), _I42),
    Payload("bank_transfer", "sepa_bank_transfer", "bank_transfer", "sepa", _TRANSFER, _PAYEE),
    Payload("bank_transfer", "bacs", "bank_transfer", "bacs", _TRANSFER, _PAYEE, (), _I42),
    Payload("bank_transfer", "bacs_bank_transfer", "bank_transfer", "bacs", _TRANSFER, _PAYEE),
    Payload("bank_transfer", "multibanco", "bank_transfer", "multibanco", _VOUCHER, _PAYEE, (), _I42),
    Payload("bank_transfer", "multibanco_bank_transfer", "bank_transfer", "multibanco", _VOUCHER, _PAYEE),
    Payload("bank_transfer", "boleto", "bank_transfer", "boleto", _VOUCHER, _BOLETO_FIELDS, (), _I42),
    Payload("voucher", "boleto", "bank_transfer", "boleto", _VOUCHER, _BOLETO_FIELDS),
    Payload("upi", "upi_collect", "upi", "upi_collect", _WAIT, ("vpa_id", "upi_source"), ("vpa_id",)),
    Payload("upi", "upi_intent", "upi", "upi_intent", _INTENT, ("upi_source", "app_name")),
)
# fmt: on

CATEGORY_ALIASES: Final = {"voucher": "bank_transfer"}
"""Further names of a category in the public API (facts §9)."""
ALL_METHODS: Final = (*METHODS, *PUBLIC_METHODS)
"""Those of the interface, and those that only the public dialect has."""

_BY_WORDS: Final = {(row.category, word): row for row in ALL_METHODS for word in (row.type, *row.aliases)}
_PAYLOADS: Final = {(row.group, row.name): row for row in (*PAYLOADS, *PUBLIC_PAYLOADS)}
_USUAL: Final = {(row.category, row.type): row for row in reversed(_PAYLOADS.values())}
_GROUPS: Final = dict.fromkeys(row.group for row in _PAYLOADS.values())


def _by_category(rows: tuple[Method, ...]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(row.category for row in rows)
    return {name: tuple(row.type for row in rows if row.category == name) for name in names}


_TYPES: Final = _by_category(METHODS)
_ALL_TYPES: Final = _by_category(ALL_METHODS)


def find(category: str, type: str) -> Method | None:
    """The row of a category and a type, by the names of the interface or the public API."""
    return _BY_WORDS.get((CATEGORY_ALIASES.get(category, category), type))


def categories(*, public: bool = False) -> tuple[str, ...]:
    """The categories, in the interface's order; `public`: with those that only the public dialect has."""
    return tuple(_ALL_TYPES if public else _TYPES)


def types_of(category: str, *, public: bool = False) -> tuple[str, ...]:
    """The types of a category, in the interface's order; none for an unknown category."""
    return (_ALL_TYPES if public else _TYPES).get(CATEGORY_ALIASES.get(category, category), ())


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
