"""What a page shows of a payment, for its template."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mock_server.domain import masking
from mock_server.domain.instructions import PIX
from mock_server.domain.issuer import ONE_TIME_CODE, ChallengeForm
from mock_server.domain.methods import Flow
from mock_server.domain.outcomes import Challenge
from mock_server.domain.payment import Payment
from mock_server.engine.payments.charge import fixed_result
from mock_server.engine.profiles import merchant_name
from mock_server.pages.links import CHALLENGE, FINISH, FORM, MAIN, MORE, Link, token_for
from mock_server.scenario.deciding.activation import ACTIVE
from mock_server.story.rows import customer_of
from mock_server.story.words import amount, plain

BANKS: Final[dict[str, tuple[str, ...]]] = {
    "ideal": ("Sandbox Bank Amsterdam", "Sandbox Bank Rotterdam", "Sandbox Bank Utrecht"),
    "sofort": ("Sandbox Bank Berlin", "Sandbox Bank Wien", "Sandbox Bank Zürich"),
    "bancontact": ("Sandbox Bank Brussel", "Sandbox Bank Gent", "Sandbox Bank Liège"),
    "eps": ("Sandbox Bank Wien", "Sandbox Bank Graz", "Sandbox Bank Linz"),
    "giropay": ("Sandbox Bank Berlin", "Sandbox Bank Hamburg", "Sandbox Bank München"),
}
"""The banks that the customer of a bank redirect can choose; none is real (ours)."""


def page(link: Link, mistake: str | None = None) -> dict[str, Any]:
    """The page of an open link, for its template."""
    kind, payment = link.kind, link.payment
    title, text = words(link)
    action = next_action(payment)
    at = action.get("display_to_timestamp") or (action.get("voucher_details") or {}).get("expires_at")
    return {
        "kind": kind,
        "title": title,
        "text": text,
        "form": asks_for(link),
        "summary": summary(link),
        "token": token_for(link, FORM),
        "buttons": MAIN[kind] if fixed_result(payment) is None else (),
        "more": MORE,
        "banks": banks_of(link),
        "instructions": instructions(payment),
        "code": ONE_TIME_CODE,
        "qr_code": f"{link.attempt_id}/qr.svg" if raw_code(payment) else action.get("qr_code_url"),
        "open_until": f"{at[:10]} {at[11:16]} UTC" if isinstance(at, str) else None,
        "refresh": _refresh(link),
        "looks_again": looks_again(link),
        "mistake": mistake,
    }


def summary(link: Link) -> Any:
    """What every page shows of its payment: amount, customer, merchant, and the active scenarios, by their names."""
    payment, profile, fact = link.payment, link.profile, link.workspace.space.fact
    # The name of a profile that was created on first use is its id, which means nothing to a customer.
    is_unnamed = profile.is_default or profile.profile_name == profile.profile_id
    active = tuple(str(row["name"]) for row in fact(ACTIVE) or ())
    value = json.loads(payment.echo.get("description") or "null")
    return masking.shown_value({
        "amount": amount_of(payment),
        "merchant": merchant_name(fact) if is_unnamed else profile.profile_name,
        "payment_id": payment.payment_id,
        "description": value if isinstance(value, str) else None,
        "customer": customer_of(payment),
        "method": method_words(payment) if payment.payment_method else None,
        "scenarios": tuple(dict.fromkeys((*(payment.scenarios or ()), *active))),
        "status": plain(payment.status),
    })  # fmt: skip


def amount_of(payment: Payment) -> str:
    """What the customer pays, with its currency."""
    return amount(payment.net_amount, payment.currency)


def method_words(payment: Payment) -> str:
    """The card's brand and last digits, or the method's name."""
    if payment.card is not None:
        return f"{payment.card.brand} •••• {payment.card.last4}"
    return name_of(payment.payment_method_type or "your bank")


def name_of(method: str) -> str:
    """The name of a method on a page."""
    return NAMES.get(method, plain(method).capitalize())


NAMES: Final = {
    "paypal": "PayPal", "apple_pay": "Apple Pay", "google_pay": "Google Pay", "samsung_pay": "Samsung Pay",
    "ali_pay": "Alipay", "we_chat_pay": "WeChat Pay", "afterpay_clearpay": "Afterpay", "ideal": "iDEAL", "eps": "EPS",
    "pix": "Pix", "ach": "ACH transfer", "sepa": "SEPA transfer", "bacs": "Bacs transfer", "multibanco": "Multibanco",
    "upi_collect": "UPI", "upi_intent": "UPI", "upi_qr": "UPI", "ali_pay_hk": "AlipayHK", "blik": "BLIK", "eft": "EFT",
    "online_banking_fpx": "FPX", "pse": "PSE", "mb_way": "MB WAY", "twint": "TWINT", "przelewy24": "Przelewy24",
    "oxxo": "OXXO", "knet": "KNET", "fps": "FPS", "qris": "QRIS", "pix_emv": "Pix", "pix_qr": "Pix",
    "pix_automatico_qr": "Pix", "pix_automatico_push": "Pix", "bni_va": "BNI", "bri_va": "BRI", "cimb_va": "CIMB",
    "danamon_va": "Danamon", "mandiri_va": "Mandiri", "open_banking_uk": "Open Banking", "go_pay": "GoPay",
}  # fmt: skip
"""The names of methods on a page that differ from their names in the API."""

_SCAN: Final = ("Scan to pay with {method}", "Scan the code with your app, then choose below what happened.")
_WAIT: Final = ("Open your {method} app", "A request to pay is waiting for you there.")
_TITLES: Final[dict[str, tuple[str, str]]] = {
    ChallengeForm.BUTTONS: ("Confirm it is you", "Your bank asks you to confirm this payment."),
    ChallengeForm.ONE_TIME_CODE: ("Enter your code", "Your bank has sent a code to your phone."),
    ChallengeForm.CAPTCHA: ("Are you human?", "Your bank wants to check that you are not a robot."),
    Flow.REDIRECT: ("Pay with {method}", "You are already logged in. This page stands in for {method}."),
    **dict.fromkeys((Flow.QR_CODE, Flow.UPI_QR), _SCAN),
    Flow.VOUCHER: ("Pay with {method}", "Pay this voucher in a shop, at a cash machine or in your bank's app."),
    Flow.BANK_TRANSFER: ("Pay by {method}", "Send the money to this account."),
    **dict.fromkeys((Flow.WAIT_SCREEN, Flow.UPI_INTENT), _WAIT),
    Flow.CODE: ("Enter your code", "Your phone company has sent a code to your phone."),
}


def words(link: Link) -> tuple[str, str]:
    """The page's heading and its sentence."""
    if fixed_result(link.payment) is Challenge.ABANDONED:
        return (
            "The customer does not return",
            "In this scenario, the customer leaves this page and does not return to the shop.",
        )
    if finishes(link):
        return "One moment", "This page continues automatically."
    key = asks_for(link) if link.kind == CHALLENGE else link.kind
    title, text = _TITLES.get(key, _TITLES[ChallengeForm.BUTTONS])
    name = method_words(link.payment)
    return title.format(method=name), text.format(method=name)


