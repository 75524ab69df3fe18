"""No call leaves reference cycles: the garbage collector, for which every client waits, has nothing to find."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

import pytest

from mock_server.clock import uncollected
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.routes.good import GOOD, as_client, caller
from tests.wire import wire

OUTSIDE: Final = "events.retry"
"""It calls the receiver, with a library that leaves some."""
TRIES: Final = 5
"""What is imported or compiled for the first call of a sort leaves some too."""


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.name != OUTSIDE], ids=lambda row: row.name)
def test_a_call_leaves_nothing_for_the_garbage_collector(row: Operation) -> None:
    """Each operation: a call that succeeds, and one with a body that is refused."""
    api = wire()
    good, client = GOOD[row.name](api), caller(api, row)
    good = good if client is api or good.secret is None else as_client(good, row)
    assert min(_left_by(lambda: good.sent(client, row)) for _ in range(TRIES)) == 0
    malformed = b'{"amount": ["x"], "unknown": 1'
    assert min(_left_by(lambda: client.call(row.method, good.path(row), raw=malformed)) for _ in range(TRIES)) == 0


def _left_by(work: Callable[[], object]) -> int:
    """How many objects are in cycles that nothing reaches any more."""
    gc.freeze()  # for good, as else each later collection of this process looks at all tests
    with uncollected():
        work()
        return gc.collect()
