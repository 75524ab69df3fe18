"""`card_token.card_holder_name` names a saved card that has no name; a name that was saved with it counts more."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CHARGE, saved, token
from tests.counts import SOAK
from tests.wire import card_data, wire

NAMES: Final = (None, "", "Jane Doe")
PAIRS: Final = [*product(NAMES, (*NAMES, "J. Roe"))] if SOAK else [(None, "J. Roe"), ("Jane", "J. Roe")]
"""What was saved with the card, and what comes beside its token."""
CALLS: Final[dict[str, list[tuple[str, ...]]]] = {
    "all at once": [("token", "name")],
    "at the confirmation": [(), ("token", "name")],
    "the token before": [("token",), ("name",)],
}
"""What a create says, and the confirmation after it."""


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("calls", CALLS)
def test_a_saved_card_without_a_name_is_charged_under_the_one_beside_its_token(dialect: Dialect, calls: str) -> None:
    api = wire(dialect=dialect)
    for number, (kept, given) in enumerate(PAIRS):
        customer, named = f"cus_{number}", {} if kept is None else {"card_holder_name": kept}
        method = saved(api, customer_id=customer, payment_method_data={"card": card_data(**named)})
        says: dict[str, dict[str, Any]] = {
            "token": {"payment_method": "card", "payment_token": token(api, customer)},
            "name": {"payment_method_data": {"card_token": {"card_holder_name": given}}},
        }
        order, *later = [{name: value for part in call for name, value in says[part].items()} for call in CALLS[calls]]
        paid = fine(api.post("/payments", {**CHARGE, "customer_id": customer, "confirm": not later, **order}))
        for body in later:
            fine(api.post(f"/payments/{paid['payment_id']}/confirm", body))
        card = fine(api.get(f"/payments/{paid['payment_id']}"))["payment_method_data"]["card"]
        assert card["card_holder_name"] == (kept or given or kept), (kept, given)
        after = fine(api.get(f"/payment_methods/{method}"))["card"]
        assert after["card_holder_name"] == kept, "the saved card stays as it is"
