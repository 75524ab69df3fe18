"""The machines that people are shown are those that the engine works by."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain import customer, dispute, refund, transitions
from mock_server.domain.machines import BY_NAME, MACHINES, ShownMachine

TABLES: dict[str, Any] = {
    "payments": transitions.PAYMENT_MACHINE.rows,
    "refunds": refund.REFUND_MACHINE.rows,
    "disputes": dispute.DISPUTE_MACHINE.rows,
    "mandates": customer.MANDATE_MACHINE.rows,
    "payment_methods": customer.METHOD_MACHINE.rows,
}
each_machine = pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)


def state(machine: str, name: str) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
    found = next(row for row in BY_NAME[machine].states if row.name == name)
    return found.final, found.asks, found.triggers


@each_machine
def test_every_way_of_the_engines_table_is_shown_once(machine: ShownMachine) -> None:
    told = [(way.source, way.what, way.target, way.cites) for way in machine.ways]
    assert told == [(row.source, row.what, row.target, row.cites) for row in TABLES[machine.name]]
    assert len(set(machine.ways)) == len(machine.ways)


@each_machine
def test_the_states_are_those_that_the_ways_touch(machine: ShownMachine) -> None:
    touched = {way.target for way in machine.ways} | {way.source for way in machine.ways if way.source}
    assert {row.name for row in machine.states} == touched


@pytest.mark.parametrize(
    ("machine", "name", "shown"),
    [
        ("payments", "requires_merchant_action", (False, ("approve", "reject", "session_tokens"))),
        ("payments", "cancelled", (True, ("session_tokens",))),
        ("refunds", "pending", (False, ("update",))),
        ("refunds", "failed", (True, ("update",))),
        ("disputes", "dispute_challenged", (False, ("accept", "submit_evidence"))),
        ("disputes", "dispute_won", (True, ())),
        ("mandates", "active", (False, ("charge", "revoke"))),
        ("mandates", "revoked", (True, ())),
        ("payment_methods", "awaiting_data", (False, ("save", "delete"))),
    ],
)
def test_what_may_be_asked(machine: str, name: str, shown: tuple[bool, tuple[str, ...]]) -> None:
    assert state(machine, name)[:2] == shown


def test_asks_of_one_stage_say_so() -> None:
    _, asks, _ = state("disputes", "dispute_opened")
    assert "attach_evidence (stage dispute)" in asks


def test_triggers_stand_apart_from_what_the_api_takes() -> None:
    _, asks, triggers = state("payments", "requires_action")
    assert "authenticate" in triggers
    assert not set(asks) & set(triggers)


def test_events_are_shown_where_a_way_raises_one() -> None:
    events = {(way.source, way.what): way.event for way in BY_NAME["refunds"].ways}
    assert events["pending", "succeeded"] == "refund_succeeded"
    assert events[None, "created"] is None
    assert {way.event for way in BY_NAME["payment_methods"].ways} == {None}
