"""Many workers on one server, all with the same payment ids and scenario names: nobody sees anybody.

Two workers with ten tests each; with PAYMENT_SANDBOX_SOAK sixteen with two hundred each.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.architecture.sources import ROOT
from tests.counts import SOAK
from tests.plugin.conftest import PLUGIN, STRICT
from tests.running import RunningSandbox, environment

WORKERS, EACH = (16, 200) if SOAK else (2, 10)
SUITE: Final = """
import pytest

@pytest.mark.parametrize("number", range(COUNT))
def test_alone(payment_sandbox, number):
    amount = 1000 + number
    rule = {"on": "charge", "when": {"body.amount": amount}, "then": {"decline": "lost_card"}}
    declined = number % 2
    if declined:
        payment_sandbox.scenario({"name": "the_same", "rules": [rule]})
    paid = payment_sandbox.client.pay(payment_id="pay_the_same", amount=amount, idempotency_key="the-same")
    assert (paid["amount"], paid["status"]) == (amount, "failed" if declined else "succeeded")
    told = payment_sandbox.webhooks.wait_for("payment_failed" if declined else "payment_succeeded")
    assert told.object["amount"] == amount
    if number % 5 == 0:
        payment_sandbox.reset()
        assert payment_sandbox.client.get("/payments/list")["total_count"] == 0
        payment_sandbox.client.pay(payment_id="pay_the_same", amount=amount + 1)
    found = payment_sandbox.client.get("/payments/list")
    assert [one["amount"] for one in found["data"]] == [amount + 1 if number % 5 == 0 else amount]
    assert {call.payment_id for call in payment_sandbox.journal.calls("payments.create")} == {"pay_the_same"}
    assert len(payment_sandbox.webhooks.all()) == 1
"""


@pytest.mark.timeout(1800 if SOAK else 180)
def test_workers_on_one_server_see_nothing_of_each_other(tmp_path: Path) -> None:
    suite = tmp_path / "test_side_by_side.py"
    suite.write_text(SUITE.replace("COUNT", str(WORKERS * EACH)))
    pytest_n = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-n", str(WORKERS), "-p", PLUGIN, *STRICT]
    with RunningSandbox("--workspaces", str(2 * WORKERS * EACH)) as server:  # none has to make room for another
        told = subprocess.run(
            [*pytest_n, f"--rootdir={tmp_path}", f"--payment-sandbox-url={server.base}", str(suite)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=environment(PYTHONPATH=str(ROOT), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
        )
    assert told.returncode == 0, told.stdout + told.stderr
    assert f"{WORKERS * EACH} passed" in told.stdout


def test_a_reset_leaves_every_other_workspace_as_it_was(inside: SandboxServer) -> None:
    workspaces = [Sandbox(server=inside, name="the same", seed=f"s{n}", clock="2026-01-31T12:00:00Z") for n in range(8)]
    for workspace in workspaces:
        workspace.scenario({"name": "the_same", "rules": [{"on": "charge", "then": {"settles": {"after": "30s"}}}]})
        workspace.client.pay(payment_id="pay_the_same", idempotency_key="the-same")
    before = [digest(workspace) for workspace in workspaces]
    assert len(set(before)) == len(workspaces)
    workspaces[3].reset()
    after = [digest(workspace) for workspace in workspaces]
    for workspace in workspaces:
        workspace.close()
    assert after[3] != before[3]
    assert after[:3] + after[4:] == before[:3] + before[4:]


def digest(workspace: Sandbox) -> str:
    """The hash of everything that a workspace holds."""
    name = workspace.snapshot(journal=True)
    return hashlib.sha256(json.dumps(workspace.control.get(f"/snapshots/{name}")["workspace"]).encode()).hexdigest()
