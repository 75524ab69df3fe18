"""Assertions that must be true at the end: counted while serving, checked when asked."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.outcomes import CallContext
from mock_server.domain.statuses import PaymentStatus
from mock_server.scenario.conditions.paths import CallFacts, WebhookFacts
from mock_server.scenario.deciding.activation import activate, activations
from mock_server.scenario.expectations import ExpectationResult, check, count_call, count_webhook
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.scenario.workspace import NOW, Workspace, payment


def expecting(line: str) -> Workspace:
    return Workspace(f"name: s\nexpect:\n  - {line}")


def called(workspace: Workspace, operation: str = "payments.create", http: int | None = 200, **fields: Any) -> None:
    asked = CallContext(**{name: fields.pop(name) for name in ("body", "headers") if name in fields})
    facts = CallFacts(operation=operation, http=http, call=asked, **fields)
    count_call(facts, workspace.memory, workspace.find)


def delivered(workspace: Workspace, type: str, delivered: bool = True) -> None:
    count_webhook(WebhookFacts(type=type, delivered=delivered), workspace.memory, workspace.find)


def result(workspace: Workspace) -> ExpectationResult:
    (active,) = activations(workspace.memory)
    (found,) = check(workspace.scenarios["s"], active, workspace.memory.counter, workspace.memory.records)
    return found


@pytest.mark.parametrize(
    ("bound", "holding"),
    [
        ("exactly: 2", {2}),
        ("at_least: 2", {2, 3}),
        ("at_most: 2", {0, 1, 2}),
        ("at_least: 1, at_most: 2", {1, 2}),
        ("at_least: 1", {1, 2, 3}),
    ],
)
def test_bounds(bound: str, holding: set[int]) -> None:
    workspace = expecting(f"{{calls: payments.create, {bound}}}")
    found = set()
    for count in range(4):
        if result(workspace).holds:
            found.add(count)
        called(workspace)
    assert found == holding


def test_without_a_bound_once_is_enough() -> None:
    workspace = expecting("{calls: payments.create}")
    assert not result(workspace).holds
    called(workspace)
    assert str(result(workspace)) == "ok   expect calls (payments.create): at least 1 — 1 since activation (s0.yaml:3)"


@pytest.mark.parametrize(
    ("where", "counts"),
    [
        ("{on: payments.*}", {}),
        ("{on: [payments.create, payments.confirm]}", {}),
        ("{http: 429}", {"http": 429}),
        ("{http: {gte: 500}}", {"http": 503}),
        ("{http: {exists: false}, fault: hang}", {"http": None, "fault": "hang"}),
        ("{replayed: true}", {"replayed": True}),
        ("{code: RL_01}", {"code": "RL_01"}),
        ("{key: {exists: true}}", {"key": "k"}),
        ("{body.amount: 5}", {"body": {"amount": 5}}),
        ("{header.X-Tenant: a}", {"headers": {"x-tenant": "a"}}),
        ("{payment.amount: 4200}", {"records": {"payment": payment()}}),
    ],
)
def test_a_call_is_counted_by_what_it_is(where: str, counts: dict[str, Any]) -> None:
    workspace = expecting(f"{{calls: {where}, exactly: 1}}")
    called(workspace, "customers.create", 200)
    before = result(workspace).holds
    called(workspace, **counts)
    assert (before, result(workspace).holds) == (False, True)


def test_counting_starts_with_the_activation() -> None:
    workspace = expecting("{calls: payments.create, exactly: 1}")
    called(workspace)
    called(workspace)
    activate(workspace.memory, "s", NOW)
    called(workspace)
    assert result(workspace).holds


def test_what_no_active_scenario_expects_is_not_counted() -> None:
    workspace = Workspace("name: s\nexpect: [{calls: payments.create}]", active=False)
    called(workspace)
    assert workspace.memory.counters == {}


def test_webhooks_are_counted_by_attempt() -> None:
    workspace = expecting("{webhooks: {type: payment_succeeded, delivered: true}, exactly: 1}")
    for ok in (False, False, True):
        delivered(workspace, "payment_succeeded", ok)
    delivered(workspace, "payment_failed")
    assert result(workspace).holds


def test_a_webhooks_name_is_short_for_its_type() -> None:
    workspace = expecting("{webhooks: payment_failed, exactly: 2}")
    delivered(workspace, "payment_failed", False)
    delivered(workspace, "payment_failed")
    delivered(workspace, "payment_succeeded")
    assert result(workspace).holds


ORDER = "{in_order: [calls.payments.create, webhooks.payment_succeeded, calls.payments.*]}"


def test_things_happen_in_order() -> None:
    workspace = expecting(ORDER)
    delivered(workspace, "payment_succeeded")
    called(workspace)
    assert result(workspace).because == "after calls.payments.create, webhooks.payment_succeeded did not happen"
    delivered(workspace, "payment_succeeded", False)
    called(workspace, "payments.retrieve")
    assert not result(workspace).holds
    delivered(workspace, "payment_succeeded")
    called(workspace, "customers.create")
    assert not result(workspace).holds
    called(workspace, "payments.retrieve")
    assert result(workspace).holds


def test_nothing_in_order_yet() -> None:
    assert result(expecting(ORDER)).because == "calls.payments.create did not happen"


def test_records_are_counted_when_asked() -> None:
    workspace = expecting("{payments: {status: succeeded, amount: {gt: 4000}}, exactly: 1}")
    workspace.memory.held["payments"] = [
        payment(payment_id="pay_1", status=PaymentStatus.SUCCEEDED),
        payment(payment_id="pay_2", status=PaymentStatus.FAILED),
    ]
    assert result(workspace).holds
    assert result(workspace).because == "found 1: pay_1"
    workspace.memory.held["payments"] += [
        payment(payment_id=f"pay_{n}", status=PaymentStatus.SUCCEEDED) for n in range(3, 9)
    ]
    assert not result(workspace).holds
    assert result(workspace).because == "found 7: pay_1, pay_3, pay_4, pay_5, pay_6 and 2 more"


def test_values_can_be_asked_to_be_unique() -> None:
    workspace = expecting("{payments: {}, unique_by: merchant_order_reference_id}")
    held = [
        payment(payment_id=f"pay_{n}", merchant_order_reference_id=ref) for n, ref in enumerate(["a", "b", None, None])
    ]
    workspace.memory.held["payments"] = list(held)
    assert result(workspace).holds
    workspace.memory.held["payments"].append(payment(payment_id="pay_9", merchant_order_reference_id="a"))
    assert result(workspace).because == 'two share "a": pay_0, pay_9'.replace("two", "2")
    assert not result(workspace).holds


@pytest.mark.parametrize("held", [[], [None, None]])
def test_with_nothing_to_compare_an_assertion_holds_and_says_so(held: list[None]) -> None:
    workspace = expecting("{payments: {}, unique_by: merchant_order_reference_id}")
    workspace.memory.held["payments"] = [payment(payment_id=f"pay_{n}") for n, _ in enumerate(held)]
    found = result(workspace)
    assert (found.holds, found.is_empty) == (True, True)
    assert found.because == f"nothing compared: found {len(held)}, none with merchant_order_reference_id"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{payments: {staus: succeeded}}", "payment has no field staus (did you mean status?)"),
        ("{payments: {}, unique_by: merchant_order_refrence_id}", "payment has no field merchant_order_refrence_id"),
        ("{payments: {billing.adress.city: Berlin}}", "payment.billing has no field adress (did you mean address?)"),
        ("{payments: {amount: '4200'}}", 'amount can never be "4200"'),
        ("{payments: {attempt.sttus: charged}}", "payment.attempt has no field sttus (did you mean status?)"),
        ("{refunds: {dispute_status: dispute_won}}", "refund has no field dispute_status"),
        ("{calls: {htp: 200}}", "htp is not a property of a call"),
        ("{calls: {http: '429'}}", 'http can never be "429"'),
        ("{calls: {code: RL_1}}", 'code can never be "RL_1"'),
        ("{calls: {fault: hangs}}", 'fault can never be "hangs"'),
        ("{calls: {on: payments.create, body.ammount: 5}}", "body has no field ammount (did you mean amount?)"),
        ("{calls: {on: payments.list, query.limitt: 5}}", "query has no field limitt (did you mean limit?)"),
        ("{webhooks: {object.statsu: failed}}", "webhooks.object has no field statsu (did you mean status?)"),
        ("{webhooks: {atempt: 1}}", "atempt is not a property of a delivery"),
    ],
)
def test_an_assertion_that_can_never_fail_is_refused(line: str, message: str) -> None:
    with pytest.raises(ScenarioErrors) as found:
        expecting(line)
    assert message in str(found.value)


@pytest.mark.parametrize(
    "where",
    [
        "{payments: {error_code: DC_08}}",
        "{payments: {payment_method_data.card.card_exp_month: '03', payment_method_data.card.exp_month: '03'}}",
        "{payments: {status: requires_customer_action, metadata.any.thing: 1, browser_info.own: a}}",
        "{calls: {header.X-Any: a, body.metadata.any: 1}}",
        "{disputes: {dispute_status: dispute_won, amount: 4200}}",
        "{webhooks: {object.refund_id: ref_1}}",
    ],
)
def test_fields_of_either_dialect_and_the_callers_own_are_known(where: str) -> None:
    expecting(where)
