"""Records wait to be indexed until a list asks; a call that may ask leaves the server's loop before it does."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest
from flask import Flask

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS, may_take_long
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.engine import kinds
from mock_server.store import space as spaces
from mock_server.store import table as tables_of_records
from mock_server.store.protocol import RecordKind
from tests.api.money_places import disputed, paid, refund
from tests.loop import Loop
from tests.routes.good import GOOD, as_client, caller
from tests.wire import Wire, wire

WAITING: Final[tuple[tuple[RecordKind[Any], str], ...]] = (
    (kinds.PAYMENTS, "payment_id"),
    (kinds.REFUNDS, "refund_id"),
    (kinds.DISPUTES, "dispute_id"),
    (kinds.EVENTS, "event_id"),
    (kinds.CUSTOMERS, "customer_id"),
)
"""The kinds of which there may be any number while nothing is indexed, and their ids."""
FEW: Final = 20
"""So many are entered at once here: hundreds of records of each kind would be nearly all of this file's work."""


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (spaces, tables_of_records):
        monkeypatch.setattr(module, "AT_ONCE", FEW)


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_no_call_has_the_loop_wait_for_indexes(row: Operation) -> None:
    """Each operation, where more of each kind wait than are entered at once: answered on the loop, they still do."""
    api = wire()
    disputed(api)
    refund(api, paid(api))
    api.pay(customer_id="cus_first")
    good, client = GOOD[row.name](api), caller(api, row)
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    space, loop = api.sandbox.workspace(key).space, Loop(api.app)
    held = space.dump()
    many(held["records"])
    space = api.sandbox.store.replace(space.name, lambda _: None, held)  # as a restore does once it is checked
    tables = {kind.name: space.state.table(kind) for kind, _ in WAITING}
    assert all(table.waiting > FEW for table in tables.values()), tables
    good = good if client is api or good.secret is None else as_client(good, row)
    client = Wire(cast(Flask, loop), api.sandbox, client.key)
    assert good.sent(client, row).status < 400
    asked = [name for name, table in tables.items() if not table.waiting]
    assert not asked or loop.has_left or may_take_long(row.path)
    assert (row.method, row.path) != ("GET", "/payments/list") or not loop.has_left, "pages alone need no index"
    if asked and not row.changes:
        loop.has_left = False
        assert good.sent(client, row).status < 400
        assert not loop.has_left, "all are in now"


def many(held: dict[str, Any]) -> None:
    """Puts many records beside the newest of each kind, in what is dumped of them."""
    for kind, id_ in WAITING:
        _, version, newest = held[kind.name]["rows"][-1]
        for copy in range(FEW + 1):
            number = held[kind.name]["next"]
            held[kind.name]["rows"].append([number, version, {**newest, id_: f"{newest[id_]}_{copy}"}])
            held[kind.name]["next"] = number + 1
