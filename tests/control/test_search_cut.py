"""A search that did not look at all records of a kind says so, whichever kind it is, even if it found nothing."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from msgspec import structs

from mock_server.cli.saying import found_lines
from mock_server.control.search import SCANNED
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.engine.kinds import CUSTOMERS, REFUNDS
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction
from tests.wire import Wire, wire

MANY = SCANNED // 5 + 5_000


def grown(api: Wire, kind: RecordKind[Any], first: str) -> None:
    """More records like the first one, with other ids."""
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    space = api.sandbox.workspace(key).space

    def put(start: int, tx: Transaction) -> None:
        record: Any = tx.get(kind, first)
        for number in range(start, start + 5_000):
            tx.put(kind, structs.replace(record, **{f"{kind.name}_id": f"{first[:4]}{number:020}"}))

    for start in range(0, MANY, 5_000):
        space.transact(partial(put, start))


def customer(api: Wire) -> str:
    return str(api.post("/customers", {"name": "Ada Lovelace"})["customer_id"])


def refund(api: Wire) -> str:
    return str(api.post("/refunds", {"payment_id": api.pay(amount=4242)["payment_id"], "amount": 77})["refund_id"])


@pytest.mark.parametrize(("kind", "make", "texts"), [
    (CUSTOMERS, customer, ("lovelace", "nobody at all")), (REFUNDS, refund, ("0.77", "77")),
], ids=lambda one: getattr(one, "name", ""))  # fmt: skip
def test_it_says_that_it_did_not_look_at_all(kind: RecordKind[Any], make: Any, texts: tuple[str, ...]) -> None:
    api = wire()
    first = make(api)
    for text in texts:
        answer = api.get(f"/_sandbox/search?text={quote(text)}").json
        assert not answer["is_cut"], "there are few"
        assert not any("only the newest" in line for line in found_lines(answer))
    grown(api, kind, first)
    for text in texts:
        answer = api.get(f"/_sandbox/search?text={quote(text)}").json
        lines = list(found_lines(answer))
        assert answer["is_cut"] and lines[-1].startswith("only the newest "), lines
        assert answer["total_count"] == 0 or " or more, " in lines[-2], lines
