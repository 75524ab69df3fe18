"""The tables of checks and mutants, as the reference shows them."""

from __future__ import annotations

from collections.abc import Iterator

from mock_server.cli.output import TextTable
from mock_server.conformance.checks import CHECKS
from tests.conformance.mutants.table import MUTANTS


def checks() -> TextTable:
    """Every check: what a client relies on, where that is said, what the target must be able to do, and speak."""
    rows = ((one.name, one.about, one.source, ", ".join(sorted(one.needs)), one.only) for one in CHECKS)
    return TextTable(("check", "what holds", "source", "needs", "only in the dialect"), tuple(rows))


def mutants() -> TextTable:
    """Every mutant: what is wrong with it, and the checks that say so."""
    return TextTable(("mutant", "what is wrong", "caught by"), tuple(_rows()))


def _rows() -> Iterator[tuple[str, ...]]:
    for mutant in MUTANTS:
        yield mutant.name, mutant.about, ", ".join(f"`{name}`" for name in mutant.caught_by)
