"""Money is given back once: every way to give it back after every other one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.wire import Reply, Wire, wire

Way = Callable[[Wire, str], Reply]
WHOLE: Final = 6540


def refund(api: Wire, payment: str) -> Reply:
    return api.post("/refunds", {"payment_id": payment})


def refund_of_a_part(api: Wire, payment: str) -> Reply:
    return api.post("/refunds", {"payment_id": payment, "amount": 1000})


def reversal(api: Wire, payment: str) -> Reply:
    return api.post(f"/payments/{payment}/cancel_post_capture", {})


def dispute(api: Wire, payment: str) -> Reply:
    return api.post(f"/_sandbox/payments/{payment}/dispute", {"amount": WHOLE})


def ended(to: str) -> Way:
    def way(api: Wire, payment: str) -> Reply:
        opened = dispute(api, payment)
        return (
            api.post(f"/_sandbox/disputes/{opened['dispute_id']}/advance", {"to": to})
            if opened.status == 200
            else opened
        )

    way.__name__ = f"dispute_{to}"
    return way


BY_THE_MERCHANT: Final = (refund, refund_of_a_part, reversal)
BY_THE_BANK: Final = (dispute, ended("lost"))


@pytest.mark.parametrize("second", BY_THE_MERCHANT)
@pytest.mark.parametrize("first", [*BY_THE_MERCHANT, *BY_THE_BANK])
def test_a_merchant_gives_back_only_what_is_left(first: Way, second: Way) -> None:
    api = wire()
    payment = api.pay()["payment_id"]
    assert first(api, payment).status == 200
    amounts: dict[Way, int] = {refund: WHOLE, refund_of_a_part: 1000, reversal: WHOLE}
    fits = amounts.get(first, WHOLE) + amounts[second] <= WHOLE
    assert (second(api, payment).status == 200) == fits


@pytest.mark.parametrize("second", BY_THE_MERCHANT)
def test_a_dispute_that_was_won_leaves_the_money(second: Way) -> None:
    api = wire()
    payment = api.pay()["payment_id"]
    assert ended("won")(api, payment).status == 200
    assert second(api, payment).status == 200


@pytest.mark.parametrize("second", BY_THE_BANK)
def test_a_reversed_payment_is_not_disputed(second: Way) -> None:
    api = wire()
    payment = api.pay()["payment_id"]
    assert reversal(api, payment).status == 200
    assert second(api, payment).status == 400
