"""A query that cannot be read is refused in plain text, whichever field of whichever operation is wrong.

Also that of a POST without a body.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.errors import Refusal
from tests.counts import times
from tests.routes.good import GOOD, as_client, caller
from tests.wire import Wire, wire

WRONG: Final = ("United", "-1", "1.5", "2026-13-01T00:00:00Z", "true", "x" * 5_000, "4242424242424242")
BODY: Final = "Json deserialize error: "
START: Final = "Query deserialize error: "


def queries() -> Iterator[tuple[Operation, str]]:
    """Every parameter of every query, and one that no query has."""
    for row in BY_NAME.values():
        if row.takes[1] is not None and (row.method == "GET" or row.takes[0] is None):
            shape: Any = row.takes[1].of(HYPERSWITCH)
            yield from ((row, name) for name in (*shape.schema.load_fields, "nonsense"))


ASKED: Final = tuple(queries())[:: times(3, soak=1)]


def expected(row: Operation, pairs: list[tuple[str, str]]) -> str:
    """The error's sentence in the words for a body; empty if the query can be read."""
    shape: Any = row.takes[1]
    try:
        shape.of(HYPERSWITCH).load_query(pairs, 0)
    except Refusal as refusal:
        error: Any = HYPERSWITCH.error(refusal)[1]["error"]
        return str(error["message"])
    return ""


def test_there_are_many() -> None:
    assert len({row.name for row, _ in queries()}) > 10
    assert len(tuple(queries())) > 60


@pytest.mark.parametrize(("row", "name"), ASKED, ids=[f"{row.name}?{name}" for row, name in ASKED])
def test_a_query_that_cannot_be_read(api: Wire, row: Operation, name: str) -> None:
    good = GOOD[row.name](api)
    good = good if "secret" in map(str, row.keys) or good.secret is None else as_client(good, row)
    given = parse_qsl(good.query.removeprefix("?"))
    for word in WRONG:
        pairs = [*((key, value) for key, value in given if key != name), (name, word)]
        told = expected(row, pairs)
        path = f"{good.path(row).partition('?')[0]}?{urlencode(pairs)}"
        reply = caller(api, row).call(row.method, path, headers=dict(good.headers))
        if told.startswith(BODY):
            assert (reply.status, reply.headers["Content-Type"]) == (400, "text/plain; charset=utf-8"), reply.raw
            text = reply.raw.decode()
            assert text.startswith(START)
            assert "4242424242424242" not in text
            assert text.removeprefix(START) == told.removeprefix(BODY)
        else:
            assert b"deserialize" not in reply.raw


def test_a_body_and_the_default_dialect_keep_their_envelope(api: Wire) -> None:
    assert api.post("/payments/list", {"limit": "many"}).error["message"].startswith(BODY)
    assert api.get("/payments/list?limit=1000").error["code"] == "IR_06"
    assert wire().get("/payments/list?limit=many").error["code"]


def test_the_journal_keeps_the_sentence_and_the_reason(api: Wire) -> None:
    reply = api.get("/disputes/list?dispute_status=United")
    assert "dispute_status" in reply.headers["X-Sandbox-Because"]
    (line, *_) = api.get("/_sandbox/journal?limit=1")["data"]
    assert (line["status"], line["cause"]) == (400, "value_invalid")
