"""All mutants."""

from __future__ import annotations

from typing import Final

from tests.conformance.mutants import bodies, lists, payments, repeats, webhooks, wire
from tests.conformance.mutants.mutant import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    *wire.ROWS,
    *payments.ROWS,
    *bodies.ROWS,
    *repeats.ROWS,
    *lists.ROWS,
    *webhooks.ROWS,
)
