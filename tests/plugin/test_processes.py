"""A sandbox in forked processes: each has connections of its own, and the answers to its own calls."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox
from tests.counts import times

CALLS: Final = times(25, soak=1_000)
ASKED: Final[tuple[Callable[[Sandbox], Any], ...]] = (
    lambda it: it.clock.now.tzinfo,
    lambda it: type(it.journal.last) is int,
    lambda it: it.control.get("/scenarios")["active"] == [],
    lambda it: it.client.pay()["status"] == "succeeded",
    lambda it: it.webhooks.all("refund_succeeded") == [],
)


def forked(work: Callable[[], object]) -> int:
    """Does it in a forked process; returns the process's number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are threads; the child does nothing with them
        child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return child


def ask(it: Sandbox, first: int) -> None:
    for number in range(first, first + CALLS):
        assert ASKED[number % len(ASKED)](it)


@pytest.mark.parametrize("children", [1, 2, 3])
@pytest.mark.parametrize("idle", [0, 1, 3])
def test_each_process_gets_its_own_answers(idle: int, children: int, sandbox: Sandbox) -> None:
    for _ in range(idle):
        ask(sandbox, 0)
    processes = [forked(partial(ask, sandbox, number)) for number in range(1, children + 1)]
    ask(sandbox, 0)
    assert [os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]) for one in processes] == [0] * children
    ask(sandbox, 0)
    sandbox.journal.assert_called("payments.create", (idle + 2 + children) * CALLS // len(ASKED))
