"""Tools that record or stop the calls of a program leave those of the sandbox alone, whichever came first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.testing import RunningServer, Sandbox
from tests.architecture.sources import ROOT
from tests.plugin.recorders import TOOLS, Replace
from tests.running import environment
from tests.webhooks.receivers import Receiver


def hears(sandbox: Sandbox) -> None:
    with Receiver() as shop:
        sandbox.webhooks.send_to(shop.url)
        sandbox.client.pay()
        sandbox.webhooks.wait_for("payment_succeeded", delivered=True, timeout=60)
        assert len(shop.requests) == 1


def delivers(sandbox: Sandbox) -> None:
    with Receiver() as shop:
        sandbox.client.pay()
        assert sandbox.webhooks.deliver("payment_succeeded", to=shop.url).status == 200


def connects(sandbox: Sandbox) -> None:
    def shop(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [b""]

    with Sandbox(server=RunningServer(sandbox.url)) as far:  # its events go over a port
        for one in (sandbox, far):
            one.webhooks.connect(shop)
            one.client.pay()
            one.webhooks.wait_for("payment_succeeded", delivered=True, timeout=60)


def probes(sandbox: Sandbox) -> None:
    with Receiver() as shop:
        assert {one.state for one in sandbox.probe(shop.url, only=["valid", "slow-sending"])} == {"passed"}


ACTS: Final[dict[str, Callable[[Sandbox], object]]] = {
    "a payment": lambda sandbox: sandbox.client.pay(),
    "the clock": lambda sandbox: sandbox.clock.advance(hours=24),
    "a scenario": lambda sandbox: sandbox.scenarios.put({"name": "empty"}),
    "a report": lambda sandbox: sandbox.report(),
    "a verdict": lambda sandbox: sandbox.verdict(),
    "a connected app": connects,
    "a receiver": hears,
    "an event by hand": delivers,
    "a probe": probes,
}


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_that_begins_later(
    tool: Callable[[Replace], None], act: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(monkeypatch.setattr)
    ACTS[act](sandbox)


FIRST: Final = """
from tests.plugin.recorders import TOOLS
for tool in TOOLS:
    tool(setattr)
from mock_server.testing import Sandbox
from tests.plugin.test_recorders import ACTS
for act in ACTS.values():
    with Sandbox() as sandbox:
        act(sandbox)
"""


def test_tools_that_began_before_the_sandbox_was_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FIRST],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment(PYTHONPATH=str(ROOT)),
    )
    assert done.returncode == 0, done.stderr
