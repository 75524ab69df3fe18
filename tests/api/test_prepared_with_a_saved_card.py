"""A payment that was prepared with a saved card charges that card as it is when the customer confirms."""

from __future__ import annotations

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CHARGE, save, token
from tests.api.test_mandates_show_their_card import CHANGES
from tests.wire import Wire, card_data, wire

LONG = 90 * 24 * 3600
NEARLY_OVER = {"card": card_data(card_exp_month="02", card_exp_year="2026", card_holder_name="Jane Doe")}


def prepared(api: Wire) -> tuple[str, str]:
    """The IDs of a saved card that is nearly over, and of a payment with it that is not confirmed."""
    method = str(save(api, payment_method_data=NEARLY_OVER)["payment_method_id"])
    asked = {**CHARGE, "confirm": False, "payment_method": "card", "payment_token": token(api), "session_expiry": LONG}
    return method, str(fine(api.post("/payments", asked))["payment_id"])


@pytest.mark.parametrize("change", [name for name in CHANGES if name != "another mandate"])
@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
def test_the_card_is_shown_as_it_is_at_the_confirmation(dialect: Dialect, change: str) -> None:
    api = wire(dialect=dialect)
    method, payment = prepared(api)
    CHANGES[change](api, method)
    paid = fine(api.post(f"/payments/{payment}/confirm", {}))["payment_method_data"]["card"]
    saved = fine(api.get(f"/payment_methods/{method}"))["card"]
    ends = {name.removeprefix("card_"): value for name, value in paid.items()}
    assert (ends["exp_month"], ends["exp_year"]) == (saved["expiry_month"], saved["expiry_year"])
    assert paid["card_holder_name"] == saved["card_holder_name"]


def test_a_card_whose_end_was_moved_is_charged() -> None:
    api = wire()
    fine(api.post("/_sandbox/clock/freeze"))
    method, payment = prepared(api)
    CHANGES["year"](api, method)
    fine(api.post("/_sandbox/clock/advance", {"by": "80d", "deliver": False}))
    assert fine(api.post(f"/payments/{payment}/confirm", {}))["status"] == "succeeded"
