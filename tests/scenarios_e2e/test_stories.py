"""Every shipped scenario, played over real connections: its story is its documentation and its test at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mock_server.cli.playing import perform, stage
from mock_server.scenario.loading.library import bundled_files
from mock_server.scenario.loading.load import load_bytes, load_json, load_text

FILES = sorted(bundled_files().values())
PATIENCE_S = 5.0
"""How long a client waits where an answer does not come; elsewhere as long as it takes."""
NO_LIMIT_S = 3600.0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_story_goes_as_it_says(path: Path) -> None:
    scenario = load_bytes(path.read_bytes(), f"scenarios/{path.name}").scenario
    with stage(PATIENCE_S if b"fault: hang" in path.read_bytes() else NO_LIMIT_S) as client:
        lines = list(perform(scenario, (), client))
    assert len(lines) == len(scenario.story) + len(scenario.expect)
    assert [str(line) for line in lines if not line.holds] == []


def test_every_decision_of_a_story_is_told_with_its_reason() -> None:
    text = Path(bundled_files()["lost_response"]).read_text("utf-8")
    with stage(NO_LIMIT_S) as client:
        told = [str(line) for line in perform(load_text(text, "x.yaml").scenario, (), client)]
    assert "connection reset" in told[0]
    assert "because scenario lost_response (active), rule 1" in told[0]
    assert "card visa_success" in told[0]


def test_a_story_that_goes_wrong_says_where() -> None:
    text = """\
version: 1
story:
  - do: payments.create
    with: {amount: 100, currency: EUR, confirm: true, card: success}
    see: {http: 200, status: failed}
expect:
  - {payments: {status: failed}, exactly: 1}
"""
    with stage(NO_LIMIT_S) as client:
        step, expectation = map(str, perform(load_text(text, "x.yaml", name="x").scenario, (), client))
    assert 'status is "succeeded", not "failed" (x.yaml:3)' in step
    assert expectation.startswith("FAIL expect payments")
    assert "x.yaml:7" in expectation


@pytest.mark.parametrize(
    ("then", "deliveries", "events"),
    [
        ({"copies": 3}, 3, ["payment_succeeded"]),
        ({"drop": True}, 0, []),
        ({"copies": 1}, 1, ["payment_succeeded"]),
    ],
    ids=["copies", "dropped", "once"],
)
def test_webhooks_are_seen_as_they_were_sent(then: dict[str, object], deliveries: int, events: list[str]) -> None:
    """A number counts deliveries, as the assertion does; a list has each event that is not kept back."""
    pay = {"amount": 100, "currency": "EUR", "confirm": True, "card": "success"}
    scenario = {
        "rules": [{"on": "webhook.payment_succeeded", "then": then}],
        "story": [
            {"do": "clock.freeze"},
            {"do": "payments.create", "with": pay},
            *({"see": {"webhooks": seen}} for seen in (deliveries, events, deliveries + 1)),
        ],
        "expect": [{"webhooks": "payment_succeeded", "exactly": deliveries}],
    }
    with stage(NO_LIMIT_S) as client:
        lines = list(perform(load_json(json.dumps(scenario), "x.json", name="x").scenario, (), client))
    assert [line.holds for line in lines] == [True, True, True, True, False, True]
