"""The banks that a bank redirect lets its customer choose from; none of them is a real one (ours)."""

from __future__ import annotations

import json
from typing import Final

from mock_server.domain.payment import Payment

BANKS: Final[dict[str, tuple[str, ...]]] = {
    "ideal": ("Sandbox Bank Amsterdam", "Sandbox Bank Rotterdam", "Sandbox Bank Utrecht"),
    "sofort": ("Sandbox Bank Berlin", "Sandbox Bank Wien", "Sandbox Bank Zürich"),
    "bancontact": ("Sandbox Bank Brussel", "Sandbox Bank Gent", "Sandbox Bank Liège"),
    "eps": ("Sandbox Bank Wien", "Sandbox Bank Graz", "Sandbox Bank Linz"),
    "giropay": ("Sandbox Bank Berlin", "Sandbox Bank Hamburg", "Sandbox Bank München"),
}


def banks_of(payment: Payment) -> tuple[str, ...]:
    """The banks on the page of a payment, the one that the request named first; none where no bank is chosen."""
    banks = BANKS.get(payment.payment_method_type or "", ())
    if not banks or payment.method is None:
        return banks
    named = json.loads(payment.method.shown).get("bank_name")
    return (named, *banks) if isinstance(named, str) and named and named not in banks else banks
