"""`scenarios play` judges bounds only when nothing is being delivered any more: too many, too few, right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main

PAID: Final = 2
PAY: Final = {"do": "payments.create", "with": {"amount": 100, "currency": "EUR", "confirm": True, "card": "success"}}
KINDS: Final[dict[str, dict[str, Any]]] = {
    "type": {"webhooks": "payment_succeeded"},
    "delivered": {"webhooks": {"delivered": True}},
    "conditions": {"webhooks": {"type": "payment_succeeded", "delivered": True}},
    "calls": {"calls": "payments.create"},
    "payments": {"payments": {"status": "succeeded"}},
}
"""What each counts: the two payments."""
FALSE: Final = (
    *({word: wrong} for word in ("exactly", "at_most") for wrong in range(PAID)),
    *({word: PAID + 1} for word in ("exactly", "at_least")),
)
TRUE: Final = ({"exactly": PAID}, {"at_most": PAID}, {"at_least": PAID})
ORDER: Final = ["webhooks.payment_succeeded"] * PAID


def play(folder: Path, expect: dict[str, Any]) -> int:
    file = folder / "mine.json"
    file.write_text(json.dumps({"version": 1, "story": [PAY] * PAID, "expect": [expect]}))
    return CliRunner().invoke(main, ["scenarios", "play", str(file)]).exit_code


@pytest.mark.parametrize("bound", FALSE, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_that_is_not_kept_fails(kind: str, bound: dict[str, int], tmp_path: Path) -> None:
    assert play(tmp_path, KINDS[kind] | bound) == 1


@pytest.mark.parametrize("expect", [*(kind | bound for kind in KINDS.values() for bound in TRUE), {"in_order": ORDER}])
def test_a_bound_that_is_kept_holds(expect: dict[str, Any], tmp_path: Path) -> None:
    assert play(tmp_path, expect) == 0


def test_an_order_with_one_step_too_many_fails(tmp_path: Path) -> None:
    assert play(tmp_path, {"in_order": [*ORDER, ORDER[0]]}) == 1
