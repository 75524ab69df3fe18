"""The suite sees what it is there for: every mutant is caught by the checks that name it.

All of them are put in with PAYMENT_SANDBOX_SOAK=1, else a few.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from mock_server.conformance.answer import INTERFACE
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import CheckOutcome, Suite, spoken
from tests.conformance.mutants.mutant import Mutant
from tests.conformance.mutants.server import SOUND, MutantServer
from tests.conformance.mutants.table import MUTANTS
from tests.counts import SOAK

FEW: Final = frozenset(
    {
        "no_request_id", "replays_another_body", "ir_16_for_ir_14", "captures_over_limit", "list_off_by_one",
        "signed_over_other_bytes", "told_before_commit", "window_not_reset", "one_workspace_for_all",
    }
)  # fmt: skip
PUT_IN: Final = [mutant for mutant in MUTANTS if mutant.name in FEW or SOAK]
BY_NAME: Final = {check.name: check for check in CHECKS}


@pytest.mark.parametrize("mutant", PUT_IN, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught(server: MutantServer, mutant: Mutant) -> None:
    suite = Suite(server.target, server.means)
    server.mutant = mutant
    try:
        results = [suite.run(BY_NAME[name]) for name in mutant.caught_by]
    finally:
        server.mutant = SOUND
        suite.close()
    assert [result.check.name for result in results if result.outcome is not CheckOutcome.FAILED] == []
    assert server.stumbled == []


def test_nothing_is_caught_where_nothing_is_wrong(server: MutantServer) -> None:
    suite = Suite(server.target, server.means)
    claimed = dict.fromkeys(name for mutant in PUT_IN for name in mutant.caught_by)
    results = [suite.run(BY_NAME[name]) for name in claimed]
    suite.close()
    assert [str(result.broken) for result in results if result.outcome is not CheckOutcome.PASSED] == []


def test_every_check_catches_a_mutant() -> None:
    ours = {check.name for check in spoken(CHECKS, INTERFACE)}
    assert {name for mutant in MUTANTS for name in mutant.caught_by} == ours


def test_every_mutant_is_caught_by_a_check() -> None:
    assert [mutant.name for mutant in MUTANTS if not mutant.caught_by] == []
    assert len(MUTANTS) >= 60


@pytest.mark.parametrize("rows", [CHECKS, MUTANTS], ids=["checks", "mutants"])
def test_names_are_told_apart(rows: tuple[Mutant, ...]) -> None:
    assert [name for name, count in Counter(row.name for row in rows).items() if count > 1] == []


def test_the_few_are_there() -> None:
    assert {mutant.name for mutant in MUTANTS} >= FEW
