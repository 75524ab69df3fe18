"""What a failure says does not grow with what happened in its test: some is shown, and how much more there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.counts import times

MOST_LINES: Final = 24
LONGEST: Final = 600
CALLS: Final = times(25, soak=300)
MESSAGES: Final = ("short", "x" * 5_000, "a line\n" * 400, "é🧾" * 2_000)


def raising(message: str) -> Callable[[Any, Any], list[bytes]]:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        raise ValueError(message)

    return app


FAILS: Final[dict[str, Callable[[Sandbox], object]]] = {
    "none": lambda it: it.webhooks.none(within=0),
    "none of a type": lambda it: it.webhooks.none("payment_succeeded", within=0),
    "an event": lambda it: it.webhooks.wait_for("refund_succeeded", timeout=0.001),
    "more events": lambda it: it.webhooks.wait_for("payment_succeeded", times=CALLS + 1, timeout=0.001),
    "a delivery": lambda it: it.webhooks.wait_for("payment_succeeded", delivered=True, timeout=0.001),
    "not called": lambda it: it.journal.assert_not_called("payments.create"),
    "called once": lambda it: it.journal.assert_called("payments.create", 1),
    "called with": lambda it: it.journal.assert_called("payments.create", body={"amount": 5}),
    "a call": lambda it: it.journal.wait_for("refunds.create", timeout=0.001),
    "more calls": lambda it: it.journal.wait_for("payments.create", times=CALLS + 1, timeout=0.001),
}


@pytest.fixture(scope="module", params=MESSAGES[-times(1, soak=len(MESSAGES)) :], ids=lambda text: text[:2])
def used(request: pytest.FixtureRequest, inside: SandboxServer) -> Iterator[Sandbox]:
    """A workspace in which much happened."""
    with Sandbox(server=inside) as sandbox:
        sandbox.webhooks.connect(raising(request.param))
        for _ in range(CALLS):
            sandbox.client.pay(amount=4200)
        sandbox.webhooks.settle(60)
        assert len(sandbox.webhooks.raised) >= CALLS
        yield sandbox


@pytest.mark.parametrize("fails", FAILS)
def test_a_failed_assertion_is_short(fails: str, used: Sandbox) -> None:
    with pytest.raises(AssertionError) as failed:
        FAILS[fails](used)
    lines = str(failed.value).splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= LONGEST


def test_a_report_is_short(used: Sandbox) -> None:
    lines = used.report().splitlines()
    assert len([line for line in lines if "the connected app raised" in line]) <= 10
    assert max(map(len, lines)) <= LONGEST
