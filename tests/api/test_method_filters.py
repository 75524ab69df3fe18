"""Each word of a filter by method finds the payments of that method, and no others (interface §8.2)."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.contract.requests.payments.methods import METHOD_WORDS, TYPE_WORDS
from mock_server.domain.methods import METHODS, PUBLIC_WORDS, Method
from tests.api.paying import pay
from tests.wire import Wire, wire

WORDS: Final = tuple(dict.fromkeys((*METHOD_WORDS, *TYPE_WORDS)))


@pytest.fixture(scope="module")
def paid() -> tuple[Wire, dict[str, Method]]:
    """A client, and its payments by their ids: one by each method."""
    api = wire()
    return api, {pay(api, row)["payment_id"]: row for row in METHODS}


def named(row: Method) -> set[str]:
    """Every word that the interface or the public API has for the method."""
    return {row.category, row.type, *row.aliases, *PUBLIC_WORDS[row.category, row.type]}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_finds_its_methods(paid: tuple[Wire, dict[str, Method]], word: str) -> None:
    api, rows = paid
    expected = {payment for payment, row in rows.items() if word in named(row)}
    assert expected, "no method has this word"
    for reply in (
        api.get(f"/payments/list?limit=100&payment_method={word}"),
        api.post("/payments/list", {"limit": 100, "payment_method": word}),
    ):
        assert {one["payment_id"] for one in reply["data"]} == expected
        assert reply["total_count"] == len(expected)
    if word in TYPE_WORDS:
        found = api.post("/payments/list", {"limit": 100, "payment_method_type": word})["data"]
        assert {one["payment_id"] for one in found} == {
            payment for payment, row in rows.items() if word != row.category and word in named(row)
        }
