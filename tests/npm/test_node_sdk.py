"""The ecosystem's own Node library, unchanged: its name leads here, and the printed authority is what Node trusts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mock_server.testing import Sandbox
from mock_server.verdict.rules import ERROR, State
from tests.architecture.sources import ROOT
from tests.npm import HERE, MODULES, package
from tests.running import RunningSandbox, environment
from tests.wire import KEY

NAME = "sandbox.hyperswitch.io"


@pytest.mark.parametrize("order", [{}, {"profile_id": "pro_web"}], ids=["without a profile", "with a profile"])
def test_the_whole_life_of_payments(order: dict[str, str], tmp_path: Path) -> None:
    package("@juspay-tech/hyperswitch-node")
    variables = {
        "PAYMENT_SANDBOX_DIALECT": "hyperswitch",
        "PAYMENT_SANDBOX_TLS": "true",
        "PAYMENT_SANDBOX_TLS_PORT": "0",
        "PAYMENT_SANDBOX_TLS_NAME": NAME,
        "XDG_STATE_HOME": str(tmp_path),
    }
    with RunningSandbox(variables=variables) as sandbox:
        own = environment(
            API_KEY=KEY,
            ORDER=json.dumps(order),
            TLS_PORT=str(sandbox.ready["tls_port"]),
            NODE_EXTRA_CA_CERTS=str(tmp_path / "payment-sandbox" / "authority.pem"),
            NODE_PATH=str(MODULES),
        )
        command = ["node", "-r", str(HERE / "lead.cjs"), str(HERE / "sdk.cjs")]
        told = subprocess.run(command, capture_output=True, text=True, env=own, check=False)
        verdict = Sandbox(url=sandbox.base, api_key=KEY).verdict()
    assert (told.returncode, told.stdout) == (0, "all of it held\n"), told.stderr
    assert verdict.found(ERROR) == [] and verdict.of(State.WELL), "a correct client, and yet something is found"


def test_the_guide_shows_what_is_run() -> None:
    guide = (ROOT / "docs/how-to/point-your-integration-at-it.md").read_text("utf-8")
    shown = guide.partition("```js\n")[2].partition("```")[0]
    assert shown
    assert all(line in (HERE / "sdk.cjs").read_text("utf-8") for line in shown.splitlines())
