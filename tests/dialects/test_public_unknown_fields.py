"""A field that nobody knows, at the top of each body: refused where the public API refuses one, else passed over."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.counts import times
from tests.routes.good import GOOD, caller, good
from tests.wire import Wire, wire

STRICT: Final = (
    *(
        "/payments",
        "/payments/<payment_id>",
        "/payments/<payment_id>/confirm",
        "/payments/<payment_id>/update_metadata",
    ),
    *("/payments/list", "/payments/profile/list", "/refunds", "/refunds/<refund_id>", "/payment_methods"),
    *("/account/<merchant_id>/business_profile", "/account/<merchant_id>/business_profile/<profile_id>"),
)
"""Paths of the bodies that are strict, whatever the method."""
OURS: Final = ("customers.list", "api_keys.list")
"""Lists that the public API has by GET alone."""
ROWS: Final = [
    row
    for row in OPERATIONS
    if row.method in ("POST", "PUT") and not row.multipart and row.name in GOOD and row.name not in OURS
]
TOLD, PASSED_OVER = ([row for row in ROWS if (row.path in STRICT) is strict] for strict in (True, False))
MORE: Final = {"planet": "Mars"}


@pytest.fixture(scope="module")
def shop() -> Wire:
    return wire(dialect=HYPERSWITCH)


@pytest.mark.parametrize("row", [*TOLD, *PASSED_OVER[:: times(3, soak=1)]], ids=lambda row: f"{row.method} {row.path}")
def test_an_unknown_field_is_refused_or_passed_over(shop: Wire, row: Operation) -> None:
    api = shop.as_key(f"snd_planet_{ROWS.index(row)}")
    made = good(api, row)
    body = [{**one, **MORE} for one in made.body] if isinstance(made.body, list) else {**(made.body or {}), **MORE}
    reply = caller(api, row).call(row.method, made.path(row), body, headers={**made.headers})
    if row.path in STRICT:
        assert (reply.status, reply.error["error_type"], reply.error["code"]) == (400, "invalid_request", "IR_06")
        assert reply.error["message"].startswith("Json deserialize error: unknown field `planet`")
    else:
        assert b"planet" not in reply.raw  # which is told first of all
