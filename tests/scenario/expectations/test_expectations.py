"""What must be true at the end: counted while serving, checked when asked."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.statuses import PaymentStatus
from mock_server.scenario.conditions.facts import CallFacts, WebhookFacts
from mock_server.scenario.deciding.activation import activate, activations
from mock_server.scenario.expectations.checking import Result, check
from mock_server.scenario.expectations.counting import count_call, count_webhook
from tests.scenario.world import NOW, World, payment


def expecting(line: str) -> World:
    return World(f"name: s\nexpect:\n  - {line}")


def called(world: World, operation: str = "payments.create", http: int | None = 200, **fields: Any) -> None:
    count_call(CallFacts(operation=operation, http=http, **fields), world.memory, world.find)


def delivered(world: World, type: str, delivered: bool = True) -> None:
    count_webhook(WebhookFacts(type=type, delivered=delivered), world.memory, world.find)


def result(world: World) -> Result:
    (active,) = activations(world.memory)
    (found,) = check(world.scenarios["s"], active, world.memory)
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
    world = expecting(f"{{calls: payments.create, {bound}}}")
    found = set()
    for count in range(4):
        if result(world).holds:
            found.add(count)
        called(world)
    assert found == holding


def test_without_a_bound_once_is_enough() -> None:
    world = expecting("{calls: payments.create}")
    assert not result(world).holds
    called(world)
    assert (
        str(result(world)) == "holds: calls (payments.create): at least 1 — counted 1 since the activation (s0.yaml:3)"
    )


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
    world = expecting(f"{{calls: {where}, exactly: 1}}")
    called(world, "customers.create", 200)
    before = result(world).holds
    called(world, **counts)
    assert (before, result(world).holds) == (False, True)


def test_counting_starts_with_the_activation() -> None:
    world = expecting("{calls: payments.create, exactly: 1}")
    called(world)
    called(world)
    activate(world.memory, "s", NOW)
    called(world)
    assert result(world).holds


def test_what_no_active_scenario_expects_is_not_counted() -> None:
    world = World("name: s\nexpect: [{calls: payments.create}]", active=False)
    called(world)
    assert world.memory.counters == {}


def test_webhooks_are_counted_by_attempt() -> None:
    world = expecting("{webhooks: {type: payment_succeeded, delivered: true}, exactly: 1}")
    for ok in (False, False, True):
        delivered(world, "payment_succeeded", ok)
    delivered(world, "payment_failed")
    assert result(world).holds


def test_a_webhooks_name_is_short_for_its_type() -> None:
    world = expecting("{webhooks: payment_failed, exactly: 2}")
    delivered(world, "payment_failed", False)
    delivered(world, "payment_failed")
    delivered(world, "payment_succeeded")
    assert result(world).holds


ORDER = "{in_order: [calls.payments.create, webhooks.payment_succeeded, calls.payments.*]}"


def test_things_happen_in_order() -> None:
    world = expecting(ORDER)
    delivered(world, "payment_succeeded")
    called(world)
    assert result(world).because == "after calls.payments.create, webhooks.payment_succeeded did not happen"
    delivered(world, "payment_succeeded", False)
    called(world, "payments.retrieve")
    assert not result(world).holds
    delivered(world, "payment_succeeded")
    called(world, "customers.create")
    assert not result(world).holds
    called(world, "payments.retrieve")
    assert result(world).holds


def test_nothing_in_order_yet() -> None:
    assert result(expecting(ORDER)).because == "calls.payments.create did not happen"


def test_records_are_counted_when_asked() -> None:
    world = expecting("{payments: {status: succeeded, amount: {gt: 4000}}, exactly: 1}")
    world.memory.held["payments"] = [
        payment(payment_id="pay_1", status=PaymentStatus.SUCCEEDED),
        payment(payment_id="pay_2", status=PaymentStatus.FAILED),
    ]
    assert result(world).holds
    assert result(world).because == "found 1: pay_1"
    world.memory.held["payments"] += [
        payment(payment_id=f"pay_{n}", status=PaymentStatus.SUCCEEDED) for n in range(3, 9)
    ]
    assert not result(world).holds
    assert result(world).because == "found 7: pay_1, pay_3, pay_4, pay_5, pay_6 and 2 more"


def test_values_can_be_asked_to_be_unique() -> None:
    world = expecting("{payments: {}, unique_by: merchant_order_reference_id}")
    held = [
        payment(payment_id=f"pay_{n}", merchant_order_reference_id=ref) for n, ref in enumerate(["a", "b", None, None])
    ]
    world.memory.held["payments"] = list(held)
    assert result(world).holds
    world.memory.held["payments"].append(payment(payment_id="pay_9", merchant_order_reference_id="a"))
    assert result(world).because == 'two share "a": pay_0, pay_9'.replace("two", "2")
    assert not result(world).holds
