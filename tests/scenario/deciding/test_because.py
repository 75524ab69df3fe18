"""One input changes, the decision flips, and both reasons name the input, its value, and the rule's file and line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from mock_server.domain.outcomes import DecisionRequest, Reason
from mock_server.scenario.conditions.when import OPERATORS
from tests.scenario.workspace import NOW, Workspace, call, card, charge, payment

RULE = """
name: under_test
rules:
  - on: charge
    {when}
    then: {{decline: stolen_card}}
"""
AT = "s0.yaml:3"


@dataclass(frozen=True)
class Flip:
    """A condition, a moment where it holds with the value it sees, and one where it fails with how that reads."""

    id: str
    path: str
    test: str
    holds: DecisionRequest
    was: object
    fails: DecisionRequest
    then: str


def pay(**fields: Any) -> DecisionRequest:
    return charge(payment=payment(**fields))


def meta(**metadata: Any) -> DecisionRequest:
    return pay(metadata=json.dumps(metadata))


def details(name: str) -> DecisionRequest:
    return charge(body={"order_details": [{"product_name": name}]})


CENTS, MAIL = "payment.amount", "payment.email"
FLIPS = (
    Flip("eq", CENTS, "4200", charge(), 4200, pay(amount=4201), "4201"),
    Flip("ne", CENTS, "{ne: 1}", charge(), 4200, pay(amount=1), "1"),
    Flip("gt", CENTS, "{gt: 4199}", charge(), 4200, pay(amount=4199), "4199"),
    Flip("gte", CENTS, "{gte: 4200}", charge(), 4200, pay(amount=4199), "4199"),
    Flip("lt", CENTS, "{lt: 4201}", charge(), 4200, pay(amount=4201), "4201"),
    Flip("lte", CENTS, "{lte: 4200}", charge(), 4200, pay(amount=4201), "4201"),
    Flip("any of", "payment.currency", "[EUR, USD]", charge(), "EUR", pay(currency="GBP"), '"GBP"'),
    Flip("in", "payment.currency", "{in: [EUR]}", charge(), "EUR", pay(currency="GBP"), '"GBP"'),
    Flip("not_in", "payment.currency", "{not_in: [GBP]}", charge(), "EUR", pay(currency="GBP"), '"GBP"'),
    Flip(
        "matches", MAIL, "{matches: '^[ab]+@'}", pay(email="a@x.test"), "a@x.test", pay(email="c@x.test"), '"c@x.test"'
    ),
    Flip("starts_with", MAIL, "{starts_with: a}", pay(email="ab"), "ab", pay(email="ba"), '"ba"'),
    Flip("contains", MAIL, "{contains: b}", pay(email="abc"), "abc", pay(email="ac"), '"ac"'),
    Flip("exists", MAIL, "{exists: true}", pay(email="abc"), "abc", charge(), "missing"),
    Flip("exists not", MAIL, "{exists: false}", charge(), "missing", pay(email="abc"), '"abc"'),
    Flip("metadata", "payment.metadata.order_id", '"42"', meta(order_id="42"), "42", meta(order_id="43"), '"43"'),
    Flip("kind", "payment.metadata.order_id", "42", meta(order_id=42), 42, meta(order_id="42"), '"42"'),
    Flip("status", "payment.status", "failed", pay(status="failed"), "failed", charge(), '"requires_confirmation"'),
    Flip("body", "body.amount", "5", charge(body={"amount": 5}), 5, charge(body={"amount": 6}), "6"),
    Flip("list", "body.order_details.0.product_name", "tea", details("tea"), "tea", details("rum"), '"rum"'),
    Flip("header", "header.X-T", "a", charge(headers={"x-t": "a"}), "a", charge(headers={"x-t": "b"}), '"b"'),
    Flip(
        "card name", "card.name", "visa_success", charge(), "visa_success", charge(card=card("visa_3ds")), '"visa_3ds"'
    ),
    Flip("card brand", "card.brand", "Visa", charge(), "visa", charge(card=card(brand="JCB")), '"jcb"'),
    Flip("attempt", "attempt", "1", charge(), 1, charge(attempt=2), "2"),
)


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.id)
def test_a_condition_flips_with_its_input(flip: Flip) -> None:
    workspace = Workspace(RULE.format(when=f"when: {{{flip.path}: {flip.test}}}"))
    holds, fails = workspace.decide(flip.holds), workspace.decide(flip.fails)
    assert holds.outcome.decline == "stolen_card"
    assert fails.outcome.decline is None
    assert holds.because.rule == AT
    assert AT in holds.because.text
    assert holds.because.inputs[flip.path] == flip.was
    (miss,) = fails.because.near_misses
    assert miss.rule == AT
    assert flip.path in miss.failed
    assert flip.then in miss.failed


@pytest.mark.parametrize("kind", ["refund", "dispute", "customer"])
def test_a_record_flips_what_happens_to_the_connection(kind: str) -> None:
    workspace = Workspace(f"rules: [{{on: {kind}s.retrieve, when: {{{kind}.metadata.v: 3}}, then: {{error: HE_00}}}}]")
    holds, fails = (call(f"{kind}s.retrieve", records={kind: payment(metadata=f'{{"v": {v}}}')}) for v in (3, 4))
    assert workspace.connection(holds)
    assert workspace.connection(fails) is None
    assert workspace.near[-1].failed == f"{kind}.metadata.v is 4, not 3"


def test_a_query_flips_what_happens_to_the_connection() -> None:
    rule = "rules: [{on: payments.list, when: {query.limit: 10}, then: {error: HE_00}}]"
    workspace = Workspace(rule)
    assert workspace.connection(call("payments.list", query={"limit": "10"}))
    assert workspace.connection(call("payments.list", query={"limit": "11"})) is None
    assert workspace.near[-1].failed == 'query.limit is "11", not 10'


@pytest.mark.parametrize("path", ["body.metadata.note", "header.X-Note"])
def test_no_reason_says_the_security_code_of_its_call(path: str) -> None:
    workspace = Workspace(f"rules: [{{on: charge, when: {{{path}: other}}, then: {{decline: lost_card}}}}]")
    card_sent = {"payment_method_data": {"card": {"card_cvc": "737"}}}
    sent = {"body": {**card_sent, "metadata": {"note": "737"}}, "headers": {"X-Note": "737"}}
    failed = workspace.decide(charge(**sent)).because.near_misses[0].failed
    assert failed.startswith(f"{path} is ") and "737" not in failed, failed


def test_every_operator_is_flipped() -> None:
    written = " ".join(flip.test for flip in FLIPS)
    assert {name for name in OPERATORS if f"{name}:" in written} == set(OPERATORS) - {"eq"}
    assert any(flip.id == "eq" for flip in FLIPS)


def test_a_missing_path_makes_every_operator_but_exists_false() -> None:
    for name, row in OPERATORS.items():
        expected = {"values": "[x]", "truth": "true"}.get(row.takes, "x")
        workspace = Workspace(RULE.format(when=f"when: {{payment.email: {{{name}: {expected}}}}}"))
        because = workspace.decide(charge()).because
        assert because.near_misses[0].failed == "payment.email is missing"


COUNTED = {
    "skip": ("skip: 1", False, True, "matching call"),
    "every": ("every: 2", False, True, "matching call"),
    "times": ("times: 1", True, False, "answer 1 of 1"),
}


@pytest.mark.parametrize(("limit", "first", "second", "named"), COUNTED.values(), ids=COUNTED)
def test_a_count_flips_from_one_call_to_the_next(limit: str, first: bool, second: bool, named: str) -> None:
    workspace = Workspace(RULE.format(when=limit))
    found = [workspace.decide(charge()) for _ in range(2)]
    assert [decision.outcome.decline == "stolen_card" for decision in found] == [first, second]
    for decision, decided in zip(found, (first, second), strict=True):
        assert _place(decision.because, decided) == AT
    assert named in str(found[0 if first else 1].because)


def _place(because: Reason, decided: bool) -> str | None:
    return because.rule if decided else because.near_misses[0].rule


def test_during_flips_with_the_workspaces_time() -> None:
    workspace = Workspace(RULE.format(when="during: {from: 10s, for: 30s}"))
    found = {at: workspace.decide(charge(now=NOW + at)) for at in (9_999, 10_000, 39_999, 40_000)}
    assert [decision.outcome.decline is not None for decision in found.values()] == [False, True, True, False]
    assert found[10_000].because.inputs["ms since activation"] == 10_000
    assert "9999 ms" in found[9_999].because.near_misses[0].failed


def test_probability_flips_with_the_draw() -> None:
    workspace = Workspace(RULE.format(when="probability: 50%"))
    found = [workspace.decide(charge(subject=f"key {number}")) for number in range(100)]
    hits = [decision for decision in found if decision.outcome.decline]
    assert 30 < len(hits) < 70
    assert all(float(str(hit.because.inputs["drawn"])) < 0.5 for hit in hits)
    assert all("drew 0." in miss.because.near_misses[0].failed for miss in found if miss not in hits)


def test_on_flips_with_the_operation() -> None:
    workspace = Workspace("rules: [{on: payments.create, then: {decline: stolen_card}}]")
    assert workspace.decide(charge()).outcome.decline == "stolen_card"
    confirmed = charge(names=("charge", "payments.confirm"), operation="payments.confirm")
    assert workspace.decide(confirmed).because.by == "card"


def test_per_keeps_counters_apart_and_names_whose() -> None:
    workspace = Workspace(RULE.format(when="{times: 1, per: payment}".strip("{}").replace(", ", "\n    ")))
    one, two = charge(), charge(payment=payment(payment_id="pay_2"))
    assert workspace.decide(one).because.inputs["per payment"] == "pay_1"
    assert workspace.decide(two).because.inputs["per payment"] == "pay_2"
    assert "used up: 1 of 1 answer given for payment pay_1" in workspace.decide(one).because.near_misses[0].failed
