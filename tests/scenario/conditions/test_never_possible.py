"""Values that no key of the language can ever have, or that leave nothing to happen: `scenarios check` refuses them.

The words are those of all tables of outcomes; each is tried at every place for one, and is refused exactly where the
place's own calls cannot end so.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.events import EventType
from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.conditions.when import OPERATORS
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.answers import LATER_NAMES, LEADING_TO_CHARGE, allowed_on
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.schema.answers import OUTCOMES, SETTLE_WORDS, WEBHOOK_KEYS
from tests.architecture.sources import ROOT
from tests.scenario.refusals import problems

CARD: Final = "4242424242424242"
PAID: Final[dict[str, Any]] = {"do": "payments.create", "with": {"amount": 100, "card": "success"}, "as": "paid"}


def is_refused(scenario: dict[str, Any]) -> bool:
    try:
        load_mapping(scenario)
    except ScenarioErrors:
        return True
    return False


def rule(then: dict[str, Any], on: str = "charge", **more: Any) -> dict[str, Any]:
    return {"rules": [{"on": on, "then": then, **more}]}


def story(**step: Any) -> dict[str, Any]:
    return {"story": [PAID, step]}


@pytest.mark.parametrize("word", SETTLE_WORDS)
def test_a_word_to_settle_as_is_taken_where_it_can_happen(word: str) -> None:
    settles = {"settles": {"after": "5d", "as": word}}
    for name, operation in LATER_NAMES.items():
        row = allowed_on(operation)
        assert row is not None
        can = "settles" in row.keys and word in row.settles_as
        assert is_refused(rule({"later": {name: settles}})) is not can, name
        assert is_refused(rule(settles, operation)) is not can, name
        assert is_refused({"cards": {CARD: {"name": "own", "later": {name: settles}}}}) is not can, name
    charge = allowed_on("charge")
    assert charge is not None
    assert is_refused({"cards": {CARD: {"name": "own", **settles}}}) is not (word in charge.settles_as)


@pytest.mark.parametrize("word", OUTCOMES)
def test_an_outcome_is_taken_where_it_can_happen(word: str) -> None:
    for name, operation in LATER_NAMES.items():
        row = allowed_on(operation)
        assert row is not None
        assert is_refused(rule({"later": {name: word}})) is not (word in row.words), name
    charge = allowed_on("charge")
    assert charge is not None
    assert is_refused({"cards": {CARD: {"name": "own", "outcome": word}}}) is not (word in charge.words)


@pytest.mark.parametrize("word", [*REASON_CODES, "fradulent", "the goods never came", "won", 5])
def test_a_reason_of_a_dispute_is_one_wherever_it_is_planned(word: Any) -> None:
    dispute = {"reason": word}
    places: tuple[dict[str, Any], ...] = (
        rule({"dispute": dispute}),
        rule({"dispute": [dispute]}),
        rule({"dispute": word}),
        {"cards": {CARD: {"name": "own", "dispute": dispute}}},
        {"given": {"payments": [{"amount": 5, "disputes": [dispute]}]}},
    )
    assert [is_refused(place) for place in places] == [word not in REASON_CODES] * len(places)


@cache
def _asking() -> set[str]:
    """The operations of which the engine asks the deciders how the bank answers."""
    found: set[str] = set(LEADING_TO_CHARGE)
    for file in (ROOT / "mock_server/engine").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "decided":
                found |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
    return found


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_an_outcome_is_taken_exactly_where_the_bank_is_asked(row: Operation) -> None:
    words = [*OUTCOMES, "won", "lost", "cancelled", "expired"]
    taken = any(not is_refused(rule({"outcome": word}, row.name)) for word in words)
    assert taken is (row.name in _asking())


OF_WEBHOOKS: Final[dict[str, Any]] = {
    "deliver": "before_response", "copies": 2, "concurrently": True, "signature": "wrong", "body": "stale",
}  # fmt: skip


def test_nothing_is_said_of_what_is_dropped() -> None:
    assert {*OF_WEBHOOKS, "drop"} == {*WEBHOOK_KEYS}
    for key, value in OF_WEBHOOKS.items():
        assert is_refused(rule({"drop": True, key: value}, "webhook.*")), key
    assert not is_refused(rule({"drop": False, "signature": "wrong"}, "webhook.*"))


@pytest.mark.parametrize("event", EventType)
def test_no_event_waits_for_itself(event: str) -> None:
    for other in EventType:
        then = {"deliver": {"following": other.value}}
        assert is_refused(rule(then, f"webhook.{event}")) is (other == event)
        assert not is_refused(rule(then, "webhook.*"))


VALUES: Final[dict[str, Any]] = {
    "eq": 5, "ne": 5, "gt": 5, "gte": 5, "lt": 5, "lte": 5, "in": [5, 6], "not_in": [5, 6], "exists": True,
}  # fmt: skip


def opposed(tests: dict[str, Any]) -> bool:
    """By trying whole numbers and halves."""
    made = [(OPERATORS[name].test, tuple(value) if isinstance(value, list) else value) for name, value in tests.items()]
    return not any(all(test(number / 2, value) for test, value in made) for number in range(20))


@pytest.mark.parametrize("pair", list(product(VALUES, repeat=2)), ids="-".join)
def test_two_tests_of_one_value_can_both_pass(pair: tuple[str, str]) -> None:
    first, second = pair
    if first == second:
        return
    for number in (3, 4, 5, 6, 7):
        other = {"in": [number], "not_in": [number], "exists": True}.get(second, number)
        tests = {first: VALUES[first], second: other}
        if "not_in" in tests and {first, second}.isdisjoint(("eq", "in")):
            continue
        wrong = opposed(tests)
        assert is_refused({"expect": [{"payments": {"amount": tests}}]}) is wrong, tests
        assert is_refused(rule({"decline": "lost_card"}, when={"body.amount": tests})) is wrong, tests
        assert is_refused(story(do="payments.retrieve", of="$paid", see={"amount": tests})) is wrong, tests
    if first != "exists":
        assert is_refused({"expect": [{"payments": {"amount": {first: VALUES[first], "exists": False}}}]})


NUMBERS: Final = ("payment.amount", "payment.attempt_count", "dispute.amount", "attempt")
TEXTS: Final = ("card.last4", "payment.description", "payment.connector_transaction_id")
SEEN: Final[dict[str, bool]] = {"amount": True, "disputes.0.amount": False, "description": False, "attempt_count": True}


@pytest.mark.parametrize("name", ["eq", "ne", "in", "not_in", "gt", "lte"])
@pytest.mark.parametrize("number", [1, 4242])
def test_a_number_in_the_place_of_a_text_is_told_how_to_write_it(name: str, number: int) -> None:
    """And the other way round; what is told is then taken."""

    def said(path: str, right: Any, wrong: Any, given: Callable[[Any], dict[str, Any]]) -> None:
        one, other = ([value] if "in" in name else value for value in (right, wrong))
        assert problems(given({path: {name: one}})) == []
        how = "" if name in ("eq", "ne", "in", "not_in") else f"{name} "
        assert problems(given({path: {name: other}})) == [
            f"{path} can never be {how}{json.dumps(wrong)}; write {json.dumps(right)}"
        ]

    for path in (*NUMBERS, *TEXTS):
        right, wrong = (number, str(number)) if path in NUMBERS else (str(number), number)
        said(path, right, wrong, lambda when: rule({"delay": "1s"}, "disputes.retrieve", when=when))
    for path, is_number in SEEN.items():
        right, wrong = (number, str(number)) if is_number else (str(number), number)
        said(path, right, wrong, lambda see: story(do="payments.retrieve", of="$paid", see=see))


NEVER: Final[list[dict[str, Any]]] = [
    *(story(do="payments.list", see={"http": value}) for value in (700, 0, 99, -1, [], [200, 700], "200", True, 200.5)),
    *(story(see={name: value}) for name in RECORDS for value in (-1, 1.5, True, "1")),
    *(story(do="payments.retrieve", of="$paid", see={name: []}) for name in ("status", "amount", "currency")),
    *({"expect": [{name: {}, "at_least": 0}]} for name in ("calls", "payments", "refunds", "customers", "webhooks")),
    rule({"decline": "lost_card"}, during={"for": "0s"}),
    story(do="next", **{"with": {"on": "chrge", "then": {"decline": "lost_card"}}}),
    story(do="next", **{"with": {"then": {"declne": "lost_card"}}}),
    story(do="next", **{"with": {"then": {"decline": "lost_crd"}}}),
    story(do="next"),
    *(story(do="payment.fail", of="$paid", **{"with": {"decline": word}}) for word in ("lost_crd", "", 5)),
    *(story(do="payment.settle", of="$paid", **{"with": {"as": word}}) for word in ("won", "paid", None)),
    story(do="payment.settle", of="$paid", **{"with": {"amount": 5, "as": "failed"}}),
    story(do="payment.settle", of="$paid", **{"with": {"amount": "$paid.amount", "ass": "failed"}}),
    story(do="payment.expire", of="$paid", **{"with": {"what": "sesion"}}),
    story(do="payment.dispute", of="$paid", **{"with": {"stage": "first"}}),
    story(do="dispute.advance", of="$paid", **{"with": {"to": "woon"}}),
    story(do="dispute.advance", of="$paid"),
    story(do="clock.freeze", **{"with": {"at": "yesterday"}}),
    story(do="clock.advance", by="1h", **{"with": {"to": "2026-01-31T12:00:00Z"}}),
]


@pytest.mark.parametrize("scenario", NEVER, ids=lambda one: str(one)[-80:])
def test_what_can_never_hold_is_refused(scenario: dict[str, Any]) -> None:
    assert is_refused(scenario)


def test_what_can_hold_is_not() -> None:
    for scenario in (
        story(do="payments.list", see={"http": [200, 429]}),
        story(see={"payments": 0}),
        {"expect": [{"payments": {}, "at_least": 0, "at_most": 3}]},
        story(do="payment.settle", of="$paid", **{"with": {"amount": "$paid.amount"}}),
        story(do="payment.fail", of="$paid", **{"with": {"decline": "lost_crd"}}, see={"http": 400}),
        story(do="clock.advance", by="1h", **{"with": {"deliver": False}}),
        story(do="next", **{"with": {"on": "payments.create", "then": {"error": "HE_00"}, "times": 2}}),
    ):
        assert not is_refused(scenario), scenario
