"""Each rule finds its own broken client, once; and says nothing wrong of a correct one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict import manners
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.rules import ADVICE, ERROR, RULES, State, Verdict, judge, suspected
from tests.running import environment, until
from tests.verdict.clients import broken
from tests.verdict.clients_by_kind import BROKEN, CORRECT, NOT_CHECKED, VARIANTS, Client

PROGRAM = Path(broken.__file__).with_suffix(".mjs")
IN_NODE = ("double-charge", "key-for-another-body", "captured-twice", "refunded-twice", "amount-not-whole")


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"advance_delivery_timeout": "100ms"}) as found:
        yield found


def used(server: SandboxServer, client: Client) -> Sandbox:
    sandbox = Sandbox(server=server, name=client.__name__, seed="tests")
    client(sandbox)
    return sandbox


def judged(sandbox: Sandbox) -> Verdict:
    """What is said by what is in memory: the same as by what the control API shows."""

    def is_the_same() -> bool:
        shown = judge(read(gathered(lambda path: sandbox.control.get(f"/{path}"))))
        return sandbox.verdict().results == shown.results

    until(is_the_same)  # deliveries may still be under way
    verdict, evidence = sandbox.verdict(), sandbox.evidence()
    assert judge(evidence, rules=suspected(evidence)).found() == verdict.found()
    slow = answered_late(gathered(lambda path: sandbox.control.get(f"/{path}")))
    assert judge(read(slow)).found() == verdict.found(), "the same client, whose answers come after their events"
    return verdict


def answered_late(evidence: dict[str, Any]) -> dict[str, Any]:
    """The same evidence of a busy machine: an event is often delivered before the call that caused it is answered."""
    delivered = {
        event["number"]: min(one["began_us"] for one in event["deliveries"])
        for event in evidence["webhooks"]["data"]
        if event["deliveries"]
    }
    begun = sorted(line["began_us"] for line in evidence["journal"]["data"])
    for line in evidence["journal"]["data"]:
        following = next((at for at in begun if at > line["began_us"]), inf)
        first = min((delivered[number] for number in line["events"] if number in delivered), default=inf)
        if first < following - 2:
            line["took_ms"] = max(line["took_ms"], (min(first + 1_000, following - 1) - line["began_us"]) / 1_000)
    return evidence


@pytest.mark.parametrize("rule_id", BROKEN)
def test_a_broken_client_is_found_once_and_by_its_rule(
    server: SandboxServer, rule_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manners, "LATE_MS", 100)  # five seconds would be long in a test
    sandbox = used(server, BROKEN[rule_id])
    assert next(rule.sign for rule in RULES if rule.id == rule_id) in sandbox.evidence().signs(), "see Evidence.signs"
    found = judged(sandbox).found()
    sandbox.close()
    assert [(one.rule.id, len(one.seen)) for one in found if one.rule.severity == ERROR or one.rule.id == rule_id] == [
        (rule_id, 1)
    ], found
    assert found[0].seen[0].calls or found[0].seen[0].events


@pytest.mark.parametrize("client", VARIANTS, ids=lambda one: one.__name__)
def test_it_is_found_in_other_places_too(server: SandboxServer, client: Client) -> None:
    sandbox = used(server, client)
    found = judged(sandbox).found()
    sandbox.close()
    assert [(one.rule.id.replace("-", "_"), len(one.seen)) for one in found] == [
        (client.__name__.partition("__")[0], 1)
    ]


@pytest.mark.parametrize("client", NOT_CHECKED, ids=lambda one: one.__name__)
def test_what_calls_do_not_show_does_not_pass(server: SandboxServer, client: Client) -> None:
    sandbox = used(server, client)
    verdict = judged(sandbox)
    sandbox.close()
    states = {one.rule.id.replace("-", "_"): one.state for one in verdict.results}
    assert states[client.__name__.partition("__")[0]] == State.NOT_JUDGED
    assert verdict.found(ERROR) == []


@pytest.mark.parametrize("client", CORRECT, ids=lambda one: one.__name__)
def test_a_correct_client_is_found_clean(server: SandboxServer, client: Client) -> None:
    sandbox = used(server, client)
    verdict = judged(sandbox)
    sandbox.close()
    assert verdict.found(ERROR) == []
    assert {one.rule.id for one in verdict.found(ADVICE)} <= {"connection-for-each-call", "authorization-open"}
    assert verdict.of(State.WELL)


def test_nothing_is_said_of_a_rule_without_an_occasion(server: SandboxServer) -> None:
    with Sandbox(server=server) as sandbox:
        verdict = sandbox.verdict()
    assert not verdict.is_judged
    assert {one.state for one in verdict.results} == {State.NO_OCCASION}
    assert all(one.reason for one in verdict.results)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize("rule_id", IN_NODE)
def test_a_broken_client_in_node_is_found_the_same(server: SandboxServer, rule_id: str) -> None:
    sandbox = Sandbox(server=server, name=f"node {rule_id}", seed="tests")
    subprocess.run(["node", str(PROGRAM), rule_id], env=environment(**sandbox.env), check=True)
    found = judged(sandbox).found(ERROR)
    for name in sandbox.scenarios.on():
        sandbox.scenarios.turn_off(name)
    sandbox.close()
    assert [(one.rule.id, len(one.seen)) for one in found] == [(rule_id, 1)]


def test_every_rule_is_kept_by_some_correct_client(server: SandboxServer) -> None:
    """Otherwise a rule that finds everything would pass for one that judges."""
    kept = {one.rule.id for client in CORRECT for one in used(server, client).verdict().of(State.WELL)}
    assert {rule.id for rule in RULES} - kept == set()
