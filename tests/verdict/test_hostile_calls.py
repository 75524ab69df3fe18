"""What a client sends by mistake has any type in any field: the verdict and every view of its calls still answer."""

from __future__ import annotations

import random
import re
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.counts import SOAK, times
from tests.dashboard.visitor import Visitor
from tests.wire import Wire, wire

ODD: Final[tuple[Any, ...]] = (
    None, True, 1, -1, 1.5, 10**30, "", "x", "pay_1", "é\u0000", [], [1], {}, {"a": 1}, [{"a": [1]}], [[]],
)  # fmt: skip
VIEWS: Final = ("overview", "journal", "verdict?later=1", "payments/{0}", "payments/{0}/export?later=1")
WRITING: Final = [one for one in OPERATIONS if one.method != "GET"]


@pytest.fixture(scope="module")
def server() -> Wire:
    return wire()


@pytest.fixture(scope="module")
def fields(server: Wire) -> dict[str, list[str]]:
    """The fields of each operation's body, as the OpenAPI document names them."""
    document = server.get("/_sandbox/openapi.json").json

    def names(schema: Any) -> list[str]:
        if "$ref" in schema:
            return names(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        return [*schema.get("properties", ()), *(name for one in schema.get("allOf", ()) for name in names(one))]

    return {
        told["operationId"]: names(next(iter(told["requestBody"]["content"].values()))["schema"])
        for path in document["paths"].values()
        for told in path.values()
        if isinstance(told, dict) and "requestBody" in told
    }


@pytest.mark.parametrize("row", WRITING, ids=lambda row: row.name)
def test_what_has_a_wrong_type_is_judged_and_shown(server: Wire, fields: dict[str, list[str]], row: Operation) -> None:
    api = server.as_key(f"snd_odd_{row.name.replace('.', '_')}_1")
    payment = api.pay()["payment_id"]
    path = re.sub(r"<[^>]*>", "x_1", row.path.replace("<payment_id>", payment))
    chance = random.Random(row.name)
    every = [(name, odd) for name in fields.get(row.name, ()) for odd in ODD]
    some = chance.sample(every, min(len(every), times(6, soak=len(every))))
    named = [*product(("payment_id", "merchant_order_reference_id"), ODD)]
    for name, odd in (*some, *chance.sample(named, times(8, soak=len(named)))):
        body = {"payment_id": payment, "merchant_order_reference_id": "order-1", name: odd}
        assert api.call(row.method, path, body).status < 500, (path, body)
    for odd in chance.sample(ODD, times(4, soak=len(ODD))):
        assert api.call(row.method, path, odd).status < 500, (path, odd)
    visitor = Visitor(api)
    at = WRITING.index(row)
    for view in VIEWS if SOAK else (VIEWS * 2)[at % len(VIEWS) :][:2]:
        assert visitor.look(view.format(payment)).status == 200, view
    assert api.get(f"/_sandbox/payments/{payment}/timeline").status == 200


def test_all_of_them_are_judged_together(server: Wire) -> None:
    """Those of this process; each was judged by itself, on its page."""
    assert server.get("/_sandbox/verdicts").status == 200
