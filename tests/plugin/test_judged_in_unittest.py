"""A test of unittest gets a verdict when a test function does: after it passed, not after it failed or was skipped."""

from __future__ import annotations

from textwrap import indent
from typing import Final

import pytest

from tests.plugin.conftest import Run, imported, run

__all__ = ["imported", "run"]
pytest_plugins = "pytester"

TWICE: Final = """
import unittest

import pytest


def charged_twice(it):
    for key in "ab":
        it.next("payments.create", fault="connection_reset", effect="kept")
        try:
            it.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)
        except OSError:
            pass
    it.client.pay(merchant_order_reference_id="order-1", idempotency_key="c")
"""
FUNCTION: Final = """
{mark}
def test_it(payment_sandbox):
    charged_twice(payment_sandbox)
    {end}
"""
METHOD: Final = """
class TestIt(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _workspace(self, payment_sandbox):
        self.workspace = payment_sandbox

    {mark}
    def test_it(self):
        charged_twice(self.workspace)
        {end}
"""
ENDS: Final = {
    "passes": ("", "pass", "", "pass"),
    "fails": ("", "assert 0", "", "self.fail()"),
    "raises": ("", "raise OSError", "", "raise OSError"),
    "is skipped": ("", "pytest.skip()", "", "self.skipTest('')"),
    "fails as expected": ("@pytest.mark.xfail", "assert 0", "@unittest.expectedFailure", "self.fail()"),
}


@pytest.mark.parametrize("verdict", ["warn", "error"])
@pytest.mark.parametrize("end", ENDS)
def test_both_are_judged_alike(end: str, verdict: str, run: Run) -> None:
    mark, ends, mark_of_method, ends_of_method = ENDS[end]
    sources = FUNCTION.format(mark=mark, end=ends), METHOD.format(mark=mark_of_method, end=ends_of_method)
    options = (f"--payment-sandbox-verdict={verdict}", "-W", "default")
    function, method = (run(TWICE + source, *options).parseoutcomes() for source in sources)
    assert function == method
    assert ("warnings" in function or "warning" in function) == (end == "passes" and verdict == "warn")


SCENARIO: Final = indent("self.workspace.scenario('issuer_down_then_up')", " " * 8)


def test_only_its_own_failure_is_told(run: Run) -> None:
    source = TWICE + METHOD.format(mark="", end=f"\n{SCENARIO}\n        self.fail('its own')")
    result = run(source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*its own*"])
    assert "assertions failed" not in result.stdout.str().partition("- payment sandbox -")[0]


SUBTESTS: Final = {
    "function": """
def test_it(payment_sandbox, subtests):
    for number in range(2):
        with subtests.test(number=number):
            assert number {fails}
    charged_twice(payment_sandbox)
""",
    "method": """
class TestIt(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _workspace(self, payment_sandbox):
        self.workspace = payment_sandbox

    def test_it(self):
        for number in range(2):
            with self.subTest(number=number):
                assert number {fails}
        charged_twice(self.workspace)
""",
}


@pytest.mark.parametrize("fails", ["== 0", "< 2"])
@pytest.mark.parametrize("kind", SUBTESTS)
def test_a_failed_subtest_is_a_failure_too(kind: str, fails: str, run: Run) -> None:
    result = run(TWICE + SUBTESTS[kind].format(fails=fails), "--payment-sandbox-verdict=error")
    assert result.ret == 1
    assert ("double-charge" in result.stdout.str()) == (fails == "< 2")
