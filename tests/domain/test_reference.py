"""The tables of the domain are those that the reference shows: cards, and the states of each machine."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.machines import MACHINES, ShownMachine

ENDS: Final = ("accepted", "cancelled", "expired", "won", "lost")
REFERENCE: Final = Path(__file__).parents[2] / "docs" / "reference"


def rows(page: str) -> list[list[str]]:
    """The cells of every row of a page's tables."""
    lines = (REFERENCE / page).read_text("utf-8").splitlines()
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def test_the_cards_do_what_the_reference_says() -> None:
    shown = {row[0]: row[1:] for row in rows("cards.md") if row[0].isdigit()}
    assert {row.number: [row.name, card_effect(row.issuer)] for row in CARDS} == {
        number: [row[0], row[3]] for number, row in shown.items()
    }


_OPEN: Final = ("expire_authorization", "expire_session")
TRIGGERS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "payments": {
        **dict.fromkeys(("requires_payment_method", "requires_confirmation", "requires_merchant_action"), _OPEN[1:]),
        **dict.fromkeys(("failed", "cancelled", "cancelled_post_capture", "expired"), _OPEN[1:]),
        **dict.fromkeys(("partially_captured", "succeeded"), ("dispute", *_OPEN[1:])),
        "partially_captured_and_capturable": ("dispute", *_OPEN),
        "partially_authorized_and_requires_capture": _OPEN,
        "requires_action": ("authenticate", "settle", "fail", "hold", "expire_customer", "expire_session"),
        "requires_capture": ("hold", *_OPEN),
        "pending": ("settle", "fail", "hold", "expire_session"),
    },
    "refunds": dict.fromkeys(("pending", "review", "succeeded"), ("settle",)),
    "disputes": dict.fromkeys((f"dispute_{end}" for end in (*ENDS, "opened", "challenged")), ("advance",)),
}
"""The triggers of the control API, which the pages do not show."""


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_states_are_asked_what_the_reference_says(machine: ShownMachine) -> None:
    page = rows("states.md")
    for state in machine.states:
        assert [state.name, "yes" if state.final else "", ", ".join(state.asks)] in page
        assert state.triggers == TRIGGERS.get(machine.name, {}).get(state.name, ())
