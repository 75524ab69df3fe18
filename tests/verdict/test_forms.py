"""A verdict in each of its forms: whatever its results are, every form tells the same of them."""

from __future__ import annotations

import random
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from mock_server.verdict import reporting
from mock_server.verdict.evidence import Finding
from mock_server.verdict.rules import ERROR, RULES, Result, State, Verdict
from tests.counts import times

ROWS: Final = {State.FOUND, State.ACCEPTED}
UNJUDGED: Final = {State.NOT_JUDGED, State.NO_OCCASION}


def any_verdict(seed: int) -> Verdict:
    """Results of every state, with none to a few findings more than are shown."""
    draw = random.Random(seed)

    def finding(number: int) -> Finding:
        calls, events = (tuple(draw.sample(range(1, 50), draw.randrange(3))) for _ in range(2))
        return Finding(f"mistake {number} was made", calls, events)

    results = []
    for rule in RULES:
        state = draw.choice(list(State))
        seen = [finding(number) for number in range(draw.randrange(1, reporting.SHOWN + 3))] if state in ROWS else []
        is_explained = state not in (State.WELL, State.FOUND) or draw.random() < 0.2
        reason = f"why {rule.id}" if is_explained else ""
        results.append(Result(rule, state, seen, len(seen) + draw.randrange(3), reason))
    return Verdict(results, draw.choice([0, 0, 7]), "http://sandbox.test")


def places(one: Finding) -> list[str]:
    return [f"call #{number}" for number in one.calls] + [f"event #{number}" for number in one.events]


def told(result: Result) -> list[str]:
    """What Markdown says of the findings: the shown ones with their places, and how many there are besides."""
    shown = [
        f"{one.what} ({', '.join(places(one))})" if places(one) else one.what for one in result.seen[: reporting.SHOWN]
    ]
    further = len(result.seen) - reporting.SHOWN
    return [*shown, f"and {further} more"] if further > 0 else shown


@pytest.mark.parametrize("seed", range(times(4, soak=200)))
def test_every_form_tells_the_same(seed: int) -> None:
    verdict = any_verdict(seed)
    lines = reporting.text(verdict)
    assert lines[0] == reporting.as_json(verdict)["summary"] == reporting.summary(verdict)
    assert any(line.endswith("not checked: 7") for line in lines) is (verdict.dropped == 7)
    is_linked = any("http://sandbox.test/_sandbox/" in line and "#" in line for line in lines)
    assert any(line.endswith("in a browser: http://sandbox.test/_sandbox/ui") for line in lines) is is_linked
    cells = {
        row.split("`")[1]: [cell.strip() for cell in row.strip("|").split(" | ")]
        for row in reporting.markdown(verdict).splitlines()
        if row.startswith(("| error", "| advice", "| accepted"))
    }
    assert cells.keys() == {one.rule.id for one in verdict.results if one.state in ROWS}
    listed = {line.split(": ")[0].strip() for line in lines if line.startswith("  ") and ": why" in line}
    assert listed == {one.rule.id for one in verdict.results if one.state in UNJUDGED}
    for one in verdict.results:
        if one.state in ROWS:
            sort = "accepted" if one.state is State.ACCEPTED else one.rule.severity
            assert cells[one.rule.id][0] == sort
            assert cells[one.rule.id][2].split("<br>") == told(one)
        headed = [line for line in lines if line.startswith(f"{one.rule.severity} {one.rule.id}: ")]
        assert len(headed) == (one.state in ROWS)
        assert all(line.endswith(f" ({one.reason})") is bool(one.reason) for line in headed)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seed", range(times(4, soak=200)))
def test_junit_has_each_rule_as_it_ended(seed: int, strict: bool) -> None:
    verdict = any_verdict(seed)
    cases = list(ET.fromstring(reporting.junit(verdict, strict=strict)).iter("testcase"))
    kinds: dict[State, str | None] = dict.fromkeys((*UNJUDGED, State.ACCEPTED), "skipped") | {State.WELL: None}
    for one, case in zip(verdict.results, cases, strict=True):
        fails = strict or one.rule.severity == ERROR
        wanted = kinds.get(one.state, "failure" if fails else "system-out")
        assert (case.get("name"), [child.tag for child in case]) == (one.rule.id, [wanted] if wanted else [])
        said = "".join(case.itertext())
        assert (f"seen: {one.seen[0].what}" in said) if one.state is State.FOUND else not said.strip()


def test_json_has_every_finding_with_its_places() -> None:
    verdict = any_verdict(1)
    for one, row in zip(verdict.results, reporting.as_json(verdict)["rules"], strict=True):
        assert (row["id"], row["state"], row["reason"] or "") == (one.rule.id, str(one.state), one.reason)
        assert [(seen["what"], seen["calls"], seen["events"]) for seen in row["seen"]] == list(one.seen)
        for seen, found in zip(row["seen"], one.seen, strict=True):
            assert [link.partition(":")[0] for link in seen["links"]] == places(found)
