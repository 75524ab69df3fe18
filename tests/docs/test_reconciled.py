"""What is left of a payment, as the guide's own function computes it from lists, is what the payment itself says.

Whatever happened to it: captures in part, refunds that succeed, fail or wait, disputes in every state, a reversal.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from mock_server.domain.statuses import DisputeStatus
from mock_server.testing import Sandbox, SandboxServer
from tests.architecture.sources import ROOT
from tests.counts import times
from tests.docs.snippets import blocks

GUIDE: Final = ROOT / "docs/how-to/reconcile-payments.md"
ENDS: Final = tuple(status.removeprefix("dispute_") for status in DisputeStatus if status is not DisputeStatus.OPENED)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with SandboxServer({"rate_limit": 0}) as server, Sandbox(server=server) as made:
        yield made


@pytest.fixture(scope="module")
def guide() -> dict[str, Any]:
    """The functions of the guide."""
    made: dict[str, Any] = {}
    for block in blocks(GUIDE.read_text("utf-8")):
        if block.language == "python":
            exec(block.text, made)
    return made


def lived(sandbox: Sandbox, chance: Random) -> str:
    """A payment with some of everything that gives money back, and its ID."""
    client, trigger, amount = sandbox.client, sandbox.trigger, chance.randrange(100, 10_000)
    how = chance.choice(["automatic", "manual", "manual_multiple"])
    paid = str(client.pay(amount=amount, capture_method=how)["payment_id"])
    if how != "automatic":
        client.post(f"/payments/{paid}/capture", {"amount_to_capture": chance.randrange(1, amount + 1)})
        client.post(f"/payments/{paid}/cancel", {})
    if chance.random() < 0.1:
        client.post(f"/payments/{paid}/cancel_post_capture", {})
    for _ in range(chance.randrange(4)):
        part = chance.randrange(1, amount if chance.random() < 0.3 else amount // 5)
        if chance.random() < 0.5:
            if outcome := chance.choice(["pending", "failed", None]):
                sandbox.next("refunds.create", outcome=outcome)
            client.post("/refunds", {"payment_id": paid, "amount": part})
            client.delete("/_sandbox/next")
            continue
        dispute = client.post(f"/_sandbox/payments/{paid}/dispute", {"amount": part}).json().get("dispute_id")
        if dispute and chance.random() < 0.8:
            trigger.advance_dispute(dispute, chance.choice(ENDS))
    return paid


def test_what_is_left_is_what_the_payment_says(sandbox: Sandbox, guide: dict[str, Any]) -> None:
    chance, seen, refunds = Random(5), set(), set()
    for _ in range(times(25, soak=1000)):
        payment = sandbox.client.get(f"/payments/{lived(sandbox, chance)}").json()
        told = payment["state_metadata"] or {}
        gone = (told.get("total_refunded_amount") or 0) + (told.get("total_disputed_amount") or 0)
        void = payment["status"] == "cancelled_post_capture"
        left = guide["left"](sandbox.client, payment)
        assert left == (0 if void else (payment["amount_received"] or 0) - gone), payment
        seen.add((payment["status"], bool(gone)))
        refunds |= {refund["status"] for refund in payment["refunds"] or ()}
    assert {gone for _, gone in seen} == {True, False}
    assert refunds == {"succeeded", "failed", "pending"}
