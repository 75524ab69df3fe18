"""All checks, in the order in which they are run and shown."""

from __future__ import annotations

from typing import Final

from mock_server.conformance.checks import (
    captures,
    customers,
    disputes,
    http,
    idempotency,
    keys,
    lists,
    payments,
    rate_limit,
    redirects,
    refunds,
    validation,
    webhooks,
)

CHECKS: Final = (
    *http.ROWS,
    *keys.ROWS,
    *payments.ROWS,
    *validation.ROWS,
    *captures.ROWS,
    *redirects.ROWS,
    *refunds.ROWS,
    *idempotency.ROWS,
    *lists.ROWS,
    *customers.ROWS,
    *disputes.ROWS,
    *webhooks.ROWS,
    *rate_limit.ROWS,
)
