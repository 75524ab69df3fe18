"""What an account enables changes what a checkout offers, so every mistake in it is refused, in both dialects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.routes.good import merchant
from tests.wire import wire

FULL: Final[dict[str, Any]] = {
    "payment_method": "card",
    "payment_method_types": [
        {
            "payment_method_type": "credit",
            "payment_experience": "redirect_to_url",
            "card_networks": ["Visa"],
            "accepted_currencies": {"type": "enable_only", "list": ["EUR"]},
            "accepted_countries": {"type": "disable_only", "list": ["FR"]},
            "minimum_amount": 1,
            "maximum_amount": 5_000,
            "recurring_enabled": True,
            "installment_payment_enabled": False,
        }
    ],
}
WRONG: Final = ("nope", "5", {"nope": 1}, -1.5)
dialects = pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)


def spoiled(value: Any, wrong: Any) -> Iterator[Any]:
    """The value with one place after the other made wrong."""
    yield wrong
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from ({**value, name: one} for one in spoiled(inner, wrong))
    if isinstance(value, list):
        for inner in value:
            yield from ([one] for one in spoiled(inner, wrong))


@dialects
@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_every_place_is_checked(dialect: Any, wrong: Any) -> None:
    api = wire(dialect=dialect)
    path = f"/account/{merchant(api)}/connectors"
    body = {"connector_name": "stripe", "connector_type": "payment_processor"}
    assert api.post(path, {**body, "payment_methods_enabled": [FULL]})["payment_methods_enabled"] == [FULL]
    cases = [one for one in spoiled(FULL, wrong) if one != FULL]
    assert len(cases) > 15
    for number, one in enumerate(cases):
        label = f"label_{number}"
        reply = api.post(path, {**body, "connector_label": label, "payment_methods_enabled": [one]})
        assert reply.status == 400, (one, reply.raw)


@dialects
def test_methods_of_either_dialect_can_be_enabled(dialect: Any) -> None:
    api = wire(dialect=dialect)
    enabled = [{"payment_method": "bank_debit"}, {"payment_method": "voucher"}, {"payment_method": "crypto"}]
    body = {"connector_name": "stripe", "connector_type": "payment_processor", "payment_methods_enabled": enabled}
    assert api.post(f"/account/{merchant(api)}/connectors", body)["payment_methods_enabled"] == enabled


@dialects
def test_types_to_allow_are_checked(dialect: Any) -> None:
    api = wire(dialect=dialect)
    body = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop"}
    assert api.post("/payments", {**body, "allowed_payment_method_types": ["credit", "sepa"]}).status == 200
    assert api.post("/payments", {**body, "allowed_payment_method_types": ["creditt"]}).status == 400
