"""A decision in words, and under `then` again: what is shown of it makes the same decision."""

from __future__ import annotations

import json
from itertools import combinations, product
from typing import Any

import pytest
from msgspec import structs

from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import Outcome
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.answers import (
    Deliver,
    ErrorAnswer,
    LineRule,
    RawAnswer,
    WebhookRule,
    line_as_then,
    outcome_as_then,
    say,
    say_line,
    say_webhook,
)
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.scenario.deciding.test_line import LINES
from tests.scenario.deciding.test_outcomes import SAID
from tests.scenario.workspace import Workspace, call, charge

MORE = (
    "{dispute: {reason: fraudulent}}",
    "{dispute: {reason: fraudulent, stage: pre_dispute, after: 3d, amount: 40%, respond_within: 2d}}",
    "{dispute: [{reason: general, amount: 70}, {reason: duplicate}], later: {refund: {outcome: pending}}}",
    "{outcome: succeeded, expires: 90s}",
    "{challenge: {result: expired, after: 2s}, expires: 5m}",
    "{settles: {after_polls: 2, as: succeeded}}",
)
WORDS = {
    "{outcome: failed}": "failed (generic_decline)",
    "{challenge: {result: approved, after: 2s}}": "requires_action (approved)",
    "{challenge: approved, decline: lost_card}": "requires_action (approved), then failed (lost_card)",
    "{settles: {after: 30s, as: failed}, decline: lost_card}": "pending, then failed",
    "{later: {capture: failed}}": "succeeded; later payments.capture failed",
    MORE[1]: "succeeded, then disputed after 3d: fraudulent",
    "{outcome: succeeded, expires: 90s}": "succeeded; expires after 90s",
}


def decided(then: str) -> Outcome:
    return Workspace(f"rules: [{{on: charge, then: {then}}}]").decide(charge()).outcome


PARTS: dict[str, list[Any]] = {
    "outcome": ["succeeded", "failed", "requires_action", "pending", "requires_merchant_action"],
    "decline": ["lost_card"],
    "challenge": ["approved", "declined", {"result": "approved", "after": "2s"}],
    "settles": [{"after": "30s"}, {"after": "30s", "as": "failed"}, {"after_polls": 2, "as": "failed"}],
    "dispute": [{"after": "1d", "reason": "fraudulent"}],
    "expires": ["10m"],
    "later": [{"refund": "failed"}],
}


def together(count: int) -> list[str]:
    """Each choice of so many keys of the issuer, with each of their values, that is allowed."""
    keys = combinations(PARTS, count)
    chosen = (zip(some, values, strict=True) for some in keys for values in product(*(PARTS[key] for key in some)))
    return [json.dumps(then) for then in map(dict, chosen) if is_allowed(then)]


def is_allowed(then: dict[str, Any]) -> bool:
    try:
        return bool(load_mapping({"rules": [{"on": "charge", "then": then}]}))
    except ScenarioErrors:
        return False


def told(outcome: Outcome) -> tuple[Any, ...]:
    later = {name: one.word for name, one in outcome.later.items()}
    return structs.replace(outcome, later={}), outcome_as_then(outcome), later


def test_what_is_shown_of_an_outcome_decides_the_same() -> None:
    every = [*SAID, *MORE, *(then for count in range(1, 5) for then in together(count))]
    outcomes = {then: decided(then) for then in every}
    again = {then: decided(json.dumps(outcome_as_then(outcome))) for then, outcome in outcomes.items()}
    assert [then for then in every if told(again[then]) != told(outcomes[then])] == []
    assert len(every) > 150


@pytest.mark.parametrize("then", WORDS)
def test_an_outcome_in_words(then: str) -> None:
    assert say(decided(then)) == WORDS[then]


@pytest.mark.parametrize(("then", "rule"), LINES.values(), ids=LINES)
def test_what_is_shown_of_a_connection_decides_the_same(then: str, rule: LineRule) -> None:
    for delay in (0, 70):
        found = Workspace(
            f"rules: [{{on: payments.create, then: {json.dumps(line_as_then(rule, delay))}}}]"
        ).connection(call())
        assert found is not None
        assert (structs.replace(found.rule, delay=None), found.delay_ms) == (rule, delay)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (LineRule(), "nothing"),
        (LineRule(error=ErrorAnswer("HE_00")), "error HE_00"),
        (LineRule(respond=RawAnswer(503)), "answer 503 as written"),
        (LineRule(fault=LineFault.HANG, kept=True), "hang, after the operation took place"),
        (LineRule(headers={"A": "1", "B": "2"}), "headers A, B"),
    ],
)
def test_a_rule_for_the_connection_in_words(rule: LineRule, words: str) -> None:
    assert say_line(rule) == words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (WebhookRule(), "nothing"),
        (WebhookRule(drop=True), "dropped"),
        (WebhookRule(copies=2), "2 copies"),
        (WebhookRule(copies=3, concurrently=True), "3 copies, at the same moment"),
        (WebhookRule(signature="wrong", stale=True), "signature wrong, body of an earlier state"),
        (WebhookRule(Deliver(at="before_response")), "before the response"),
        (WebhookRule(Deliver(at="during_redirect")), "during the redirect"),
        (WebhookRule(Deliver(following="payment_failed")), "after payment_failed"),
        (WebhookRule(Deliver(delay=5)), "5 ms later"),
    ],
)
def test_a_rule_for_a_delivery_in_words(rule: WebhookRule, words: str) -> None:
    assert say_webhook(rule) == words
