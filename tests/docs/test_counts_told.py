"""Wherever a page counts rows of a table of ours, it counts as many as there are."""

from __future__ import annotations

import re
from typing import Final

import pytest

from mock_server.conformance.checks import CHECKS
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import BY_NAME
from mock_server.dashboard.visit import PAGE
from mock_server.domain.methods import ALL_METHODS
from mock_server.verdict.rules import RULES
from tests.architecture.sources import ROOT
from tests.browser.strict import SITUATIONS
from tests.conformance.mutants.table import MUTANTS
from tests.docs.snippets import documents

COUNTED: Final = {
    r"(\d+) checks\b(?! against)": len(CHECKS),  # `against` is printed of the checks of one dialect
    r"(\d+) servers with one mistake": len(MUTANTS),
    r"(?<!\d )(\d+) rules(?: about mistakes|, the cases of the probe)": len(RULES),
    r"(\d+) operations of the API and the control API": len(BY_NAME) + len(CONTROL_OPERATIONS),
    r"(\d+) types of payment methods": len(ALL_METHODS),
    r"(?:lists have|journal has) (\d+) (?:rows|calls)": PAGE,
    r"a table of (\d+) facts": sum(len(one.rows) for one in SITUATIONS.values()),
    r"\[(Two dozen)\]": {24: "Two dozen"}.get(len(list((ROOT / "scenarios").glob("*.yaml")))),
}
PAGES: Final = {page: " ".join(page.read_text("utf-8").split()) for page in (*documents(ROOT), ROOT / "CHANGELOG.md")}


@pytest.mark.parametrize("pattern", COUNTED)
def test_what_a_page_counts_is_counted_right(pattern: str) -> None:
    told = [(page.name, found) for page, text in PAGES.items() for found in re.findall(pattern, text)]
    assert told, "no page counts them any more: drop the row"
    assert [one for one in told if one[1] != str(COUNTED[pattern])] == []
