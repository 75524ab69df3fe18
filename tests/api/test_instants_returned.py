"""An instant that a request gives in any form that is accepted is returned as answers promise: in RFC 3339."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.instants import parse
from tests.wire import card_payment, wire

FORMS: Final = (
    "2027-01-15",
    "2027-01-15T08:00Z",
    "2027-01-15 08:00:00Z",
    "2027-01-15t08:00:00z",
    "2027-01-15T08:00:00Z",
    "2027-01-15T08:00:00.123456789Z",
    "2027-01-15T09:00:00+01:00",
    "2027-01-15T09:00:00+0100",
    "2027-01-15 09:00+01:00",
)
FULL: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def body(instant: str) -> dict[str, Any]:
    """A payment with the instant wherever a request may have one."""
    accepted = {"acceptance_type": "offline", "accepted_at": instant}
    limits = {"amount": 10_000, "currency": "USD", "start_date": instant, "end_date": instant}
    mandate = {"mandate_type": {"multi_use": limits}, "customer_acceptance": accepted}
    order = {"customer_id": "cus_ada", "setup_future_usage": "off_session", "order_date": instant}
    return {**card_payment(), **order, "customer_acceptance": accepted, "mandate_data": mandate}


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("form", FORMS)
def test_an_instant_is_returned_in_full(form: str, dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    made = api.post("/payments", {**body(form), "confirm": True})
    assert made.status == 200, made.raw
    mandate = api.get(f"/mandates/{made['mandate_id']}").json
    shown = re.findall(r'"(?:accepted_at|start_date|end_date|order_date)": "([^"]+)"', json.dumps([made.json, mandate]))
    assert len(shown) >= 4
    for one in shown:
        assert FULL.fullmatch(one), one
        assert parse(one) == parse(form)
