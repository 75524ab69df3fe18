"""Every check holds behind every door."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mock_server.conformance.client import Check, CheckOutcome, Suite
from tests.conformance.doors import ASKED


@pytest.mark.parametrize(("door", "check"), ASKED, ids=[f"{door}-{check.name}" for door, check in ASKED])
def test_it_holds(suites: Callable[[str], Suite], door: str, check: Check) -> None:
    result = suites(door).run(check)
    assert result.outcome is CheckOutcome.PASSED, result.broken or result.reason
