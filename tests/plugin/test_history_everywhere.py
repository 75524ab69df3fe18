"""A failing test's history is in every form in which its failure is passed on: JUnit XML, an editor, another plugin."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from tests.counts import times
from tests.plugin.conftest import Run

pytest_plugins = "pytester"

CONFTEST: Final = """
import json, pathlib, pytest
kept = {}

def pytest_runtest_logreport(report):
    if report.failed:
        kept.setdefault(report.nodeid.rpartition("::")[2], report.longreprtext)

def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        pathlib.Path("texts.json").write_text(json.dumps(kept))
"""
SUITE: Final = """
import unittest
import pytest

def test_assertion(payment_sandbox):
    payment_sandbox.client.pay(payment_id="pay_assertion")
    assert 0

def test_exception(payment_sandbox):
    try:
        payment_sandbox.client.pay(payment_id="pay_exception")["nothing"]
    except KeyError as problem:
        raise ValueError("because of it") from problem

def test_text(payment_sandbox):
    payment_sandbox.client.pay(payment_id="pay_text")
    pytest.fail("no line", pytrace=False)

@pytest.mark.payment_sandbox({"name": "no_payment", "expect": [{"calls": "payments.create", "exactly": 0}]})
def test_scenario(payment_sandbox):
    payment_sandbox.client.pay(payment_id="pay_scenario")

@pytest.fixture
def order(payment_sandbox):
    payment_sandbox.client.pay(payment_id="pay_beginning")
    raise ValueError("no order")

def test_beginning(order): pass

@pytest.fixture(scope="module")
def wide(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)

def test_wide(wide):
    wide.client.pay(payment_id="pay_wide")
    assert 0

@pytest.mark.payment_outcomes("lost_card")
def test_outcome(payment_sandbox):
    payment_sandbox.client.pay(payment_id="pay_outcome")
    assert 0

class TestCase(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def workspace(self, payment_sandbox):
        self.sandbox = payment_sandbox

    def test_case(self):
        self.sandbox.client.pay(payment_id="pay_case")
        self.fail("of unittest")
"""
KINDS: Final = ("assertion", "exception", "text", "scenario", "beginning", "wide", "outcome", "case")
STYLES: Final = ("auto", "short", "long", "native", "line", "no")
SHOWN: Final = ("all", "no", "stdout")
FORMS: Final = sorted(product(SHOWN, STYLES))[:: times(9, soak=1)]


def by_kind(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name.partition("[")[0].removeprefix("test_"): text for name, text in texts}


def test_a_failure_without_sections_has_it_beside_it(run: Run) -> None:
    asks = (
        "def test_it(payment_sandbox, request):\n    payment_sandbox.client.pay()\n    request.getfixturevalue('no')\n"
    )
    run(asks).stdout.fnmatch_lines(["*to repeat: pytest *"])


def test_a_failure_that_another_hook_makes_has_it_too(run: Run) -> None:
    conftest = """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if call.when == "call":
                report.outcome, report.longrepr = "failed", "it logged an error"
            return report
    """
    result = run("def test_it(payment_sandbox): payment_sandbox.client.pay()", conftest=conftest)
    result.stdout.fnmatch_lines(["it logged an error", "*to repeat: pytest *"])


@pytest.mark.parametrize(("shown", "style"), FORMS)
def test_the_history_is_part_of_the_failure(shown: str, style: str, run: Run, pytester: pytest.Pytester) -> None:
    options = (f"--show-capture={shown}", f"--tb={style}", "--junitxml=found.xml", "-p", "no:asyncio")
    result = run(SUITE, *options, conftest=CONFTEST)
    result.assert_outcomes(failed=len(KINDS) - 1, errors=1)
    kept = by_kind(json.loads((pytester.path / "texts.json").read_text()).items())
    cases = ET.parse(pytester.path / "found.xml").getroot().iter("testcase")
    written = by_kind((case.attrib["name"], "".join(case.itertext())) for case in cases)
    for kind, text in product(KINDS, (kept, written)):
        assert text[kind].count(f"sent: payment_id='pay_{kind}'") == 1
        assert text[kind].count("\nto repeat: pytest ") == 1
    if style != "line":  # versions of pytest differ in what that shows
        assert result.stdout.str().count("\nto repeat: pytest ") == (0 if style == "no" else len(KINDS))
