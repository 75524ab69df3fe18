"""What a replacement says about a record is so, or it is refused: every PUT that replaces x every field of its body."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Flag, Whole
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from tests.routes.good import GOOD
from tests.wire import Wire, wire

OPERATIONS: Final = tuple(row for row in BY_NAME.values() if row.method == "PUT" and row.name.endswith(".replace"))
BESIDE: Final = frozenset(
    {
        *("payment_method", "payment_method_type", "payment_method_data", "payment_token", "mandate_id", "name"),
        *("confirm", "client_secret", "payment_link"),
    }
)
"""Fields that need others beside them, or that ask for something."""
WITHOUT_EFFECT: Final = {("payments.replace", "merchant_id")}


def _body(row: Operation) -> dict[str, FieldKind]:
    assert row.takes[0] is not None
    shape: Any = row.takes[0].of(INTERFACE)
    return {name: field for name, field in shape.schema.load_fields.items() if isinstance(field, FieldKind)}


def _others(kind: FieldKind, shown: Any) -> list[Any]:
    """Valid values of this field, most of them other than what is shown."""
    if isinstance(kind, Choice):
        return [word for word in kind.words if word != shown][:3]
    if isinstance(kind, Flag):
        return [not shown]
    if isinstance(kind, Whole):
        return [(shown or 0) + 1, 1]
    return [kind.metadata.get("example") or "another_1"] if isinstance(kind, Text) else []


FIELDS: Final = [
    (row, name)
    for row in OPERATIONS
    for name in _body(row)
    if name not in BESIDE and (row.name, name) not in WITHOUT_EFFECT
]


@pytest.mark.parametrize(("row", "name"), FIELDS, ids=lambda one: getattr(one, "name", one))
def test_a_replacement_is_so_or_is_refused(row: Operation, name: str) -> None:
    api: Wire = wire()
    good = GOOD[row.name](api)
    shown = api.get(good.path(row)).json
    if name not in shown:
        return
    assert good.sent(api, row, **{name: shown[name]}).status == 200, "what is so already"
    for value in _others(_body(row)[name], shown[name]):
        reply = good.sent(api, row, **{name: value})
        if reply.status == 200:
            assert reply[name] == value, (name, value, reply[name])
            assert api.get(good.path(row))[name] == value
        else:
            assert reply.status in (400, 404) and name in reply.error["message"], reply.raw


def test_every_replacement_is_known() -> None:
    assert [row.name for row in OPERATIONS] == [
        *("payments.replace", "customers.replace", "profiles.replace", "refunds.replace"),
    ]
