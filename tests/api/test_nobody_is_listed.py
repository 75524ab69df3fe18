"""A filter of a list with a value that no record has finds none, beside what the path and the headers already say.

Every parameter of every list, in each dialect: one that is passed over would find all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.objects import Items
from mock_server.contract.kinds.values import Flag, Instant, Whole
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CUSTOMER, mandate
from tests.counts import times
from tests.routes.good import caller, merchant
from tests.wire import Reply, Wire, wire

NEVER: Final = {"lt": "1970-01-01T00:00:00Z", "gt": "2099-01-01T00:00:00Z"}
UNTIL: Final = ("_lt", "_lte", "_before", "end_time")
OF_A_BODY: Final = frozenset({"order", "amount_filter"})
OURS_ALONE: Final = frozenset({"POST /customers/list", "POST /customers/list_with_count", "GET /refunds/list"})
"""In the public API these are other routes, with an ID."""
ENDS: Final = (".list", ".mandates", ".list_of_profile")
WITHOUT_RECORDS: Final = ("payment_methods.", "blocklist.", "api_keys.", "connectors.", "profiles.")
LISTS: Final = tuple(
    row for row in OPERATIONS if row.name.endswith(ENDS) and not row.name.startswith(WITHOUT_RECORDS) and row.takes[1]
)
"""Each route; those without records are of other things than a payment causes."""


def asked(row: Operation, dialect: Dialect) -> Iterator[tuple[str, object]]:
    """Each parameter with a value that no record has, or that is no value."""
    shape: Any = row.takes[1 if row.method == "GET" else 0]
    for name, field in shape.of(dialect).schema.load_fields.items():
        kind = field.inner if isinstance(field, Items) else field
        if name in ("offset", "skip"):
            yield name, 99
        elif isinstance(kind, Instant):
            yield name, NEVER["lt" if name.endswith(UNTIL) else "gt"]
        elif name in ("start_amount", "end_amount"):
            yield name, {"start_amount": 900_000_000, "end_amount": 1}[name]
        elif not isinstance(kind, Whole | Flag) and name not in OF_A_BODY:
            yield name, "nobody"


def listed(reply: Reply) -> list[Any]:
    """What is in the page, whatever its envelope."""
    if isinstance(reply.json, list):
        return reply.json
    return next(value for value in fine(reply).json.values() if isinstance(value, list))


@pytest.fixture(scope="module")
def shops() -> Mapping[str, Wire]:
    """A workspace of each dialect with some of each."""
    made = {dialect.name: wire(dialect=dialect) for dialect in (INTERFACE, HYPERSWITCH)}
    for api in made.values():
        mandate(api)
        api.post("/refunds", {"payment_id": api.pay()["payment_id"], "amount": 100})
        api.post(f"/_sandbox/payments/{api.pay()['payment_id']}/dispute", {"reason": "fraudulent"})
    return made


ASKED: Final = tuple(
    (dialect, row)
    for row in LISTS
    for dialect in (INTERFACE, HYPERSWITCH)
    if dialect is INTERFACE or f"{row.method} {row.path}" not in OURS_ALONE
)


@pytest.mark.parametrize(
    ("dialect", "row"),
    ASKED[:: times(4, soak=1)],
    ids=lambda one: f"{one.method} {one.path}" if isinstance(one, Operation) else one.name,
)
def test_nobody_is_found(shops: Mapping[str, Wire], dialect: Dialect, row: Operation) -> None:
    api = shops[dialect.name]
    path = row.path.replace("<merchant_id>", merchant(api)).replace("<customer_id>", CUSTOMER)
    headers = {"X-Profile-Id": "pro_shop"} if "/profile/" in path else {}
    by = caller(api, row)
    first = by.call(row.method, path, None if row.method == "GET" else {}, headers=headers)
    assert listed(first)
    passed_over = []
    for name, value in asked(row, dialect):
        if row.method == "GET":
            reply = by.call("GET", f"{path}?{urlencode({name: value})}", headers=headers)
        else:
            reply = by.call("POST", path, {name: value}, headers=headers)
        if reply.status not in (400, 404) and listed(reply):
            passed_over.append(name)
    assert not passed_over
