"""With `plain_headers`, no answer has one of our own headers; without it, each that the document names is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pytest

from tests.openapi.agreeing import strict
from tests.wire import Reply, Wire, card_payment, wire


def replayed(api: Wire) -> Reply:
    api.post("/payments", card_payment(), X_Idempotency_Key="order-1")
    return api.post("/payments", card_payment(), X_Idempotency_Key="order-1")


def exported(api: Wire) -> Reply:
    return api.get(f"/_sandbox/payments/{api.pay()['payment_id']}/export", Accept="application/json")


OWN: Final[dict[str, Callable[[Wire], Reply]]] = {
    "X-Sandbox-Because": lambda api: api.pay("visa_generic_decline"),
    "X-Sandbox-Replayed": replayed,
    "X-Sandbox-Verified": exported,
}


def test_every_header_of_ours_is_caused() -> None:
    told = strict("interface")["components"]["headers"]
    assert OWN.keys() == {name for name in told if name.startswith("X-Sandbox-")}


@pytest.mark.parametrize("name", OWN)
def test_it_is_there_unless_headers_are_plain(name: str) -> None:
    assert name in OWN[name](wire()).headers
    plain = OWN[name](wire(plain_headers=True)).headers
    assert [one for one in plain if re.match("x-sandbox-", one, re.IGNORECASE)] == []
