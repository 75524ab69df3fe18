"""A list either says how much more there is, or has everything, unless the public API states where it ends.

A bare array says nothing: who reads ten connectors out of twelve creates the other two again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Success
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.paging import DEFAULT_LIMIT
from tests.api.money_places import disputed, fine, paid
from tests.api.saving import mandate
from tests.causes.raising import ADMIN
from tests.counts import times
from tests.routes.good import GOOD, STRIPE, caller
from tests.wire import Wire, wire

PAGED: Final = {
    "GET /customers/list": "ten unless `limit` says (facts §1.4)",
    "GET /payments/list": "ten unless `limit` says, with cursors (facts §1.1.1)",
    "GET /payments/profile/list": "as that of the merchant",
}
"""Lists of the public API that end without a sign, with the reason."""
NOT_PUBLIC: Final = (
    *("GET /refunds/list", "GET /refunds/profile/list", "POST /customers/list", "POST /customers/list_with_count"),
    "POST /api_keys/<merchant_id>/list",
)
"""Routes that are read as those of one record in the public API."""
Ids = Mapping[str, str]


def _sent(path: str, body: Mapping[str, Any], named: str, *, by: str | None = None) -> Callable[[Wire, Ids, int], Any]:
    """Creates one more by a call, with a name of its own."""

    def make(api: Wire, ids: Ids, number: int) -> Any:
        client = api if by is None else api.as_key(by)
        return fine(client.post(path.format(**ids), {**body, **({named: f"no_{number}"} if named else {})}))

    return make


MORE: Final[Mapping[str, Callable[[Wire, Ids, int], Any]]] = {
    "payments.list": lambda api, ids, number: api.pay(),
    "refunds.list": lambda api, ids, number: fine(api.post("/refunds", {"payment_id": paid(api)})),
    "disputes.list": lambda api, ids, number: disputed(api),
    "customers.list": _sent("/customers", {}, "customer_id"),
    "customers.mandates": lambda api, ids, number: mandate(api),
    "mandates.list": lambda api, ids, number: mandate(api),
    "profiles.list": _sent("/account/{merchant_id}/business_profile", {}, "profile_name"),
    "connectors.list": _sent(
        "/account/{merchant_id}/connectors", {**STRIPE, "profile_id": "pro_shop"}, "connector_label"
    ),
    "api_keys.list": _sent("/api_keys/{merchant_id}", {"expiration": "never"}, "name", by=ADMIN),
    "events.list": lambda api, ids, number: api.pay(),
    "events.list_of_profile": lambda api, ids, number: api.pay(),
    "events.attempts": _sent("/events/{merchant_id}/{event_id}/retry", {}, ""),
}
"""One more of what a list has."""
LISTS: Final = {
    name: [row for row in OPERATIONS if row.name == name]
    for name in dict.fromkeys(row.name for row in OPERATIONS if row.success is Success.PAGE)
}
"""The routes of each list; the first one is tried in every run."""


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", LISTS)
def test_a_list_says_that_there_is_more_or_has_all(name: str, dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    good = GOOD[name](api)
    for number in range(DEFAULT_LIMIT + 2):
        MORE[name](api, good.ids, number)
    for row in LISTS[name][: times(1, soak=9)]:
        if row.route in NOT_PUBLIC and dialect is HYPERSWITCH:
            continue
        client, path = caller(api, row), good.path(row).partition("?")[0]
        reply = client.call(row.method, path, headers=dict(good.headers))
        assert reply.status == 200, reply.raw
        keys = dialect.list_of(row.name, row.route)
        items = reply.json if keys.items is None else reply[keys.items]
        if keys.items and keys.total:
            assert reply[keys.total] > len(items) == DEFAULT_LIMIT
        elif row.route in PAGED:
            assert len(items) == DEFAULT_LIMIT
        else:
            assert len(items) >= DEFAULT_LIMIT + 2
            asked = (f"{path}?limit=3", None) if row.method == "GET" else (path, {"limit": 3})
            assert len(client.call(row.method, *asked, headers=dict(good.headers)).json) == 3
