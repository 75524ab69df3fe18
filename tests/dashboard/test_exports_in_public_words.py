"""One call of the public dialect as a test passes where sandboxes have either dialect: it says which it is of."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.testing.sandbox import Sandbox
from tests.dashboard.visitor import Visitor, text
from tests.exported import run_exported

SALE: Final = {"amount": 6540, "currency": "EUR"}
CALLS: Final[dict[str, tuple[str, str, Any]]] = {
    "too long a page": ("POST", "/payments/list", {"limit": 60}),
    "a list without an end": ("GET", "/disputes/list?limit=0", None),
    "an unknown parameter": ("GET", "/payments/list?status=succeeded", None),
    "more than the amount": ("POST", "/payments", {**SALE, "amount_to_capture": 9_999}),
    "a scheduled capture": ("POST", "/payments", {**SALE, "capture_method": "scheduled"}),
    "an empty creation": ("POST", "/payments", {}),
    "a fraction": ("POST", "/refunds", {"payment_id": "pay_1", "amount": 1.5}),
    "too long a name": ("POST", "/customers", {"name": "x" * 256}),
    "a customer": ("POST", "/customers", {"name": "Ada", "loyalty": 3}),
    "an address": ("POST", "/customers", {"address": {"line1": "", "country": "DE", "floor": 2}}),
}
"""Calls that are answered, or refused, otherwise in the interface."""


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_as_a_test_passes_where_sandboxes_have_any_dialect(
    visitor: Visitor, payment_sandbox: Sandbox, name: str, dialect: str
) -> None:
    visitor.api.put("/_sandbox/dialect", {"dialect": HYPERSWITCH.name})
    method, path, body = CALLS[name]
    visitor.api.speaks = HYPERSWITCH
    visitor.api.call(method, path, body)
    (call,) = visitor.api.get("/_sandbox/journal")["data"]
    run_exported(text(visitor.look(f"journal/{call['number']}?as=pytest&later=1")), payment_sandbox, dialect)
