"""The object as it was before an event, where nothing older was kept (scenario language: `body: stale`)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus


def unpaid(payment: Payment) -> Payment:
    """A payment as it stood before its first charge, which came in the call that made it (ours)."""
    return structs.replace(
        payment,
        status=PaymentStatus.REQUIRES_CONFIRMATION,
        modified_at=payment.created_at,
        authorized_amount=0,
        captured_amount=0,
        capture_pending_amount=0,
        connector=None,
        connector_transaction_id=None,
        network_transaction_id=None,
        past_attempts=(),
        attempt_state=None,
        captures=(),
        failure=None,
        next_action=None,
        waiting=None,
        hold=None,
        capture_before=None,
        manual_retry_allowed=None,
    )
