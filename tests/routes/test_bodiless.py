"""An action without fields takes no body, `{}` or `null`, with or without a content type (decisions)."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.routes.good import GOOD, caller
from tests.wire import wire

NOTHING: Final = (b"", b"{}", b"null", b" {}\n")
TYPES: Final = ("application/json", "")
ACTIONS: Final = ("payments.capture", "payments.cancel", "payments.complete_authorize", "payments.cancel_post_capture")
"""Those whose every field is optional, beside those that have none."""
ROWS: Final = tuple(
    row for row in BY_NAME.values() if row.method == "POST" and (row.body == "shapes.NO_BODY" or row.name in ACTIONS)
)
IN_BOTH: Final = ("payments.capture", "payments.cancel", "payments.approve", "payments.reject")
"""Those whose good call is one in both dialects."""


def test_there_are_many() -> None:
    assert len(ROWS) > 10


CASES: Final = [(row, INTERFACE) for row in ROWS] + [(row, HYPERSWITCH) for row in ROWS if row.name in IN_BOTH]


@pytest.mark.parametrize(("row", "dialect"), CASES, ids=[f"{row.name}-{dialect.name}" for row, dialect in CASES])
def test_nothing_in_every_form(row: Operation, dialect: Dialect) -> None:
    for raw in NOTHING:
        for kind in TYPES:
            api = wire(dialect=dialect)
            good = GOOD[row.name](api)
            headers = {**good.headers, "Content-Type": kind}
            reply = caller(api, row).call("POST", good.path(row), raw=raw, headers=headers)
            assert reply.status == 200, (raw, kind, reply.raw)


def test_other_bodies_need_their_type() -> None:
    for raw, kind in ((b'{"amount": 1}', ""), (b"{}", "text/plain"), (b"null", "text/plain")):
        assert wire().call("POST", "/payments", raw=raw, headers={"Content-Type": kind}).status == 400
