"""A payment and a refund, as small as they can be."""

from __future__ import annotations

from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.domain.statuses import PaymentStatus, RefundStatus

REFUND = Refund(
    refund_id="ref_1",
    payment_id="pay_1",
    merchant_id="mer_1",
    profile_id="pro_1",
    status=RefundStatus.PENDING,
    amount=100,
    currency="USD",
    created_at=0,
    modified_at=0,
    connector="sandbox",
)

PAYMENT = Payment(
    payment_id="pay_1",
    merchant_id="mer_1",
    profile_id="pro_1",
    status=PaymentStatus.SUCCEEDED,
    amount=1000,
    currency="USD",
    client_secret="s",
    created_at=0,
    modified_at=0,
    expires_at=0,
    session_expiry_s=900,
    captured_amount=1000,
)
