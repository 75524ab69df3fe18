"""No value that we draw for a customer passes for a card's number: every view would hide it."""

from __future__ import annotations

import pytest

from mock_server.domain import hiding
from mock_server.domain.instructions import next_action
from mock_server.domain.methods import METHODS, PUBLIC_METHODS, Flow
from tests.counts import times
from tests.domain.instructions.contexts import context

DRAWN = sorted({(row.flow, row.type) for row in (*METHODS, *PUBLIC_METHODS) if row.flow is not Flow.CHARGE})
COUNTRIES = ("DE", "BE", "ES", "FR", "NL", None)


@pytest.mark.parametrize(("flow", "type_"), DRAWN, ids=lambda word: str(word))
def test_what_is_drawn_is_shown(flow: Flow, type_: str) -> None:
    for seed in range(times(200, soak=20_000)):
        shown = next_action(flow, type_, context(seed, country=COUNTRIES[seed % len(COUNTRIES)]))
        assert hiding.hidden(shown) == shown


def test_a_number_that_a_caller_chose_ends_the_drawing() -> None:
    shown = next_action(Flow.VOUCHER, "boleto", context(payment_id="pay_4242424242424242", amount=10**11))
    assert shown["type"] == "display_voucher_information"
