"""Chance: the same request meets the same fate, in any order and by a ticket."""

from __future__ import annotations

import random
import threading
from urllib.parse import parse_qsl

import pytest

from mock_server.scenario.deciding.chance import ticket_of
from tests.scenario.workspace import Workspace, call, charge

FLAKY = """
name: flaky
chaos: {hang: 10%, connection_reset: 10%, error: {HE_00: 20%}, webhook_copies: 30%, decline: {lost_card: 25%}}
"""


def fate(workspace: Workspace, key: str) -> str:
    found = workspace.connection(call(subject=key))
    return "fine" if found is None else found.because.text.split(": ")[1].split(",")[0]


def test_shares_are_shares() -> None:
    workspace = Workspace(FLAKY)
    fates = [fate(workspace, f"key {number}") for number in range(2000)]
    for what, share in {"hang": 0.1, "connection_reset": 0.1, "error HE_00": 0.2, "fine": 0.6}.items():
        assert share - 0.03 < fates.count(what) / 2000 < share + 0.03


def test_the_issuer_and_webhooks_have_chances_of_their_own() -> None:
    workspace = Workspace(FLAKY)
    declined = [workspace.decide(charge(subject=f"{number}")).outcome.decline for number in range(400)]
    copied = [workspace.webhook("payment_succeeded", subject=f"{number}") for number in range(400)]
    assert 60 < declined.count("lost_card") < 140
    assert 80 < sum(found is not None for found in copied) < 160
    capture = charge(names=("payments.capture",), operation="payments.capture")
    assert all(workspace.decide(capture).outcome.decline is None for _ in range(50))


def test_the_reason_names_the_draw_and_the_ticket() -> None:
    workspace = Workspace(FLAKY)
    found = next(line for number in range(100) if (line := workspace.connection(call(subject=f"{number}"))))
    assert found.because.by == "chaos"
    assert found.because.rule == "s0.yaml:2"
    assert str(found.because.inputs["ticket"]) in found.because.text
    assert found.because.inputs["operation"] == "payments.create"


def test_without_a_seed_there_is_no_ticket() -> None:
    workspace = Workspace(FLAKY, seed=None)
    found = next(line for number in range(100) if (line := workspace.connection(call(subject=f"{number}"))))
    assert "cannot be repeated" in found.because.text
    assert "ticket" not in found.because.inputs


def test_a_ticket_holds_all_that_chance_was_made_of() -> None:
    workspace = Workspace(FLAKY)
    scenario = workspace.scenarios["flaky"]
    head, _, rest = str(ticket_of(scenario, workspace.state)).partition("?")
    assert head == "chaos"
    assert dict(parse_qsl(rest)) == {
        "scenario": "flaky",
        "digest": scenario.digest[:12],
        "seed": workspace.state.seed,
        "name": workspace.state.workspace,
    }


@pytest.mark.parametrize("repetition", range(3))
def test_the_same_requests_meet_the_same_fate_with_one_and_with_32_threads(repetition: int) -> None:
    keys = [f"key {number}" for number in range(64)]
    alone = Workspace(FLAKY)
    expected = {key: [fate(alone, key) for _ in range(3)] for key in keys}
    together = Workspace(FLAKY)
    found: dict[str, list[str]] = {key: [] for key in keys}
    mixed = [key for key in keys for _ in range(3)] + [f"extra {number}" for number in range(10)]
    random.Random(repetition).shuffle(mixed)
    shares = [mixed[at::32] for at in range(32)]

    def work(mine: list[str]) -> None:
        for key in mine:
            with together.memory.atomic:
                found.setdefault(key, []).append(fate(together, key))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {key: found[key] for key in keys} == expected


def test_another_seed_has_another_fate() -> None:
    keys = [f"key {number}" for number in range(100)]
    one, other = Workspace(FLAKY, seed="1"), Workspace(FLAKY, seed="2")
    assert [fate(one, key) for key in keys] != [fate(other, key) for key in keys]


def test_a_repeated_call_draws_anew() -> None:
    workspace = Workspace("chaos: {hang: 50%}")
    assert len({fate(workspace, "same key") for _ in range(40)}) == 2


def test_operations_draw_for_themselves() -> None:
    workspace = Workspace("chaos: {hang: 50%}")
    draws = {
        name: [workspace.connection(call(name, subject=f"{number}")) is None for number in range(40)]
        for name in ("payments.create", "payments.confirm")
    }
    assert draws["payments.create"] != draws["payments.confirm"]


def test_a_rule_comes_before_chance() -> None:
    workspace = Workspace("chaos: {hang: 100%}\nrules: [{on: payments.create, times: 1, then: {delay: 1s}}]")
    first, second = workspace.connection(call()), workspace.connection(call())
    assert first is not None
    assert second is not None
    assert (first.because.by, second.because.by) == ("scenario", "chaos")
    assert second.because.near_misses[0].failed.startswith("used up")


def test_kept_chaos_lets_the_operation_take_place() -> None:
    found = Workspace("chaos: {hang: 100%, effect: kept}").connection(call())
    assert found is not None
    assert found.rule.kept


def test_whoever_is_spared_is_told_so() -> None:
    found = Workspace("chaos: {decline: {lost_card: 1%}}").decide(charge())
    assert "chaos drew" in found.because.near_misses[0].failed
