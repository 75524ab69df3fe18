"""A search finds all that has a code or an amount: refused calls, refunds and disputes, not payments alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final
from urllib.parse import quote

import pytest

from mock_server.dialects import get
from tests.counts import times
from tests.wire import Reply, Wire, wire

PLACES: Final = {"USD": 2, "EUR": 2, "JPY": 0, "KWD": 3}
REFUSED: Final[tuple[Callable[[Wire, str], Reply], ...]] = (
    lambda api, _: api.get("/payments/pay_nobody"),
    lambda api, payment: api.post(f"/payments/{payment}/capture", {}),
    lambda api, payment: api.post("/refunds", {"payment_id": payment, "amount": 99_999_999}),
    lambda api, _: api.post("/payments", {"amount": "1", "currency": "USD"}),
    lambda api, _: api.post("/payments", {}),
    lambda api, payment: api.post(f"/payments/{payment}/confirm", {}),
    lambda api, _: api.call("POST", "/payments", raw=b"{", headers={"Content-Type": "application/json"}),
    lambda api, _: api.get("/customers/cus_nobody"),
)


def written(minor: int, code: str) -> str:
    return f"{minor / 10 ** PLACES[code]:.{PLACES[code]}f}"


def found(api: Wire, text: str) -> Any:
    reply = api.get(f"/_sandbox/search?text={quote(text)}")
    assert reply.status == 200, reply.raw
    return {row["kind"]: row["total"] for row in reply["kinds"]}, reply["data"]


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
@pytest.mark.parametrize("seed", range(times(3, soak=40)))
def test_whatever_has_it_is_found(seed: int, dialect: str) -> None:
    api, random = wire(dialect=get(dialect)), Random(seed)
    sums: dict[str, Counter[tuple[int, str]]] = {"payment": Counter(), "refund": Counter(), "dispute": Counter()}
    codes: Counter[str] = Counter()
    for _ in range(times(8, soak=40)):
        currency, amount = random.choice(list(PLACES)), random.choice((1000, 6540, 100, 254, 65540))
        payment = str(api.pay(amount=amount, currency=currency)["payment_id"])
        sums["payment"][amount, currency] += 1
        for kind, share in (("refund", random.choice((0, 1, 2, 10))), ("dispute", random.choice((0, 4)))):
            if share:
                what = {"amount": amount // share} if kind == "dispute" or share > 1 else {"amount": amount // 3}
                path = "/refunds" if kind == "refund" else f"/_sandbox/payments/{payment}/dispute"
                if api.post(path, {**what, **({"payment_id": payment} if kind == "refund" else {})}).status == 200:
                    sums[kind][what["amount"], currency] += 1
        reply = random.choice(REFUSED)(api, payment)
        assert reply.status >= 400
        codes[reply["error"]["code"]] += 1
    for code, number in codes.items():
        for text in (code, code.lower(), code.replace("_", " ")):
            kinds, data = found(api, text)
            assert kinds.get("call", 0) == number, (text, kinds)
            assert min(number, 20) == sum(hit["kind"] == "call" for hit in data)
    for amount, currency in set().union(*sums.values()):
        text = written(amount, currency)
        kinds, data = found(api, f"{text} {currency}")
        assert kinds == {kind: all_[amount, currency] for kind, all_ in sums.items() if all_[amount, currency]}
        for hit in data:
            assert (hit["amount"], hit["currency"]) == (amount, currency)
        kinds, _ = found(api, text)
        for kind, all_ in sums.items():
            same = sum(number for (minor, code), number in all_.items() if written(minor, code) == text)
            assert kinds.get(kind, 0) >= same


def test_a_code_that_no_call_was_refused_with_finds_nothing(api: Wire) -> None:
    api.pay()
    assert found(api, "IR_16") == ({}, [])
