"""A payment whose customer is asked for, and the key that signs its way back."""

from __future__ import annotations

from typing import Any

from tests.wire import Wire

RETURN = "https://shop.example.test/back?order=42&note=a%20b"


def challenged(api: Wire, card: str = "visa_3ds_required", **fields: Any) -> Any:
    """A payment whose customer is asked for."""
    made = api.pay(
        card, return_url=RETURN, description="two seats", customer_id="cus_1", name="Ada Lovelace", **fields
    ).json
    assert made["status"] == "requires_action"
    return made


def key_of(api: Wire) -> str:
    return str(api.get("/_sandbox/webhooks/target")["secret"])
