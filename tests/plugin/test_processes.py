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


def connects(it: Sandbox) -> None:
    seen = []

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        seen.append(environ["PATH_INFO"])
        start_response("200 OK", [])
        return [b""]

    it.webhooks.connect(app, path="/hook")
    payment_id = it.client.pay()["payment_id"]
    it.webhooks.wait_for("payment_succeeded", payment_id=payment_id, delivered=True)
    assert seen == ["/hook"]
    it.webhooks.disconnect()


def begins_again(it: Sandbox) -> None:
    it.client.pay(payment_id="pay_before")
    it.reset()
    assert it.client.get("/payments/pay_before").status == 404
    it.client.pay(payment_id="pay_after")


def is_judged(it: Sandbox) -> None:
    it.client.pay(description="card 4242 4242 4242 4242")
    assert it.verdict().fails()


def makes_another(it: Sandbox) -> None:
    with Sandbox(server=it._server, seed="7", clock="2031-05-06T07:08:09Z") as other:
        other.client.pay(payment_id="pay_other")
        assert it.client.get("/payments/pay_other").status == 404
    assert other.client.get("/payments/pay_other").status == 404


def stops(it: Sandbox) -> None:
    it._server.stop()


@pytest.mark.parametrize(
    "work", [connects, begins_again, is_judged, makes_another, stops], ids=lambda one: one.__name__
)
def test_a_forked_process_works_with_the_same_workspace(work: Callable[[Sandbox], None], sandbox: Sandbox) -> None:
    sandbox.client.pay()
    child = forked(partial(work, sandbox))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sandbox.client.get("/payments/pay_after").status == (200 if work is begins_again else 404)
    assert sandbox.client.pay()["status"] == "succeeded"
