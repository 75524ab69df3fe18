"""The state machine: total over its words, no edge twice, terminals terminal."""

from __future__ import annotations

from itertools import product

import pytest

from mock_server.domain.statuses import ATTEMPT_OF, PaymentStatus
from mock_server.domain.transitions import ASK_BY_NAME, ASKS, PAYMENT_MACHINE, TERMINAL, Trigger, sources

AFTER_THE_END = {Trigger.RETRIED, Trigger.REVERSED}


def test_no_edge_stands_twice() -> None:
    keys = [(row.source, row.what) for row in PAYMENT_MACHINE.rows]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_every_status_is_reached_by_an_edge(status: PaymentStatus) -> None:
    assert any(row.target is status for row in PAYMENT_MACHINE.rows)


@pytest.mark.parametrize("what", list(Trigger))
def test_everything_that_can_happen_has_an_edge(what: Trigger) -> None:
    assert any(row.what is what for row in PAYMENT_MACHINE.rows)


def test_the_function_is_the_table() -> None:
    table = {(row.source, row.what): row for row in PAYMENT_MACHINE.rows}
    pairs = list(product([*PaymentStatus, None], Trigger))
    assert {pair: PAYMENT_MACHINE.after(*pair) for pair in pairs} == {pair: table.get(pair) for pair in pairs}


@pytest.mark.parametrize("row", PAYMENT_MACHINE.rows, ids=lambda row: f"{row.source}-{row.what}")
def test_only_a_retry_or_a_reversal_leaves_a_terminal_status(row: object) -> None:
    if row.source in TERMINAL:  # type: ignore[attr-defined]  # a row of the table
        assert row.what in AFTER_THE_END  # type: ignore[attr-defined]  # a row of the table


def test_every_status_that_can_go_on_is_not_terminal() -> None:
    going_on = {row.source for row in PAYMENT_MACHINE.rows if row.what not in AFTER_THE_END} - {None}
    assert going_on == set(PaymentStatus) - TERMINAL


HOLDS = [row for row in PAYMENT_MACHINE.rows if row.source is PaymentStatus.PARTIALLY_CAPTURED_AND_CAPTURABLE]


@pytest.mark.parametrize("row", HOLDS, ids=lambda row: row.what)
def test_captured_money_can_always_be_refunded_in_the_end(row: object) -> None:
    assert row.target not in (PaymentStatus.FAILED, PaymentStatus.CANCELLED, PaymentStatus.EXPIRED)  # type: ignore[attr-defined]  # a row of the table


def test_every_status_names_its_attempt() -> None:
    assert set(ATTEMPT_OF) == set(PaymentStatus)


@pytest.mark.parametrize("row", ASKS, ids=lambda row: row.name)
def test_what_is_asked_is_allowed_somewhere_and_found_by_name(row: object) -> None:
    assert row.allowed  # type: ignore[attr-defined]  # a row of the table
    assert ASK_BY_NAME[row.name] is row  # type: ignore[attr-defined]  # a row of the table


def test_sources_are_read_from_the_table() -> None:
    assert sources(Trigger.REVERSED) == {PaymentStatus.SUCCEEDED, PaymentStatus.PARTIALLY_CAPTURED}
