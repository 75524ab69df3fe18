"""What a test declares for its workspace holds as long as the workspace, also after a reset or a restore."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any, Final, NamedTuple

import pytest

from mock_server.testing import RunningServer, Sandbox, SandboxServer
from mock_server.testing.outcomes import SETS, outcomes
from mock_server.testing.scenarios import ExpectationFailed, collected
from tests.counts import times
from tests.plugin.conftest import Run, imported, inside, run

__all__ = ["imported", "inside", "run"]
pytest_plugins = "pytester"

AT: Final = "2026-01-31T12:00:00Z"
DECLINES: Final = {"rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}
BY_AMOUNT: Final = {"rules": [{"on": "charge", "when": {"body.amount": 77}, "then": {"decline": "stolen_card"}}]}
RECEIVED: Final[list[str]] = []


def app(environ: dict[str, Any], start: Callable[..., object]) -> list[bytes]:
    RECEIVED.append(environ["wsgi.input"].read().decode())
    start("200 OK", [])
    return []


async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
    RECEIVED.append((await receive())["body"].decode())
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def now(sandbox: Sandbox) -> object:
    return sandbox.clock.state()["frozen"], str(sandbox.clock.now)


def paid(sandbox: Sandbox, **fields: Any) -> object:
    try:
        answer = sandbox.client.pay(timeout=0.3, **fields)
        found = answer.json()
    except (OSError, ValueError, HTTPException) as problem:
        return type(problem).__name__
    return answer.status, found.get("status"), found.get("error_message"), found.get("payment_id")


def arrives(sandbox: Sandbox) -> object:
    RECEIVED.clear()
    sandbox.client.pay()
    sandbox.webhooks.settle()
    return len(RECEIVED), sandbox.control.get("/webhooks/target")["url"]


def listed(sandbox: Sandbox) -> object:
    found = sandbox.control.get("/scenarios")
    return sorted(one["name"] for one in found["scenarios"]), sorted(found["active"])


def label(sandbox: Sandbox) -> object:
    return [one["label"] for one in sandbox.control.get("/workspaces")["data"] if one["name"] == sandbox.name]


class Declared(NamedTuple):
    """Arguments or a call, and what they have for a consequence."""

    arguments: dict[str, Any]
    seen: Callable[[Sandbox], object]
    do: Callable[[Sandbox], object] = bool


OUTCOMES: Final = [one for name in SETS for one in outcomes([name])[: times(2, soak=99)]]
DECLARED: Final = {
    "clock": Declared({"clock": AT}, now),
    "dialect": Declared({"dialect": "hyperswitch"}, lambda it: it.control.get("/dialect")["dialect"]),
    "label": Declared({"label": "Shop"}, label),
    "seed": Declared({"seed": "one"}, paid),
    "scenario": Declared({"scenario": {"name": "own", **DECLINES}}, listed),
    "scenarios": Declared({"scenario": [DECLINES, BY_AMOUNT]}, lambda it: (listed(it), paid(it, amount=77), paid(it))),
    "folder": Declared({"scenarios": collected({"mine": DECLINES})}, listed),
    "folder and on": Declared({"scenarios": collected({"mine": DECLINES}), "scenario": "mine"}, paid),
    "put": Declared({}, listed, lambda it: it.scenarios.put(DECLINES)),
    "connect": Declared({}, arrives, lambda it: it.webhooks.connect(app)),
    "connect asgi": Declared({}, arrives, lambda it: it.webhooks.connect(asgi)),
    "connect twice": Declared({}, arrives, lambda it: (it.webhooks.connect(app), it.webhooks.connect(asgi))),
    "send_to": Declared({}, arrives, lambda it: it.webhooks.send_to("http://127.0.0.1:9/x", secret="mine")),
    "secret": Declared({}, lambda it: it.webhook_secret, lambda it: it.webhooks.send_to(None, secret="mine")),
    **{f"outcome {one.name}": Declared({"outcome": one}, paid) for one in OUTCOMES},
}


@pytest.fixture(params=["inside", "elsewhere"])
def server(request: pytest.FixtureRequest, inside: SandboxServer) -> Iterator[Any]:
    if request.param == "inside":
        yield inside
        return
    with RunningServer(inside.url) as far:
        yield far


@pytest.mark.parametrize("replace", ["reset", "reset twice", "restore", "restore what was before"])
@pytest.mark.parametrize("name", DECLARED)
def test_what_was_declared_holds_afterwards(server: Any, name: str, replace: str) -> None:
    declared = DECLARED[name]
    given = {"name": name, "seed": "tests", **declared.arguments}
    with Sandbox(server=server, **given) as first:
        declared.do(first)
        wanted = declared.seen(first)
    with Sandbox(server=server, **given) as sandbox:
        before = sandbox.snapshot()
        declared.do(sandbox)
        kept = sandbox.snapshot()
        if replace.startswith("reset"):
            declared.seen(sandbox)
            for _ in replace.split():
                sandbox.reset()
        elif name != "put":  # the snapshot has the scenarios that there are
            sandbox.restore(kept if replace == "restore" else before)
        assert _without_port(declared.seen(sandbox)) == _without_port(wanted)


def _without_port(seen: object) -> str:
    """Each connected app has its own address."""
    return str(seen).rpartition("http://")[0] or str(seen)


def test_assertions_of_a_declared_scenario_are_checked_before_it_counts_anew(server: Any) -> None:
    asserts = {"name": "once", "expect": [{"calls": "payments.create", "exactly": 1}]}
    with Sandbox(server=server, scenario=asserts) as sandbox:
        sandbox.client.pay()
        sandbox.reset()
        sandbox.client.pay()
    sandbox = Sandbox(server=server, scenario=asserts)
    with pytest.raises(ExpectationFailed, match="once: 1 of 1"):
        sandbox.reset()
    sandbox.scenarios.turn_off("once")
    sandbox.reset()
    assert sandbox.scenarios.on() == []
    sandbox.close()


def test_of_a_marker_and_a_fixture_too(run: Run) -> None:
    source = f"""
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_scenarios():
            return {{"mine": {DECLINES}}}

        @pytest.mark.payment_outcomes("lost_card", "pending")
        @pytest.mark.payment_sandbox(clock="{AT}")
        def test_holds(payment_sandbox):
            before = payment_sandbox.client.pay()["status"], payment_sandbox.clock.now
            payment_sandbox.reset()
            assert (payment_sandbox.client.pay()["status"], payment_sandbox.clock.now) == before
            assert before[0] != "succeeded"
            payment_sandbox.scenario("mine")
    """
    run(source).assert_outcomes(passed=2)
    with SandboxServer() as far:
        run(source, f"--payment-sandbox-url={far.url}").assert_outcomes(passed=2)
