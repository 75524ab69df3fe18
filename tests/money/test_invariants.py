"""Whatever is done to payments, in whatever order: no law about their money breaks, and no way but the table's is gone.

A thousand steps in a normal run, more than twenty thousand with PAYMENT_SANDBOX_SOAK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.counts import SOAK
from tests.money import laws, moves
from tests.money.ledger import Account
from tests.money.till import Till
from tests.wire import Wire, wire

STORIES, STEPS = (700, 40) if SOAK else (50, 26)
API: Final[list[Wire]] = []


def shared() -> Wire:
    """One server for all stories: each begins with a reset of its workspace."""
    if not API:
        API.append(wire())
    return API[0]


class Hypothesis:
    """Choices that can be made smaller."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def one(self, choices: Any) -> Any:
        return self.data.draw(st.sampled_from(list(choices)))

    def number(self, least: int, most: int) -> int:
        return self.data.draw(st.integers(least, most))


class Money(RuleBasedStateMachine):
    """One merchant's payments and everything that can happen to them; the till asks the laws after every step."""

    steps = 0

    @initialize(data=st.data())
    def opens(self, data: st.DataObject) -> None:
        self.till = Till(shared())
        moves.create(self.till, Hypothesis(data))


def _rule(move: Callable[[Till, moves.Draw], None]) -> Any:
    def step(self: Money, data: st.DataObject) -> None:
        type(self).steps += 1
        move(self.till, Hypothesis(data))

    step.__name__ = move.__name__
    return rule(data=st.data())(step)


for _move, _weight in moves.MOVES:
    setattr(Money, _move.__name__, _rule(_move))


@pytest.mark.timeout(1800 if SOAK else 180)
def test_no_order_of_operations_breaks_a_law() -> None:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        Money,
        settings=settings(max_examples=STORIES, stateful_step_count=STEPS, suppress_health_check=checks, deadline=None),
    )
    assert Money.steps >= (20_000 if SOAK else 1_000)


def _account(**fields: Any) -> Account:
    till = Till(shared())
    return till.create("success", amount=1000, **fields)


@pytest.mark.parametrize(
    "spoil",
    [
        {"captured": 1001},
        {"captured": 999},
        {"capturing": 1},
        {"refunds": {"ref": {"amount": 1, "status": "succeeded"}}},
        {"disputes": {"dp": {"amount": "1", "dispute_status": "dispute_opened", "is_already_refunded": False}}},
    ],
    ids=lambda spoil: next(iter(spoil)),
)
def test_a_broken_law_is_seen(spoil: dict[str, Any]) -> None:
    account = _account(confirm=True)
    laws.check(account)
    for name, value in spoil.items():
        setattr(account, name, value)
    with pytest.raises(AssertionError):
        laws.check(account)


@pytest.mark.parametrize("status", sorted(laws.WITHOUT_MONEY))
def test_captured_money_of_an_ended_payment_is_seen(status: str) -> None:
    account = _account(confirm=True)
    account.payment["status"] = status
    with pytest.raises(AssertionError):
        laws.check(account)


def test_an_unlawful_move_is_seen() -> None:
    assert not laws.moved_lawfully("capture", "succeeded", "failed")
    assert not laws.moved_lawfully("capture", "partially_captured_and_capturable", "failed")
    assert not laws.moved_lawfully("clock", "succeeded", "cancelled_post_capture")
    assert laws.moved_lawfully("clock", "pending", "expired")
    assert not laws.refund_moved_lawfully("look", "failed", "succeeded")
    opened = {"dispute_stage": "dispute", "dispute_status": "dispute_opened"}
    assert not laws.dispute_moved_lawfully(opened, {**opened, "dispute_stage": "pre_dispute"})
    assert not laws.dispute_moved_lawfully({**opened, "dispute_status": "dispute_won"}, opened)


def test_no_operation_leads_out_of_a_final_status_but_two() -> None:
    out = {
        (operation, before, now)
        for operation, table in {**laws.MOVES, "clock": laws.BY_TIME}.items()
        for before, ends in table.items()
        for now in ends
        if before in laws.TERMINAL
    }
    assert {row[:2] for row in out} == {
        ("confirm", "failed"),
        ("cancel_post_capture", "succeeded"),
        ("cancel_post_capture", "partially_captured"),
    }
