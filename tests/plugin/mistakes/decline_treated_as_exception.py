from __future__ import annotations

from typing import Any

import pytest

from mock_server.testing import Sandbox


def charge(sandbox: Sandbox, number: int) -> dict[str, Any]:
    paid = sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=f"order-1-{number}")
    if paid["status"] != "succeeded":
        raise ConnectionError("the payment service does not work")
    return dict(paid.json())


@pytest.mark.payment_outcomes("insufficient_funds")
def test_a_declined_customer_is_asked_for_another_card(payment_sandbox: Sandbox) -> None:
    for number in range(3):
        try:
            charge(payment_sandbox, number)
        except ConnectionError:
            continue
    payment_sandbox.journal.assert_called("payments.create", times=1)
