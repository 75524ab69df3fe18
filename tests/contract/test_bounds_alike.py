"""A number that is out of its bounds is refused alike in every call that has a field of this name with these bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.values import Amount, Whole
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CUSTOMER
from tests.wire import wire

BOTH: Final = pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)


def numbers(dialect: Dialect) -> Iterator[tuple[str, str, Whole]]:
    """Every number with an upper bound that is no amount, by operation and name."""
    for row in OPERATIONS:
        taken: list[Any] = [one.of(dialect) for one in row.takes if one is not None]
        for shape in taken:
            for name, field in getattr(shape, "one", shape).schema.load_fields.items():
                if isinstance(field, Whole) and not isinstance(field, Amount) and field.most is not None:
                    yield row.name, name, field


@BOTH
def test_a_name_with_the_same_bounds_has_one_rule(dialect: Dialect) -> None:
    rules = defaultdict[Any, set[tuple[Any, str]]](set)
    for operation, name, field in numbers(dialect):
        rules[name, field.least, field.most].add((field.rule, operation))
    assert len(rules) > 3
    assert {bounds: found for bounds, found in rules.items() if len({rule for rule, _ in found}) > 1} == {}


@BOTH
@pytest.mark.parametrize("value", [59, 7_890_001])
def test_a_profiles_session_is_bounded_as_a_payments(dialect: Dialect, value: int) -> None:
    api = wire(dialect=dialect)
    made = fine(api.post("/payments", {"amount": 5, "currency": "USD", "profile_id": "pro_shop"}))
    path = f"/account/{made['merchant_id']}/business_profile/pro_shop"
    one, other = (api.post(where, {"session_expiry": value}) for where in (f"/payments/{made['payment_id']}", path))
    assert (one.status, one.error) == (other.status, other.error)
    assert one.status == (400 if dialect is INTERFACE else 422)


@pytest.mark.parametrize("limit", [0, 101])
def test_a_page_of_saved_methods_is_bounded_as_any(limit: int) -> None:
    api = wire(dialect=HYPERSWITCH)
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    for path in ("/customers/list", f"/customers/{CUSTOMER}/payment_methods"):
        reply = api.get(f"{path}?limit={limit}")
        assert (reply.status, reply.error["code"]) == (422, "IR_06")
