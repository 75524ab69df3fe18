"""UPI links, which open a phone's payment app (NPCI, UPI linking specification)."""

from __future__ import annotations

from urllib.parse import quote

from mock_server.domain.instructions.context import Context
from mock_server.domain.money import exponent_of, format_plain


def pay_link(context: Context) -> str:
    """`upi://pay?…` with payee, reference, amount and currency."""
    parameters = {
        "pa": "merchant@sandbox",
        "pn": context.merchant_name,
        "mc": "0000",
        "tr": context.payment_id[:35],
        "tn": f"Payment {context.payment_id}"[:80],
        "am": format_plain(context.amount, exponent_of(context.currency)),
        "cu": context.currency,
    }
    return "upi://pay?" + "&".join(f"{name}={quote(value, safe='@')}" for name, value in parameters.items())
