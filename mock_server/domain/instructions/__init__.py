"""What the customer has to do next, by method (facts §2.3; the values are ours).

Everything is a function of the context and its digits, so the same workspace makes the same instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mock_server.domain import hiding
from mock_server.domain.instants import iso, iso_date
from mock_server.domain.instructions import bank_transfer, boleto, pix, upi
from mock_server.domain.instructions.context import Context, Digits, QrImage
from mock_server.domain.methods import NEXT_ACTIONS, Flow

__all__ = ["POLL_CONFIG", "Context", "Digits", "QrImage", "next_action"]

POLL_CONFIG: Final = {"delay_in_secs": 2, "frequency": 30}
"""How often and how many times a client should ask while the customer waits (ours)."""

NextAction = dict[str, object]


def next_action(kind: str, type_: str | None, context: Context) -> NextAction:
    """The `next_action` of a payment: its type and exactly that type's fields.

    `kind` is a `Flow`, or any other word for a page the customer must open (a card's `challenge`); `type_` is
    the payment method's type.
    """
    flow = Flow(kind) if kind in _MAKERS else Flow.REDIRECT
    for _ in range(_DRAWS):
        made = _MAKERS[flow](type_ or "", context)
        texts = {name: value for name, value in made.items() if name != "image_data_url"}
        if hiding.hidden(texts) == texts:
            break
    return {"type": NEXT_ACTIONS[flow], **made}


_DRAWS: Final = 16
"""How many times digits are drawn until no part passes for a card's number, which every view would hide (ours)."""


def _until(name: str, context: Context) -> NextAction:
    return {} if context.expires_at is None else {name: iso(context.expires_at)}


def _qr_code(type_: str, context: Context) -> NextAction:
    raw = pix.br_code(context) if type_ in PIX else context.page_url
    text, colour = _QR_LOOKS.get(type_, ("Scan the code to pay", "#444444"))
    return {
        "image_data_url": None if context.qr_image is None else context.qr_image(raw),
        "qr_code_url": context.qr_code_url,
        **_until("display_to_timestamp", context),
        "display_text": text,
        "border_color": colour,
        "raw_qr_data": raw,
    }


PIX: Final = ("pix", "pix_emv", "pix_qr", "pix_automatico_qr")
"""The types whose code a Brazilian bank's app reads."""
_QR_LOOKS: Final = {
    **dict.fromkeys(PIX, ("Scan the code with your bank's app, or copy and paste it there", "#32BCAD")),
    "ali_pay": ("Scan the code with Alipay", "#1677FF"),
    "we_chat_pay": ("Scan the code with WeChat", "#07C160"),
}


def _voucher(type_: str, context: Context) -> NextAction:
    details = {
        "download_url": context.page_url,
        "instructions_url": context.page_url,
        "entry_date": iso_date(context.now),
        **_until("expires_at", context),
    }
    if type_ == "boleto":
        code = boleto.barcode(context)
        details |= {
            "reference": code[-11:],  # the bank's number of this boleto (`nosso número`; ours)
            "digitable_line": boleto.digitable_line(code),
            "barcode": code,
        }
    else:
        details |= {"reference": boleto.reference(context), "entity": boleto.ENTITY}
    return {"voucher_details": details}


def _waiting(_: str, context: Context) -> NextAction:
    return {
        "display_from_timestamp": iso(context.now),
        **_until("display_to_timestamp", context),
        "poll_config": dict(POLL_CONFIG),
    }


def _upi_qr(type_: str, context: Context) -> NextAction:
    drawn = context.qr_image(upi.pay_link(context)) if context.qr_image else context.qr_code_url
    return {"qr_code_url": drawn, **_waiting(type_, context)}


_MAKERS: Final[Mapping[str, Callable[[str, Context], NextAction]]] = {
    Flow.REDIRECT: lambda _, context: {"redirect_to_url": context.page_url},
    Flow.QR_CODE: _qr_code,
    Flow.BANK_TRANSFER: lambda type_, context: {
        "bank_transfer_steps_and_charges_details": bank_transfer.steps(type_, context)
    },
    Flow.VOUCHER: _voucher,
    Flow.WAIT_SCREEN: _waiting,
    Flow.UPI_INTENT: lambda type_, context: {"sdk_uri": upi.pay_link(context), **_waiting(type_, context)},
    Flow.UPI_QR: _upi_qr,
    Flow.CODE: lambda _, context: {"consent_data_required": "consent_required"},
}
