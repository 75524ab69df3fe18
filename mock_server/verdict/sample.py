"""An event for receivers that ask nobody back: as the sandbox sends one, about a payment that no sandbox has."""

from __future__ import annotations

from typing import Any, Final

EVENT: Final[dict[str, Any]] = {
    "merchant_id": "mer_probe0000000000000000",
    "event_id": "evt_probe0000000000000000",
    "event_type": "payment_succeeded",
    "content": {
        "type": "payment_details",
        "object": {
            "payment_id": "pay_probe0000000000000000",
            "merchant_id": "mer_probe0000000000000000",
            "status": "succeeded",
            "amount": 4200,
            "amount_received": 4200,
            "currency": "EUR",
            "merchant_order_reference_id": "order-probe",
            "metadata": {},
            "created": "2026-01-01T00:00:00.000Z",
            "updated": "2026-01-01T00:00:00.000Z",
        },
    },
    "timestamp": "2026-01-01T00:00:00.000Z",
    "processor_merchant_id": "mer_probe0000000000000000",
}
