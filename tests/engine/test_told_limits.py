"""The numbers in refusals are the limits that hold: what they allow is done, and one more is refused."""

from __future__ import annotations

import re
from typing import Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.instants import DAY_MS
from tests.api.money_places import dispute
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, wire

FOR_EVER_DAYS: Final = 1_000


def numbers(reply: Reply) -> list[int]:
    """The numbers in the message of a refusal."""
    assert reply.status >= 400, reply.raw
    return [int(found) for found in re.findall(r"\b\d+\b", reply.error["message"])]


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
def test_a_refund_is_possible_for_as_many_days_as_the_refusal_says(dialect: Dialect) -> None:
    clock = ManualClock()
    api = wire(clock=clock, dialect=dialect)
    payment = api.pay()["payment_id"]
    clock.advance(FOR_EVER_DAYS * DAY_MS)
    (days,) = numbers(api.post("/refunds", {"payment_id": payment}))
    payment = api.pay()["payment_id"]
    clock.advance(days * DAY_MS)
    assert api.post("/refunds", {"payment_id": payment, "amount": 1}).status == 200
    clock.advance(1)
    assert numbers(api.post("/refunds", {"payment_id": payment, "amount": 1})) == [days]


@pytest.fixture
def api() -> Wire:
    return wire()


@pytest.mark.parametrize("disputed", [0, 1, 6_539, 6_540])
def test_as_much_can_be_disputed_as_the_refusal_says(api: Wire, disputed: int) -> None:
    payment = api.pay()["payment_id"]
    if disputed:
        assert dispute(api, payment, amount=disputed)["amount"] == str(disputed)
    asked, rest = numbers(dispute(api, payment, amount=10_000))
    assert (asked, rest) == (10_000, 6_540 - disputed)
    assert numbers(dispute(api, payment, amount=rest + 1)) == [rest + 1, rest]
    last = dispute(api, payment)
    # where nothing is left, the whole sum was asked for: 0 is not more than 0
    assert (last["amount"] == str(rest)) if rest else numbers(last) == [6_540, 0]
    assert dispute(api, payment).status == 400
