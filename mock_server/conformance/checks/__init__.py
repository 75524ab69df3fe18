"""All checks, in the order in which they are run and shown."""

from __future__ import annotations

from typing import Final

from mock_server.conformance.checks import (
    after_payment,
    customers,
    http,
    idempotency,
    keys,
    lists,
    payments,
    public,
    webhooks,
)

CHECKS: Final = (
    *http.HTTP, *keys.ROWS, *payments.PAYMENTS, *http.VALIDATION, *after_payment.CAPTURES, *payments.REDIRECTS,
    *after_payment.REFUNDS, *idempotency.ROWS, *lists.ROWS, *customers.ROWS, *after_payment.DISPUTES, *webhooks.ROWS,
    *public.ROWS, *http.RATE_LIMIT,
)  # fmt: skip
