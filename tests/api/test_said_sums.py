"""Sums in messages are those of the payment: nothing is said to be refunded, disputed or left that is not."""

from __future__ import annotations

import pytest

from tests.wire import Wire

DISPUTE = "/_sandbox/payments/pay_1/dispute"


@pytest.mark.parametrize("amount", [0, 1, 1000])
@pytest.mark.parametrize("before", ["nothing", "refund", "dispute"])
@pytest.mark.parametrize("path", ["/refunds", DISPUTE])
def test_a_refusal_names_the_sums_of_the_payment(api: Wire, path: str, before: str, amount: int) -> None:
    """A payment of 0 only verifies the card, and has no money to give back. The public dialect names no sums."""
    assert api.pay(payment_id="pay_1", amount=amount)["status"] == "succeeded"
    refunded = disputed = 0
    if before == "refund" and api.post("/refunds", {"payment_id": "pay_1"}).status == 200:
        refunded = amount
    if before == "dispute" and api.post(DISPUTE, {}).status == 200:
        disputed = amount
    for more in (1, 0, None):
        wanted = amount + (more or 0)
        body = {} if more is None or wanted == 0 else {"amount": wanted}
        reply = api.post(path, {"payment_id": "pay_1", **body} if path == "/refunds" else body)
        if path == "/refunds":
            code, left = "IR_13", amount - refunded - disputed
            said = (
                f"A refund of {wanted} is not possible: {amount} captured, {refunded} refunded or pending refund, "
                f"{disputed} disputed."
            )
        else:  # what was given back can still be disputed
            code, left = "IR_16", amount - disputed
            said = f"A dispute over {wanted} is not possible: {left} can be disputed."
        if 0 < wanted <= left:
            assert (reply.status, int(reply.json["amount"])) == (200, wanted)
            refunded, disputed = (refunded + wanted, disputed) if path == "/refunds" else (refunded, disputed + wanted)
        else:
            assert (reply.status, reply.error["code"], reply.error["message"]) == (400, code, said)
