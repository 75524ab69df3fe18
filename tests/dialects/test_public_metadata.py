"""Metadata that nobody gave is null, except on payments and refunds, where it is an empty object (dialect page)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.saving import CUSTOMER
from tests.routes.good import GOOD, caller
from tests.wire import wire

SENT: Final = ("payments.update_metadata", "payments.replace", "payment_methods.update")
NOT_GOOD: Final = {"api_keys", "connectors"}
"""Whose good call lacks what this dialect requires."""
ROWS: Final = tuple(
    row for row in BY_NAME.values() if row.name not in SENT and row.name.partition(".")[0] not in NOT_GOOD
)


def found(value: Any) -> Iterator[Any]:
    """All metadata of an answer."""
    if isinstance(value, dict):
        if "metadata" in value:
            yield value["metadata"], "payment_id" in value
        for inner in value.values():
            yield from found(inner)
    if isinstance(value, list):
        for inner in value:
            yield from found(inner)


def test_it_is_looked_for() -> None:
    assert len(ROWS) > 70


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_metadata_that_nobody_gave(row: Any) -> None:
    api = wire(dialect=HYPERSWITCH)
    try:
        good = GOOD[row.name](api)
    except (AssertionError, KeyError, TypeError):
        return  # it is made by calls of the default dialect
    reply = caller(api, row).call(row.method, good.path(row), good.body, headers=dict(good.headers))
    if reply.status == 200 and reply.raw.startswith((b"{", b"[")):
        for told, of_payment in found(reply.json):
            assert told == ({} if of_payment else None)


def test_connectors_too() -> None:
    api = wire(dialect=HYPERSWITCH)
    own = api.post("/payments", {"amount": 1, "currency": "USD", "customer_id": CUSTOMER})["merchant_id"]
    body = {"connector_name": "stripe", "connector_type": "payment_processor"}
    assert api.post(f"/account/{own}/connectors", body)["metadata"] is None
    assert api.get(f"/customers/{CUSTOMER}")["metadata"] is None
