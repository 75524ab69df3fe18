"""Every method that can be saved is charged again without its customer: nothing is asked for that only a page needs.

Such a charge names the saved method and the amount. There is nobody who could be sent to a page and come back.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.customer import SAVEABLE
from mock_server.domain.methods import ALL_METHODS, Method
from tests.api.money_places import fine
from tests.api.places import authenticate
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.api.test_public_methods import body_of, created, offer
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Reply, Wire, card_data, wire

ROWS: Final = tuple(row for row in ALL_METHODS if row.category in SAVEABLE)
WAYS: Final = ("mandate_id", "recurring mandate", "recurring method", "token")
AGREED: Final = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}
DAY_MS: Final = 86_400_000


def saved(api: Wire, clock: ManualClock, row: Method) -> Any:
    """A payment that saved its method and made a mandate; None where the method is not offered for it."""
    made = created(api, row, customer_id=CUSTOMER, setup_future_usage="off_session", mandate_data=AGREED)
    if row.category == "card":
        body: dict[str, Any] = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
    else:
        told = offer(api, made, row)
        if told is None:
            return None
        body = body_of(row, list(told["required_fields"].values()))
    path = f"/payments/{made['payment_id']}"
    if fine(api.post(f"{path}/confirm", body))["next_action"]:
        authenticate(api, made["payment_id"])
    clock.advance(10 * DAY_MS)
    return fine(api.get(path))


def charged(api: Wire, payment: Any, way: str) -> Reply:
    """A charge that says whose it is, and how much."""
    body = {"amount": 50, "currency": payment["currency"], "customer_id": CUSTOMER, "confirm": True}
    if way == "token":
        (kept,) = fine(api.get(f"/customers/{CUSTOMER}/payment_methods"))["customer_payment_methods"]
        names = ("payment_method", "payment_method_type", "payment_token")
        return api.post("/payments", {**body, **{name: kept[name] for name in names}})
    kind = "payment_method_id" if way == "recurring method" else "mandate_id"
    data = {"type": kind, "data": payment[kind]}
    how = {"mandate_id": data["data"]} if way == "mandate_id" else {"recurring_details": data}
    return api.post("/payments", {**body, "off_session": True, **how})


def test_there_are_many() -> None:
    assert {row.category for row in ROWS} == set(SAVEABLE)
    assert len(ROWS) > 40


@pytest.mark.parametrize("way", WAYS)
def test_a_saved_method_needs_no_page(way: str) -> None:
    wrong, count = [], 0
    for row in ROWS[:: times(4, soak=1)]:
        clock = ManualClock()
        api = wire(dialect=HYPERSWITCH, clock=clock)
        payment = saved(api, clock, row)
        if payment is None or payment["mandate_id"] is None:
            continue
        count += 1
        reply = charged(api, payment, way)
        if reply.status != 200 or reply["status"] not in ("succeeded", "processing"):
            wrong.append((row.type, reply.status, reply.raw[:160]))
    assert count > 4
    assert not wrong, (len(wrong), wrong[:3])
