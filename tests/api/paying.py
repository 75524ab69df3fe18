"""Payments by each method, with what each of them shows."""

from __future__ import annotations

# ruff: noqa: E501 — one row, one line
from dataclasses import dataclass, field
from typing import Any

from mock_server.domain.methods import Method
from tests.wire import Wire, card_data

PAYER = {
    "email": "jane@example.com",
    "return_url": "https://shop.example.com/back",
    "billing": {"address": {"country": "DE", "city": "Berlin"}},
}


@dataclass(frozen=True)
class Expected:
    """What a method's payment shows and where it can go: the siblings of `next_action`, a value's form, its events."""

    siblings: frozenset[str] = frozenset()
    value: str = ""
    form: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    currency: str = "EUR"
    status: str = "requires_action"


PAGE = frozenset({"redirect_to_url"})
QR = frozenset({"image_data_url", "qr_code_url", "display_to_timestamp", "display_text", "border_color", "raw_qr_data"})
VOUCHER = frozenset({"voucher_details"})
TRANSFER = frozenset({"bank_transfer_steps_and_charges_details"})
WAIT = frozenset({"display_from_timestamp", "display_to_timestamp", "poll_config"})
LINK = r"http://localhost/payments/redirect/pay_\w{20}/mer_\w{20}/pay_\w{20}_1"
EXPECTED: dict[tuple[str, str], Expected] = {
    ("card", "credit"): Expected(data={"card": card_data()}, status="succeeded"),
    ("card", "debit"): Expected(data={"card": card_data()}, status="succeeded"),
    ("wallet", "apple_pay"): Expected(data={"wallet": {"apple_pay": {"payment_data": "dG9rZW4="}}}, status="succeeded"),
    ("wallet", "google_pay"): Expected(data={"wallet": {"google_pay": {"token": "t"}}}, status="succeeded"),
    ("wallet", "samsung_pay"): Expected(data={"wallet": {"samsung_pay": {"token": "t"}}}, status="succeeded"),
    ("wallet", "paypal"): Expected(PAGE, "redirect_to_url", LINK, {"wallet": {"paypal": {}}}),
    ("wallet", "ali_pay"): Expected(QR, "raw_qr_data", LINK, {"wallet": {"ali_pay": {}}}),
    ("wallet", "we_chat_pay"): Expected(QR, "raw_qr_data", LINK, {"wallet": {"we_chat_pay": {}}}),
    ("pay_later", "klarna"): Expected(PAGE, "redirect_to_url", LINK, {"pay_later": {"klarna": {}}}),
    ("pay_later", "affirm"): Expected(PAGE, "redirect_to_url", LINK, {"pay_later": {"affirm": {}}}),
    ("pay_later", "afterpay_clearpay"): Expected(PAGE, "redirect_to_url", LINK, {"pay_later": {"afterpay_clearpay": {}}}),
    ("bank_redirect", "ideal"): Expected(PAGE, "redirect_to_url", LINK, {"bank_redirect": {"ideal": {"bank_name": "ing"}}}),
    ("bank_redirect", "sofort"): Expected(PAGE, "redirect_to_url", LINK, {"bank_redirect": {"sofort": {"country": "DE"}}}),
    ("bank_redirect", "bancontact"): Expected(PAGE, "redirect_to_url", LINK, {"bank_redirect": {"bancontact": {}}}),
    ("bank_redirect", "eps"): Expected(PAGE, "redirect_to_url", LINK, {"bank_redirect": {"eps": {}}}),
    ("bank_redirect", "giropay"): Expected(PAGE, "redirect_to_url", LINK, {"bank_redirect": {"giropay": {}}}),
    ("bank_transfer", "pix"): Expected(QR, "raw_qr_data", r"000201.*6304[0-9A-F]{4}", {"bank_transfer": {"pix": {}}}, "BRL"),
    ("bank_transfer", "ach"): Expected(TRANSFER, "routing_number", r"\d{9}", {"bank_transfer": {"ach": {}}}, "USD"),
    ("bank_transfer", "sepa"): Expected(TRANSFER, "iban", r"DE\d{20}", {"bank_transfer": {"sepa": {}}}),
    ("bank_transfer", "bacs"): Expected(TRANSFER, "sort_code", r"\d{2}-?\d{2}-?\d{2}", {"bank_transfer": {"bacs": {}}}, "GBP"),
    ("bank_transfer", "multibanco"): Expected(VOUCHER, "reference", r"\d{3} ?\d{3} ?\d{3}", {"bank_transfer": {"multibanco": {}}}),
    ("bank_transfer", "boleto"): Expected(VOUCHER, "digitable_line", r"[\d. ]{40,60}", {"bank_transfer": {"boleto": {}}}, "BRL"),
    ("upi", "upi_collect"): Expected(WAIT, "display_to_timestamp", r"2026-.*Z", {"upi": {"upi_collect": {"vpa_id": "success@upi"}}}, "INR"),
    ("upi", "upi_intent"): Expected(WAIT | {"sdk_uri"}, "sdk_uri", r"upi://pay\?.*am=65\.40.*", {"upi": {"upi_intent": {}}}, "INR"),
}  # fmt: skip
"""What each pair shows, written by hand: the interface's list, not ours."""


def pay(api: Wire, method: Method, **fields: Any) -> Any:
    """Creates and confirms a payment by a method, with all that it needs."""
    expected = EXPECTED[method.category, method.type]
    body = {
        "amount": 6540,
        "currency": expected.currency,
        "profile_id": "pro_shop",
        "confirm": True,
        "payment_method": method.category,
        "payment_method_type": method.type,
        "payment_method_data": expected.data,
        **PAYER,
        **fields,
    }
    return api.post("/payments", body)
