"""Every list answers a GET with a query and a POST with a body, alike (decisions "Words on the wire")."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.contract.operation import Operation, Success
from mock_server.contract.operations import OPERATIONS
from tests.routes.good import GOOD, caller
from tests.wire import wire

LISTS: Final = tuple({row.path: row for row in OPERATIONS if row.success is Success.PAGE}.values())
BY_GET_ALONE: Final = ("profiles.list", "connectors.list")
"""A POST to these paths creates one."""


@pytest.mark.parametrize("row", LISTS, ids=lambda row: row.route)
def test_a_list_answers_both(row: Operation) -> None:
    api = wire()
    good = GOOD[row.name](api)
    client = caller(api, row)
    path = good.path(row).partition("?")[0]
    got = client.call("GET", f"{path}?limit=1&offset=0", headers=dict(good.headers))
    assert (got.status, [*got.json]) == (200, ["data", "total_count", "has_more"]), got.raw
    if row.name in BY_GET_ALONE:
        return
    posted = client.call("POST", path, {"limit": 1, "offset": 0}, headers=dict(good.headers))
    assert (posted.status, posted.json) == (200, got.json)
    assert client.call("POST", path, {"limit": 101}).error["fields"][0]["field"] == "limit"


PARTS: Final = {"GET": ("?nosuch=1", None, "Invalid query:"), "POST": ("", {"nosuch": 1}, "Invalid body:")}
"""By method: what is sent, and which part of the call is blamed."""


@pytest.mark.parametrize(
    ("row", "method"),
    [(row, method) for row in LISTS for method in PARTS if method == "GET" or row.name not in BY_GET_ALONE],
    ids=lambda value: value if isinstance(value, str) else value.route,
)
def test_an_unknown_parameter_is_blamed_on_its_part(row: Operation, method: str) -> None:
    query, body, blamed = PARTS[method]
    api = wire()
    good = GOOD[row.name](api)
    reply = caller(api, row).call(method, good.path(row).partition("?")[0] + query, body, headers=dict(good.headers))
    assert (reply.status, reply.error["code"]) == (400, "IR_06")
    assert reply.error["message"].startswith(f"{blamed} nosuch "), reply.raw