def asks_for(link: Link) -> str:
    """What the page's form asks for, besides a button."""
    if link.kind == Flow.CODE:
        return ChallengeForm.ONE_TIME_CODE
    waiting = link.payment.waiting
    return waiting.outcome.challenge_kind if waiting and link.kind == CHALLENGE else ""


def by_clock(link: Link) -> bool:
    """Whether the workspace's clock ends this page."""
    waiting = link.payment.waiting
    return waiting is not None and waiting.outcome.challenge_after_ms is not None


def finishes(link: Link) -> bool:
    """Whether this page completes automatically when it is open."""
    return fixed_result(link.payment) not in (None, Challenge.ABANDONED) and not by_clock(link)


def looks_again(link: Link) -> bool:
    """Whether the clock or another device ends this page, so that it checks if it is still open."""
    return not finishes(link) and (by_clock(link) or link.kind in ELSEWHERE)


WAITS: Final = (Flow.WAIT_SCREEN, Flow.UPI_INTENT)
ELSEWHERE: Final = (*WAITS, Flow.QR_CODE, Flow.UPI_QR, Flow.VOUCHER, Flow.BANK_TRANSFER)
"""Pages for payments that are made elsewhere."""


def _refresh(link: Link) -> str | None:
    """Where the page redirects automatically: to its end if that is fixed; to itself, without scripts, if it waits."""
    if finishes(link):
        return f"{link.attempt_id}/finish?token={token_for(link, FINISH)}"
    return link.attempt_id if looks_again(link) and (by_clock(link) or link.kind in WAITS) else None


def next_action(payment: Payment) -> dict[str, Any]:
    """The instructions that the shop received."""
    return json.loads(payment.next_action) if payment.next_action else {}


def raw_code(payment: Payment) -> str | None:
    """The content of the page's QR code."""
    action = next_action(payment)
    code = action.get("raw_qr_data") or action.get("sdk_uri")
    return code if isinstance(code, str) else None


def instructions(payment: Payment) -> tuple[tuple[str, str], ...]:
    """Account numbers, references and the like, in their order."""
    action = next_action(payment)
    details = {**(action.get("voucher_details") or {}), **(action.get("bank_transfer_steps_and_charges_details") or {})}
    if payment.payment_method_type in PIX:
        details["copy_and_paste"] = action.get("raw_qr_data")
    return tuple(_rows(details))


_LEFT_OUT: Final = frozenset({"download_url", "instructions_url", "receiver", "expires_at"})
_LABELS: Final = {"iban": "IBAN", "bic": "BIC", "swift_code": "SWIFT code", "barcode": "Bar code"}


def _rows(details: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in details.items():
        if isinstance(value, dict) and name not in _LEFT_OUT:
            yield from _rows(value)
        elif value is not None and name not in _LEFT_OUT:
            yield _LABELS.get(name, plain(name).capitalize()), str(value)


def banks_of(link: Link) -> tuple[str, ...]:
    """The banks on a page, first the one that the request named; none if no bank is chosen."""
    payment = link.payment
    banks = BANKS.get(payment.payment_method_type or "", ())
    if link.kind != Flow.REDIRECT or not banks or payment.method is None:
        return banks
    chosen = json.loads(payment.method.shown).get("bank_name")
    return (chosen, *banks) if isinstance(chosen, str) and chosen and chosen not in banks else banks
