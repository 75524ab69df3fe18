"""Which answer comes when: lists, repetition, counters, threads."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.deciding.activation import activate
from mock_server.scenario.deciding.queue_and_scenarios import MOST_KEPT
from tests.scenario.workspace import NOW, Workspace, call, charge, payment

TEN = ", ".join(f"{{settles: {{after: {number}s, as: succeeded}}}}" for number in range(1, 11))


def declines(workspace: Workspace, calls: int) -> list[str | None]:
    return [workspace.decide(charge()).outcome.decline for _ in range(calls)]


@pytest.mark.parametrize(
    ("repeat", "expected"),
    [
        ("last", ["lost_card", "stolen_card", "stolen_card", "stolen_card", "stolen_card"]),
        ("cycle", ["lost_card", "stolen_card", "lost_card", "stolen_card", "lost_card"]),
        ("stop", ["lost_card", "stolen_card", None, None, None]),
    ],
)
def test_a_list_is_played_in_order(repeat: str, expected: list[str | None]) -> None:
    rule = f"{{on: charge, repeat: {repeat}, then: [{{decline: lost_card}}, {{decline: stolen_card}}]}}"
    assert declines(Workspace(f"rules: [{rule}]"), 5) == expected


def test_times_ends_a_list_early() -> None:
    rule = "{on: charge, times: 1, repeat: stop, then: [{decline: lost_card}, {decline: stolen_card}]}"
    assert declines(Workspace(f"rules: [{rule}]"), 3) == ["lost_card", None, None]


def test_skip_times_and_every_go_together() -> None:
    rule = "{on: charge, skip: 2, every: 2, times: 2, then: {decline: lost_card}}"
    found = declines(Workspace(f"rules: [{rule}]"), 10)
    assert [at for at, name in enumerate(found, start=1) if name] == [4, 6]


def test_a_call_that_every_leaves_out_says_so() -> None:
    found = Workspace("rules: [{on: charge, every: 3, then: {decline: lost_card}}]").decide(charge())
    assert found.because.near_misses[0].failed == "matching call 1, and only one in 3 is answered"


def test_a_rule_is_counted_only_where_it_decides() -> None:
    rules = "[{on: charge, times: 2, then: {decline: lost_card}}, {on: charge, times: 1, then: {decline: stolen_card}}]"
    assert declines(Workspace(f"rules: {rules}"), 4) == ["lost_card", "lost_card", "stolen_card", None]


def test_conditions_that_fail_count_nothing() -> None:
    workspace = Workspace("rules: [{on: charge, when: {attempt: 1}, times: 1, then: {decline: lost_card}}]")
    assert workspace.decide(charge(attempt=2)).outcome.decline is None
    assert workspace.decide(charge(attempt=1)).outcome.decline == "lost_card"


@pytest.mark.parametrize(
    ("per", "one", "other"),
    [
        ("payment", charge(), charge(payment=payment(payment_id="pay_2"))),
        ("customer", charge(payment=payment(customer_id="a")), charge(payment=payment(customer_id="b"))),
        ("header.X-Tenant", charge(headers={"X-Tenant": "a"}), charge(headers={"X-Tenant": "b"})),
        ("header.X-Tenant", charge(headers={"X-Tenant": "a" * 5000}), charge(headers={"X-Tenant": "a" * 4999})),
        ("header.X-Tenant", charge(headers={"X-Tenant": "a"}), charge()),
    ],
)
def test_each_owner_has_a_sequence_of_its_own(per: str, one: DecisionRequest, other: DecisionRequest) -> None:
    workspace = Workspace(
        f"rules: [{{on: charge, per: {per}, then: [{{decline: lost_card}}, {{decline: stolen_card}}]}}]"
    )
    found = [workspace.decide(request).outcome.decline for request in (one, other, one, other)]
    assert found == ["lost_card", "lost_card", "stolen_card", "stolen_card"]


def test_channels_count_for_themselves() -> None:
    workspace = Workspace("rules: [{on: payments.create, times: 1, then: {delay: 1s, decline: lost_card}}]")
    assert workspace.connection(call()) is not None
    assert workspace.connection(call()) is None
    assert declines(workspace, 2) == ["lost_card", None]


def test_the_issuers_list_leaves_out_calls_that_the_line_ended() -> None:
    then = "[{fault: connection_reset}, {decline: lost_card}, {outcome: succeeded}]"
    workspace = Workspace(f"rules: [{{on: payments.create, then: {then}}}]")
    found = []
    for _ in range(3):
        line = workspace.connection(call())
        found.append("line" if line and line.rule.ends_call else workspace.decide(charge()).outcome.decline)
    assert found == ["line", "lost_card", None]


def test_an_empty_answer_leaves_the_call_alone() -> None:
    workspace = Workspace(
        "rules: [{on: payments.create, then: [{error: HE_00}, {}, {error: HE_01}]}, {on: '*', then: {delay: 1s}}]"
    )
    found = [
        line and line.rule.error and line.rule.error.code for line in (workspace.connection(call()) for _ in range(3))
    ]
    assert found == ["HE_00", None, "HE_01"]


def test_an_answer_that_leaves_the_issuer_out_is_told() -> None:
    workspace = Workspace("rules: [{on: payments.create, then: [{decline: lost_card}, {delay: 1s}]}]")
    workspace.decide(charge())
    found = workspace.decide(charge())
    assert found.because.by == "card"
    assert found.because.near_misses[0].failed == "answer 2 does not apply here"


@pytest.mark.parametrize("repetition", range(5))
def test_each_answer_is_given_once_with_many_threads(repetition: int) -> None:
    """32 threads on one sequence of ten answers that stops."""
    workspace = Workspace(f"rules: [{{on: charge, repeat: stop, then: [{TEN}]}}]")
    given: list[int | None] = []
    start = threading.Barrier(32)

    def work() -> None:
        start.wait()
        for _ in range(3):
            settles = workspace.decide(charge()).outcome.settles
            with workspace.memory.atomic:
                given.append(settles.after_ms if settles else None)

    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(given) == Counter([number * 1_000 for number in range(1, 11)] + [None] * 86)


def test_a_new_activation_plays_from_the_beginning() -> None:
    workspace = Workspace("name: s\nrules: [{on: charge, then: [{decline: lost_card}, {decline: stolen_card}]}]")
    assert declines(workspace, 2) == ["lost_card", "stolen_card"]
    activate(workspace.memory, "s", NOW)
    assert declines(workspace, 1) == ["lost_card"]


def test_a_decision_remembers_so_many_near_misses() -> None:
    never = "  - {on: charge, when: {attempt: 9}, then: {decline: lost_card}}\n"
    different = "".join(never.replace("9", str(at)) for at in range(10, 110))
    workspace = Workspace(f"rules:\n{different}")
    assert len(workspace.decide(charge()).because.near_misses) == MOST_KEPT
