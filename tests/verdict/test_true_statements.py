"""What a finding says of an amount is true: random captures, refunds, disputes and releases of one payment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.counts import times

AUTHORIZED: Final = 4200
AMOUNTS: Final = (500, 1000, 1200, 2100, 3000, 3200, 4200, 5000)
CLAIM: Final = re.compile(r"^(?:(?P<amount>\d+)|pay_\w+)\b.* (?P<claim>more than .*|although .*)$")


class Before(NamedTuple):
    """The amounts of the payment when a call was made; `closed` if nothing more can be captured."""

    captured: int
    refunded: int
    disputed: int
    closed: bool
    capture: str

    @property
    def status(self) -> str:
        """What the payment's status must be, by its amounts."""
        if self.captured == AUTHORIZED:
            return "succeeded"
        if not self.captured:
            return "requires_capture"
        return "partially_captured" if self.closed else "partially_captured_and_capturable"


def is_true(claim: str, amount: int, before: Before) -> bool:
    """Whether what a finding claims held."""
    left = before.captured - before.refunded
    holds = {
        "more than was captured and not refunded yet": amount > left,
        "more than is left of it": amount > left,
        "more than was still to be captured": amount > AUTHORIZED - before.captured,
        f"although its status was {before.status}": True,
    }
    return holds.get(claim, False)


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"workspaces": 10_000}) as found:
        yield found


def played(sandbox: Sandbox, draw: Random) -> dict[int, Before]:
    """Eight random calls; what there was before each, by its number in the journal."""
    how = draw.choice(("manual", "manual_multiple", "automatic"))
    paid = sandbox.client.pay(amount=AUTHORIZED, capture_method=how)["payment_id"]
    captured, refunded, disputed, closed = (AUTHORIZED if how == "automatic" else 0), 0, 0, how == "automatic"
    before: dict[int, Before] = {}
    for _ in range(8):
        amount, act = draw.choice(AMOUNTS), draw.choice(("capture", "capture", "refund", "refund", "refund", "dispute"))
        state = Before(captured, refunded, disputed, closed, how)
        if act == "dispute":
            if captured and not disputed:
                disputed = min(amount, captured)
                sandbox.trigger.dispute(paid, amount=disputed)
            continue
        if act == "capture":
            done = sandbox.client.post(f"/payments/{paid}/capture", {"amount_to_capture": amount}).status == 200
            captured, closed = captured + amount * done, closed or (done and how == "manual")
        else:
            done = sandbox.client.post("/refunds", {"payment_id": paid, "amount": amount}).status == 200
            refunded += amount * done
        before[sandbox.journal.last] = state
    return before


@pytest.mark.parametrize("seed", range(times(20, soak=1_000)))
def test_what_is_said_of_amounts_is_true(server: SandboxServer, seed: int) -> None:
    with Sandbox(server=server, name=f"statements {seed}", seed="tests") as sandbox:
        before = played(sandbox, Random(seed))
        said = [seen for one in sandbox.verdict().found() for seen in one.seen]
        for seen in said:
            claim = CLAIM.search(seen.what)
            if claim is not None and seen.calls[-1] in before:
                amount = int(claim["amount"] or 0)
                assert is_true(claim["claim"], amount, before[seen.calls[-1]]), (seen.what, before[seen.calls[-1]])
