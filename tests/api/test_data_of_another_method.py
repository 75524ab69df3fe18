"""Data of one method are not taken for another of its category: to pay with, to save, or to complete a reserved one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.customer import SAVEABLE
from mock_server.domain.methods import public_words
from tests.api.paying import EXPECTED
from tests.counts import times
from tests.wire import Reply, Wire, wire

Said = dict[str, Any]
DATA: Final = {pair: row.data for pair, row in EXPECTED.items() if pair[0] in SAVEABLE and pair[0] != "card"}
PAIRS: Final = [(one, other) for one, other in product(DATA, DATA) if one[0] == other[0]]


def paid(api: Wire, named: Said, data: Said) -> Reply:
    return api.post("/payments", {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop", **named, **data})


def saved(api: Wire, named: Said, data: Said) -> Reply:
    return api.post("/payment_methods", {"customer_id": "cus_1", **named, **data})


def completed(api: Wire, named: Said, data: Said) -> Reply:
    reserved = api.post("/payment_methods", {"customer_id": "cus_1", **named})["payment_method_id"]
    return api.post(f"/payment_methods/{reserved}/save", {**named, **data})


WAYS: Final[dict[str, Callable[[Wire, Said, Said], Reply]]] = {"paid": paid, "saved": saved, "completed": completed}


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("way", WAYS)
def test_only_a_methods_own_data_are_taken_for_it(way: str, dialect: Dialect) -> None:
    api, wrong = wire(dialect=dialect), []
    api.post("/customers", {"customer_id": "cus_1"})
    for one, other in PAIRS[:: times(2, soak=1)]:
        category, type_ = public_words(*one) if dialect is HYPERSWITCH else one
        named = {"payment_method": category, "payment_method_type": type_}
        reply = WAYS[way](api, named, {"payment_method_data": DATA[other]})
        said = reply.error["message"] if reply.status != 200 else ""
        if (reply.status == 200, "payment_method_data has" in said) != (one == other, one != other):
            wrong.append((one, other, reply.status, said))
    assert not wrong, (len(wrong), wrong[:3])
