"""Causes of the public server's rules, which are raised in its dialect alone."""

from __future__ import annotations

from typing import Any

from mock_server.domain.errors import Cause as C
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.causes.raising import Raise, Rows
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_payment


def agreeing(customer: str | None = CUSTOMER, **data: Any) -> Raise:
    """A payment that makes a mandate."""
    agreed = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}, **data}

    def raising(api: Wire, clock: ManualClock) -> Reply:
        body = card_payment(customer_id=customer, setup_future_usage="off_session", mandate_data=agreed)
        return api.post("/payments", body)

    return raising


PUBLIC: Rows = (
    (C.OVERCAPTURE_NEEDS_MANUAL, lambda api, clock: api.post("/payments", card_payment(enable_overcapture=True))),
    (C.MANDATE_NEEDS_CUSTOMER, agreeing(None)),
    (C.ACCEPTANCE_NEEDS_ONLINE, agreeing(customer_acceptance={"acceptance_type": "online"})),
)
