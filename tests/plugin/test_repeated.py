"""The line that repeats a failing test does: from the folder in which the run was started, with the same IDs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from tests.counts import times
from tests.plugin.conftest import WITHIN

pytest_plugins = "pytester"

CONFTEST: Final = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("xdist_group"):  # so a worker of --dist loadgroup names it
            grouped = {"nodeid": item.nodeid + "@" + item.get_closest_marker("xdist_group").args[0]}
            item.__class__ = type(type(item))("Grouped", (type(item),), grouped)

def pytest_configure(config):
    config.addinivalue_line("markers", "xdist_group(name): keep together")
"""
SUITE: Final = """
import unittest
import pytest

def it_fails(it):
    it.client.pay(description="card 4242 4242 4242 4242")
    {fails}

@pytest.fixture(scope="{scope}")
def shop(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)

@pytest.fixture
def kept(request, {asks}):
    request.cls.it = {asks}

{mark}
def test_plain({asks}): it_fails({asks})

{mark}
@pytest.mark.parametrize("text", ["a b", "it's", "é/::[]"])
def test_texts({asks}, text): it_fails({asks})

{mark}
class TestOne:
    def test_method(self, {asks}): it_fails({asks})

{mark}
@pytest.mark.usefixtures("kept")
class TestTwo(unittest.TestCase):
    def test_case(self): it_fails(self.it)
"""
TESTS: Final = 6
FOLDERS: Final = {"root": (".", "."), "a folder of tests": ("tests", "."), "a folder beside it": ("docs", "../tests")}
"""Where a run is started, and what it is told to run."""
OWN: Final = "payment_sandbox"
SCOPES: Final = (OWN, "function", "class", "module", "session")
MARKS: Final = ("", "@pytest.mark.xdist_group('money')")
VERDICTS: Final = ("", "error")
CASES: Final = [case for case in product(FOLDERS, SCOPES, MARKS, VERDICTS) if case[1] in SCOPES[:3] or not case[3]]
"""What is judged after the last of several tests is in the report of none."""
FEW: Final = [("a folder beside it", OWN, MARKS[1], "error")]


def told(text: str) -> Iterator[tuple[str, str]]:
    """Each line that repeats a test, and the payment of which its report tells."""
    for section in text.split("- payment sandbox")[1:]:
        paid = re.findall(r"-> 200, .*(pay_\w+)", section)
        yield re.findall(r"^to repeat: pytest (.*)$", section, re.MULTILINE)[0], paid[-1]


@pytest.mark.parametrize(("folder", "scope", "mark", "verdict"), FEW if times(1, soak=0) else CASES)
def test_what_is_said_repeats_it(
    folder: str,
    scope: str,
    mark: str,
    verdict: str,
    imported: None,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asks = OWN if scope == OWN else "shop"
    source = SUITE.format(
        scope="function" if scope == OWN else scope, asks=asks, mark=mark, fails="" if verdict else "assert 0"
    )
    pytester.makeini("[pytest]\n")
    pytester.makeconftest(CONFTEST)
    at, what = FOLDERS[folder]
    for name in ("tests", "docs"):
        pytester.mkdir(name)
    (pytester.path / "tests" / "test_shop.py").write_text(source, "utf-8")
    monkeypatch.chdir(pytester.path / at)
    first = pytester.runpytest_inprocess(*WITHIN, what, *(["--payment-sandbox-verdict", verdict] if verdict else []))
    found = dict(told(first.stdout.str()))
    assert len(found) >= (TESTS if scope in (OWN, "function") else 1)
    for line, paid in [*found.items()][:: times(len(found), soak=1)]:
        again = pytester.runpytest_inprocess(*WITHIN, *shlex.split(line))
        assert paid in [one for _, one in told(again.stdout.str())], line
