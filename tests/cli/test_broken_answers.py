"""Every command of the API, while a scenario breaks its answer: what broke, and where to see what was done."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mock_server.cli.acting import ACTS
from mock_server.contract.acts import BY_COMMAND
from mock_server.contract.control_operations import BY_NAME
from mock_server.domain.faults import LineFault
from tests.cli.leaves import LEAVES, Leaf, complaint, ids, typed
from tests.running import RunningSandbox

SAID: Final = {
    LineFault.CONNECTION_RESET: "the connection was reset",
    LineFault.EMPTY_RESPONSE: "the connection was closed without an answer",
    LineFault.TRUNCATED_BODY: "the connection was closed during the answer",
    LineFault.MALFORMED_JSON: "the answer is not JSON",
}
COMPLETE: Final = {LineFault.SLOW_BODY, LineFault.HANG}
"""After these a command has its answer, or waits for two minutes."""
FIRST: Final = {"refund": [], "approve": ["--card", "visa_review"], "reject": ["--card", "visa_review"], "pay": []}
"""The payment that a command acts on; for all others one that is to be captured."""
OF_API: Final = {row.word for row in ACTS if not row.group and row.operation not in BY_NAME}
CALLS: Final = tuple(leaf for leaf in LEAVES if leaf.name in OF_API)


def test_each_fault_and_call_is_here() -> None:
    assert set(SAID) | COMPLETE == set(LineFault)
    assert {"pay", "refund", "capture", "cancel"} <= {leaf.name for leaf in CALLS}


@pytest.mark.parametrize("leaf", CALLS, ids=ids)
@pytest.mark.parametrize("effect", ["none", "kept"])
@pytest.mark.parametrize("fault", SAID)
def test_what_broke_the_answer_is_said(
    sandbox: RunningSandbox, leaf: Leaf, fault: LineFault, effect: str, tmp_path: Path
) -> None:
    name = leaf.name
    key = f"snd_{name}_{fault}_{effect}_0"
    target = ["--url", sandbox.base, "--key", key]
    assert typed(["pay", *FIRST.get(name, ["--manual-capture"]), *target]).exit_code == 0
    broken = tmp_path / "broken.yaml"
    rule = f"{{on: {BY_COMMAND[name].operation}, then: {{fault: {fault}, effect: {effect}}}}}"
    broken.write_text(f"name: broken\nrules: [{rule}]\n")
    assert typed(["scenarios", "put", str(broken), *target]).exit_code == 0
    assert typed(["scenarios", "on", "broken", *target]).exit_code == 0

    line = [name] if name == "pay" else [name, "last"]
    said = complaint(typed([*line, *target]), 1)
    assert f": {SAID[fault]}; the sandbox is ready" in said and "POST /" in said, said
    assert "cannot reach" not in said and "serve" not in said, said

    assert "payment-sandbox tail" in said
    seen = typed(["tail", "--no-follow", *target]).stdout.rpartition("POST /")[2]
    assert fault in seen and ("the operation took place" in seen) == (effect == "kept"), seen
