"""A confirmation with `mandate_data` makes a mandate, or is refused: never a payment that nobody can charge again."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.methods import ALL_METHODS, METHODS, Method
from tests.api import paying
from tests.api.money_places import fine
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.api.test_public_methods import body_of, created, offer
from tests.counts import times
from tests.wire import Reply, Wire, card_data, wire

DATA: Final = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}
ASKS: Final = {"customer_id": CUSTOMER, "setup_future_usage": "off_session", "mandate_data": DATA}


def public(api: Wire, row: Method) -> Reply:
    """Asks for the mandate first, and confirms by the method."""
    made = created(api, row, **ASKS)
    if row.category == "card":
        return api.post(f"/payments/{made['payment_id']}/confirm", _CARD)
    told: Any = offer(api, created(api, row), row)
    said_later = created(api, row, customer_id=CUSTOMER, setup_future_usage="off_session")  # as a checkout's page does
    is_offered = [offer(api, one, row) is not None for one in (made, said_later)]
    assert is_offered == [row.category in ("wallet", "bank_redirect", "bank_debit")] * 2, (
        "what is refused is not offered"
    )
    return api.post(f"/payments/{made['payment_id']}/confirm", body_of(row, list(told["required_fields"].values())))


_CARD: Final = {
    "payment_method": "card", "payment_method_type": "credit", "payment_method_data": {"card": card_data()},
}  # fmt: skip


@pytest.mark.parametrize("is_public", [False, True], ids=["interface", "public"])
def test_each_method_makes_a_mandate_or_is_refused(is_public: bool) -> None:
    api = wire(dialect=HYPERSWITCH if is_public else None)
    ends = Counter[str]()
    for row in (ALL_METHODS if is_public else METHODS)[:: times(7 if is_public else 3, soak=1)]:
        reply = public(api, row) if is_public else paying.pay(api, row, **ASKS)
        if reply.status != 200:
            assert (reply.status, reply.error["code"]) == (400, "IR_19"), (row, reply.raw)
            ends["refused"] += 1
            continue
        path = f"/payments/{reply['payment_id']}"
        if reply["status"] not in ("succeeded", "failed"):
            fine(api.post(f"/_sandbox{path}/settle", {"as": "succeeded"}))
        paid = fine(api.get(path))
        assert (paid["status"], bool(paid["mandate_id"])) == ("succeeded", True), row
        assert fine(api.get(f"/mandates/{paid['mandate_id']}"))["status"] == "active"
        ends["mandate"] += 1
    assert len(ends) == 2
