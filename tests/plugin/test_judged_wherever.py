"""A client's mistake is found in whatever part of a test it is made: its setup, itself, or the end of its fixtures.

What the end of a fixture puts right is no mistake, and what is said is said once.
"""

from __future__ import annotations

import json
from typing import Final

import pytest

from tests.plugin.conftest import Run, imported, run

__all__ = ["imported", "run"]
pytest_plugins = "pytester"

CLIENT: Final = """
import unittest

import pytest


def captured_twice(sandbox):
    held = sandbox.client.pay(capture_method="manual")["payment_id"]
    for _ in range(2):
        sandbox.client.post(f"/payments/{held}/capture", {})
"""
PARTS: Final = {
    "its setup": """
@pytest.fixture
def shop(payment_sandbox):
    captured_twice(payment_sandbox)
    return payment_sandbox


def test_it(shop): pass
""",
    "itself": """
def test_it(payment_sandbox): captured_twice(payment_sandbox)
""",
    "the end of its fixture": """
@pytest.fixture
def shop(payment_sandbox):
    yield payment_sandbox
    captured_twice(payment_sandbox)


def test_it(shop): pass
""",
    "a finalizer": """
def test_it(payment_sandbox, request):
    request.addfinalizer(lambda: captured_twice(payment_sandbox))
""",
    "itself, with a subtest that is skipped": """
def test_it(payment_sandbox, subtests):
    captured_twice(payment_sandbox)
    with subtests.test():
        pytest.skip()
""",
    "tearDown": """
class TestIt(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def own(self, payment_sandbox):
        self.sandbox = payment_sandbox

    def test_it(self): pass

    def tearDown(self):
        captured_twice(self.sandbox)
""",
    "the end of a shared fixture": """
@pytest.fixture(scope="module")
def shop(request, payment_sandbox_factory):
    made = payment_sandbox_factory(request)
    yield made
    captured_twice(made)


def test_it(shop): pass
""",
}
PUT_RIGHT: Final = """
@pytest.fixture
def held(payment_sandbox):
    payment = payment_sandbox.client.pay(capture_method="manual")["payment_id"]
    yield payment
    payment_sandbox.client.post(f"/payments/{payment}/cancel", {})


def test_it(held): pass
"""
NOT_PASSED: Final = {
    "failed": PARTS["the end of its fixture"].replace("(shop): pass", "(shop): assert 0"),
    "skipped": PARTS["the end of its fixture"].replace("(shop): pass", "(shop): pytest.skip()"),
    "skipped in its setup": PARTS["its setup"].replace("return payment_sandbox", "pytest.skip()"),
    "failed in a subtest": PARTS["itself, with a subtest that is skipped"].replace("pytest.skip()", "assert 0"),
}


@pytest.mark.parametrize("how", ["warn", "error"])
@pytest.mark.parametrize("part", PARTS)
def test_a_mistake_is_found_in(part: str, how: str, run: Run) -> None:
    said = run(CLIENT + PARTS[part], f"--payment-sandbox-verdict={how}", "-W", "default")
    found = said.parseoutcomes()
    assert found.get("warnings", 0) + found.get("warning", 0) == (how == "warn"), found
    assert found.get("failed", 0) + found.get("errors", 0) + found.get("error", 0) == (how == "error"), found
    report = said.stdout.str().partition("short test summary")[0]  # which repeats it whole in CI
    assert report.count("captured-twice: A captured payment") == 1
    is_over = "the end" in part or "finalizer" in part  # the test itself has passed by then
    assert found.get("passed", 0) == (how == "warn" or is_over), found


def test_what_is_put_right_is_not_said(run: Run) -> None:
    run(CLIENT + PUT_RIGHT, "--payment-sandbox-verdict=warn", "-W", "error").assert_outcomes(passed=1)


@pytest.mark.parametrize("how", NOT_PASSED)
def test_nothing_is_said_of_a_test_that(how: str, run: Run) -> None:
    said = run(CLIENT + NOT_PASSED[how], "--payment-sandbox-verdict=warn", "-W", "default")
    assert said.parseoutcomes().keys() & {"failed", "skipped"}
    assert "captured-twice" not in said.stdout.str()


def test_outcomes_are_counted_once(run: Run, pytester: pytest.Pytester) -> None:
    met = []
    for part in ("itself", "the end of its fixture"):
        for how in ("warn", "error"):
            run(CLIENT + PARTS[part], "--payment-sandbox-coverage=json:met.json", f"--payment-sandbox-verdict={how}")
            met.append(json.loads((pytester.path / "met.json").read_text("utf-8"))["met"])
    assert met == met[:1] * 4
    assert met[0]["transition/requires_capture->succeeded"] == 1
