"""A full, good body, and how to spoil one place of it."""

from __future__ import annotations

import json
from typing import Any, Final

from mock_server.contract.requests.payments import calls as payments
from mock_server.contract.requests.shapes import Shape
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import FieldError, Refusal

NOW_MS: Final = 1_800_000_000_000  # 2027-01-15T08:00:00Z
CREATE: Final = payments.CREATE.under(INTERFACE.bodies["payments.create"])
LEAST: Final[dict[str, Any]] = {"amount": 6540, "currency": "USD", "profile_id": "pro_1"}

CARD: Final[dict[str, Any]] = {
    "card_number": "4242424242424242",
    "card_exp_month": "03",
    "card_exp_year": "2035",
    "card_cvc": "737",
    "card_holder_name": "Jane Doe",
}
CONTACT: Final[dict[str, Any]] = {
    "address": {"line1": "1467 Harrison Street", "city": "San Francisco", "country": "US", "first_name": "Jane"},
    "phone": {"number": "5550100", "country_code": "+1"},
    "email": "jane.doe@example.com",
}
ACCEPTANCE: Final[dict[str, Any]] = {
    "acceptance_type": "online",
    "accepted_at": "2027-01-15T07:59:00Z",
    "online": {"ip_address": "203.0.113.7", "user_agent": "Mozilla/5.0"},
}
BOUNDS: Final[dict[str, Any]] = {"amount": 6540, "currency": "USD", "start_date": "2027-01-15T00:00:00Z"}
FULL: Final[dict[str, Any]] = {
    **LEAST,
    "payment_id": "pay_order_1001",
    "confirm": True,
    "customer_id": "cus_1",
    "description": "Order 1001",
    "return_url": "https://shop.example.com/return",
    "capture_method": "automatic",
    "authentication_type": "no_three_ds",
    "email": "jane.doe@example.com",
    "payment_method": "card",
    "payment_method_type": "credit",
    "payment_method_data": {"card": CARD, "billing": CONTACT},
    "setup_future_usage": "off_session",
    "merchant_order_reference_id": "order-1001",
    "shipping": CONTACT,
    "billing": CONTACT,
    "statement_descriptor_name": "EXAMPLE SHOP",
    "statement_descriptor_suffix": "1001",
    "metadata": {"order_id": "1001", "count": 42},
    "browser_info": {"ip_address": "203.0.113.7", "color_depth": 24, "java_enabled": False},
    "amount_to_capture": 6540,
    "shipping_cost": 500,
    "surcharge_details": {"surcharge_amount": 100, "tax_amount": 19},
    "customer": {"id": "cus_1", "name": "Jane Doe", "email": "jane.doe@example.com"},
    "customer_acceptance": ACCEPTANCE,
    "mandate_data": {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": BOUNDS}},
    "recurring_details": {"type": "mandate_id", "data": "man_1"},
    "session_expiry": 900,
    "order_details": [{"product_name": "Shirt", "quantity": 1, "amount": 6540}],
    "connector_metadata": {"anything": [1, {"at": "all"}]},
    "connector": ["first", "second"],
    "order_date": "2027-01-15",
}
GONE: Final = object()


def spoiled(path: str, value: object, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """A copy of a body with one place set (or `GONE`); what lies on the way there is made."""
    changed: dict[str, Any] = json.loads(json.dumps(FULL if body is None else body))  # nothing shared with the original
    *way, last = path.split(".")
    place: Any = changed
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    if value is GONE:
        del place[last]
    elif isinstance(place, list):
        place[int(last)] = value
    else:
        place[last] = value
    return changed


def refused(shape: Shape[Any], body: object, *, ignore_unknown: bool = False) -> Refusal:
    """The refusal of a body that must not pass."""
    try:
        command = shape.load(body, NOW_MS, lambda: ignore_unknown)
    except Refusal as refusal:
        return refusal
    raise AssertionError(f"accepted as {command!r}")


def wrong(shape: Shape[Any], body: object) -> tuple[FieldError, ...]:
    """The wrong fields of a body that must not pass."""
    return refused(shape, body).fields


def paths(shape: Shape[Any], body: object) -> list[str]:
    """Their paths, in order."""
    return [error.field for error in wrong(shape, body)]
