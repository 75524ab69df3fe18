"""An event with an outdated body tells the verdict and the coverage nothing that never was."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

import pytest

from mock_server.domain.statuses import PaymentStatus
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.outcomes import DISORDERS, met
from mock_server.verdict.rules import judge
from tests.counts import times
from tests.verdict.clients.broken import ANSWERED_200, receiver, rule
from tests.verdict.clients_by_kind import BROKEN, CORRECT, VARIANTS

ALL: Final = [one for one in (*BROKEN.values(), *CORRECT, *VARIANTS) if "webhook" not in one.__name__]
CLIENTS: Final = Random("stale").sample(ALL, times(50, soak=len(ALL)))


def outdated(evidence: dict[str, Any], status: str) -> dict[str, Any]:
    """The same, but each event about a payment that only one status has shows it in another one."""
    stale: dict[str, Any] = json.loads(json.dumps(evidence))
    for event in stale["webhooks"]["data"]:
        if event["event_class"] == "payments" and event["event_type"] != "payment_captured":
            event["body"]["content"]["object"] |= {"status": status, "amount_received": 0}
            for sent in event["deliveries"]:
                sent["stale"] = True
    return stale


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.__name__)
def test_an_outdated_body_changes_no_verdict(server: SandboxServer, client: Any) -> None:
    with Sandbox(server=server, name=client.__name__, seed="tests") as sandbox:
        sandbox.webhooks.connect(receiver(ANSWERED_200))
        client(sandbox)
        sandbox.webhooks.settle(timeout=30)
        evidence = gathered(lambda path: sandbox.control.get(f"/{path}"))
        for name in sandbox.scenarios.on():
            sandbox.scenarios.turn_off(name)
    true = judge(read(evidence)).results
    assert not [one for one in met(read(evidence)).counts if one.endswith("None")]
    for status in PaymentStatus:
        shown = read(outdated(evidence, status))
        assert [(one.rule.id, one.state) for one in judge(shown).results] == [
            (one.rule.id, one.state) for one in true
        ], status
        # Why a payment failed is not told.
        unknown = met(read(evidence)).counts.keys() ^ (met(shown).counts.keys() - {"webhook/stale"})
        assert not [one for one in unknown if not one.startswith(("decline/", "challenge/"))]


PLAIN: Final = {"status/succeeded"}
PENDING: Final = {"status/pending", "transition/pending->succeeded"}


@pytest.mark.parametrize("disorder", [None, *DISORDERS])
def test_only_the_disorder_that_there_was_is_met(server: SandboxServer, disorder: str | None) -> None:
    with Sandbox(server=server, name=f"{disorder}", seed="tests") as sandbox:
        sandbox.webhooks.connect(receiver(ANSWERED_200))
        if disorder:
            sandbox.scenario(DISORDERS[disorder])
        for _ in range(2):
            sandbox.client.pay()
            sandbox.webhooks.settle(timeout=30)
            sandbox.clock.advance(minutes=5)
        counts = met(sandbox.evidence()).counts.keys()
        for name in sandbox.scenarios.on():
            sandbox.scenarios.turn_off(name)
    assert counts - PENDING == PLAIN | ({f"webhook/{disorder}"} if disorder else set())


@pytest.mark.parametrize("how", ["manual", "manual_multiple"])
@pytest.mark.parametrize("amount", [1000, 4200])
def test_an_outdated_capture_is_no_other_status(server: SandboxServer, how: str, amount: int) -> None:
    """A capture in part leads to one of two statuses, and its event does not say which."""
    with Sandbox(server=server, name=f"{how} {amount}", seed="tests") as sandbox:
        sandbox.webhooks.connect(receiver(ANSWERED_200))
        rule(sandbox, "webhook.*", body="stale")
        held = sandbox.client.pay(capture_method=how)
        captured = sandbox.client.post(f"/payments/{held['payment_id']}/capture", {"amount_to_capture": amount})
        sandbox.webhooks.settle(timeout=30)
        met_now = {one for one in met(sandbox.evidence()).counts if one.startswith("status/")}
        for name in sandbox.scenarios.on():
            sandbox.scenarios.turn_off(name)
    assert met_now == {f"status/{one['status']}" for one in (held, captured)}
