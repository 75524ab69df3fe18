from __future__ import annotations

import pytest

from mock_server.testing import Sandbox


@pytest.mark.payment_sandbox(scenario="rate_limited")
def test_a_busy_api_is_left_alone(payment_sandbox: Sandbox) -> None:
    for order in ("order-1", "order-2", "order-3", "order-4"):
        for _ in range(5):
            if payment_sandbox.client.pay(merchant_order_reference_id=order, idempotency_key=order).status == 200:
                break
