"""What a decision remembers and tells: draws, counters kept apart, near misses and periods, at their limits."""

from __future__ import annotations

import re

import pytest
from msgspec import structs

from tests.scenario.workspace import NOW, Workspace, call, charge


def test_a_draw_is_told_with_six_decimals() -> None:
    workspace = Workspace("rules: [{on: charge, probability: 50%, then: {decline: lost_card}}]")
    drawn = []
    for number in range(20):
        because = workspace.decide(charge(subject=f"call {number}")).because
        if because.near_misses:
            (told,) = re.findall(r"^drew (0\.\d{6}), not under 0\.5$", because.near_misses[0].failed)
            drawn.append(float(told))
        else:
            drawn.append(float(str(because.inputs["drawn"])))
            assert drawn[-1] < 0.5
    assert drawn == [round(one, 6) for one in drawn]
    assert len(set(drawn)) == 20
    assert any(one >= 0.5 for one in drawn)
    assert any(len(str(one)) == 8 for one in drawn if one < 0.5)


@pytest.mark.parametrize("length", [43, 44, 45])
def test_calls_are_counted_apart_by_a_value_of_any_length(length: int) -> None:
    """A longer value's counter has a digest in its name."""
    workspace = Workspace("rules: [{on: charge, per: header.X-Shop, times: 1, then: {decline: lost_card}}]")
    for letter in "ab":
        mail = letter * length
        asked = charge(headers={"x-shop": mail})
        assert [workspace.decide(asked).outcome.decline for _ in range(2)] == ["lost_card", None]
        assert any(f"/str {mail}" in name for name in workspace.memory.counters) is (length <= 44)
    assert sum("/rule/1/" in name for name in workspace.memory.counters) == 2


def test_fifty_near_misses_are_kept() -> None:
    for count in (49, 50, 51, 60):
        rules = [f"{{on: charge, when: {{payment.amount: {at}}}, then: {{decline: lost_card}}}}" for at in range(count)]
        because = Workspace(f"rules: [{', '.join(rules)}]").decide(charge()).because
        assert len(because.near_misses) == min(count, 50)


@pytest.mark.parametrize(
    ("during", "since", "missed"),
    [
        ("{from: 1s, for: 2s}", 999, "999 ms since activation, not between 1000 to 3000 ms"),
        ("{from: 1s, for: 2s}", 1_000, None),
        ("{from: 1s, for: 2s}", 2_999, None),
        ("{from: 1s, for: 2s}", 3_000, "3000 ms since activation, not between 1000 to 3000 ms"),
        ("{from: 1s}", 999, "999 ms since activation, not between 1000 on"),
        ("{from: 1s}", 10**9, None),
        ("{for: 1s}", 0, None),
        ("{for: 1s}", 1_000, "1000 ms since activation, not between 0 to 1000 ms"),
    ],
)
def test_a_period_is_told_by_its_ends(during: str, since: int, missed: str | None) -> None:
    workspace = Workspace(f"rules: [{{on: charge, during: {during}, then: {{decline: lost_card}}}}]")
    because = workspace.decide(structs.replace(charge(), now=NOW + since)).because
    assert [one.failed for one in because.near_misses] == ([] if missed is None else [missed])
    assert missed is not None or because.inputs["ms since activation"] == since


@pytest.mark.parametrize(("skip", "every"), [(0, 1), (0, 3), (2, 1), (2, 3)])
def test_calls_are_skipped_and_counted_off(skip: int, every: int) -> None:
    rule = f"{{on: charge, skip: {skip}, every: {every}, then: {{decline: lost_card}}}}"
    workspace = Workspace(f"rules: [{rule}]")
    for number in range(1, 12):
        because = workspace.decide(charge()).because
        if number <= skip:
            said = f"matching call {number}, but the first {skip} are skipped"
        elif (number - skip) % every:
            said = f"matching call {number}, and only one in {every} is answered"
        else:
            assert because.inputs["matching call"] == number
            continue
        assert [one.failed for one in because.near_misses] == [said]


@pytest.mark.parametrize("repeat", ["last", "cycle", "stop"])
@pytest.mark.parametrize("times", [None, 2, 5])
def test_answers_follow_each_other(repeat: str, times: int | None) -> None:
    answers = ["lost_card", "stolen_card", "expired_card"]
    limit = "" if times is None else f"times: {times}, "
    steps = ", ".join(f"{{decline: {name}}}" for name in answers)
    workspace = Workspace(f"rules: [{{on: charge, {limit}repeat: {repeat}, then: [{steps}]}}]")
    most = min(3, times or 3) if repeat == "stop" else times
    for number in range(8):
        decision = workspace.decide(charge())
        if most is not None and number >= most:
            said = f"used up: {most} of {most} answers given"
            assert (decision.outcome.decline, decision.because.near_misses[0].failed) == (None, said)
        else:
            at = number % 3 if repeat == "cycle" else min(number, 2)
            turn = f"answer {number + 1} of {most}" if most else f"answer {number + 1}"
            assert decision.outcome.decline == answers[at]
            assert f", {turn}: failed ({answers[at]})" in decision.because.text


@pytest.mark.parametrize(
    ("delay", "low", "high"),
    [("70ms", 70, 70), ("{between: [10ms, 90ms]}", 10, 90), ("{p50: 20ms, p99: 200ms}", 1, 2_000)],
)
def test_delays_are_drawn_within_their_bounds(delay: str, low: int, high: int) -> None:
    workspace = Workspace(f"rules: [{{on: payments.create, then: {{delay: {delay}}}}}]")
    drawn = []
    for number in range(400):
        found = workspace.connection(call(subject=f"call {number}"))
        assert found is not None
        drawn.append(found.delay_ms)
    assert low <= min(drawn) <= max(drawn) <= high
    if "p50" in delay:
        assert 150 < sum(one < 20 for one in drawn) < 250
        assert 0 <= sum(one > 200 for one in drawn) < 15
        assert max(drawn) > 60
    elif low != high:
        assert len(set(drawn)) > 40
        assert sum(drawn) / 400 == pytest.approx((low + high) / 2, rel=0.1)
