"""A marker has its effect, or fails the test that has it: no test passes as if it were not there."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.plugin.conftest import Run

pytest_plugins = "pytester"

UNMET: Final = '{"name": "unmet", "rules": [], "expect": [{"calls": "payments.create", "exactly": 7}]}'
MARKS: Final = {
    "scenario": f"payment_sandbox(scenario={UNMET})",
    "positional": f"payment_sandbox({UNMET})",
    "outcome": 'payment_outcomes("lost_card")',
}
START: Final = """
import unittest
import pytest
from payment_sandbox import Sandbox

def succeed(it):
    assert it.client.pay()["status"] == "succeeded"

@pytest.fixture
def shop(payment_sandbox):
    return payment_sandbox

@pytest.fixture
def made(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)

@pytest.fixture
def mine():
    with Sandbox() as it:
        yield it

class Mixed:
    @pytest.fixture(autouse=True)
    def _kept(self, request):
        self.it = request.getfixturevalue("payment_sandbox")
"""
KINDS: Final = {
    "argument": ("", "payment_sandbox", "succeed(payment_sandbox)"),
    "through a fixture": ("", "shop", "succeed(shop)"),
    "made": ("", "made", "succeed(made)"),
    "late": ("", "request", "succeed(request.getfixturevalue('payment_sandbox'))"),
    "late made": ("", "request", "succeed(request.getfixturevalue('made'))"),
    "unittest": ("unittest.TestCase, Mixed", "", "succeed(self.it)"),
    "its own": ("", "", "with Sandbox() as it: succeed(it)"),
    "a fixture's own": ("", "mine", "succeed(mine)"),
    "its own in unittest": ("unittest.TestCase", "", "with Sandbox() as it: succeed(it)"),
    "none": ("", "", "pass"),
}
WITHOUT: Final = frozenset({"its own", "a fixture's own", "its own in unittest", "none"})
"""These use no workspace of the plugin: a marker of their class or module is for other tests."""
PLACES: Final = ("method", "class", "module", "parameter")


def source(kinds: tuple[str, ...], mark: str, place: str) -> str:
    """A module with one test of each kind, and the marker in this place of each."""
    at = {name: f"@pytest.mark.{mark}" if name == place else "" for name in PLACES}
    if place == "parameter":
        at["method"] = f"@pytest.mark.parametrize('value', [pytest.param(1, marks=pytest.mark.{mark})])"
    tests = ""
    for number, (bases, asks, body) in enumerate(KINDS[kind] for kind in kinds):
        asked = "".join(f", {one}" for one in (asks, "value" if place == "parameter" else "") if one)
        tests += f"\n{at['class']}\nclass Test{number}({bases}):\n"
        tests += f"    {at['method']}\n    def test_it(self{asked}):\n        {body}\n"
    return f"{START}\n{f'pytestmark = pytest.mark.{mark}' if place == 'module' else ''}\n{tests}"


OF_FUNCTIONS: Final = tuple(kind for kind in KINDS if "unittest" not in kind)
COLLECTED: Final = "argument", "through a fixture", "unittest", "its own in unittest"
"""Outcomes of the other kinds are refused before any test runs."""
CASES: Final = [
    (tuple(KINDS), "scenario", "method"),
    (tuple(KINDS), "positional", "method"),
    (tuple(kind for kind in KINDS if kind not in WITHOUT), "scenario", "class"),
    (tuple(kind for kind in KINDS if kind not in WITHOUT), "scenario", "module"),
    (OF_FUNCTIONS, "scenario", "parameter"),
    *((COLLECTED, "outcome", place) for place in ("method", "class", "module")),
    *(((kind,), "outcome", "method") for kind in KINDS if kind not in COLLECTED),
]


@pytest.mark.parametrize(("kinds", "mark", "place"), CASES)
def test_no_test_passes_as_if_its_marker_were_not_there(
    kinds: tuple[str, ...], mark: str, place: str, run: Run
) -> None:
    result = run(source(kinds, MARKS[mark], place), "-v")
    passed = [kinds[int(number)] for number in re.findall(r"::Test(\d+)::\S+ PASSED", result.stdout.str())]
    assert not passed
    assert sum(result.parseoutcomes().values()) >= len(kinds)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.stdout.no_fnmatch_line("*entries are hidden*")


TWICE: Final = [
    '@pytest.mark.payment_sandbox("slow_network", scenario="lost_response")',
    '@pytest.mark.payment_sandbox(scenario="slow_network")\n@pytest.mark.payment_sandbox("lost_response")',
    '@pytest.mark.payment_sandbox(clock="2030-01-01T00:00:00Z")\n@pytest.mark.payment_sandbox(clock="frozen")',
    '@pytest.mark.payment_sandbox(seed="1")\n@pytest.mark.parametrize("value", '
    '[pytest.param(1, marks=pytest.mark.payment_sandbox(seed="2"))])',
]


@pytest.mark.parametrize("marks", TWICE)
def test_what_is_said_twice_is_refused(marks: str, run: Run) -> None:
    value = ", value" if "value" in marks else ""
    result = run(f"import pytest\n\n{marks}\ndef test_it(payment_sandbox{value}): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["the marker payment_sandbox gives * twice"])


def test_outcomes_of_two_markers_of_one_test_all_run(run: Run) -> None:
    marks = '@pytest.mark.payment_outcomes("lost_card")\n@pytest.mark.payment_outcomes("stolen_card", times=1)'
    body = "def test_it(payment_sandbox, payment_outcome): print(payment_outcome.name, payment_outcome.times)"
    result = run(f"import pytest\n\n{marks}\n{body}\n", "-s")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines_random(["*lost_card None*", "*stolen_card 1*"])
