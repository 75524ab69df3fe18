"""Sums in messages are right: nothing is said to be more than what it is not."""

from __future__ import annotations

import re

import pytest

from tests.wire import Wire


@pytest.mark.parametrize("amount", [0, 1, 1000])
@pytest.mark.parametrize("before", ["nothing", "refund", "dispute"])
@pytest.mark.parametrize("path", ["/refunds", "/_sandbox/payments/pay_1/dispute"])
def test_nothing_is_said_to_be_more_than_it_is(api: Wire, path: str, before: str, amount: int) -> None:
    """A payment of 0 only verifies the card, and has no money to give back."""
    assert api.pay(payment_id="pay_1", amount=amount)["status"] == "succeeded"
    if before == "refund":
        api.post("/refunds", {"payment_id": "pay_1"})
    if before == "dispute":
        api.post("/_sandbox/payments/pay_1/dispute", {})
    for asked in (None, *({amount, amount + 1} - {0})):
        body = {"payment_id": "pay_1"} if path == "/refunds" else {}
        reply = api.post(path, body if asked is None else {**body, "amount": asked})
        said = reply.error["message"] if reply.status != 200 else ""
        assert all(int(more) > int(less) for more, less in re.findall(r"(\d+) is more than [a-z: ]*(\d+)", said)), said
