"""A test that replaces what all share, until it ends, may fail itself, and leaves every other test of the run alone."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from tests.counts import times
from tests.plugin.conftest import Run

pytest_plugins = "pytester"

SUITE: Final = """
import json, socket
import pytest

@pytest.fixture(scope="{scope}")
def shop(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)

def replace(monkeypatch):
    def replaced(*_, **__):
        {does}
    monkeypatch.setattr({of}, replaced)

def test_first(shop):
    shop.client.pay()

@pytest.fixture(scope="class")
def replacing():
    with pytest.MonkeyPatch.context() as monkeypatch:
        replace(monkeypatch)
        yield

@pytest.mark.usefixtures("replacing")
class TestOfOthers:
    def test_one(self): pass
    def test_two(self): pass

def test_of_its_own(monkeypatch):
    replace(monkeypatch)
    assert 0, "of its own"

def test_with_it(shop, monkeypatch):
    replace(monkeypatch)
    assert 0, "with it"

def test_last(shop):
    assert shop.client.pay()["status"] == "succeeded"
"""
REPLACED: Final = (
    "json, 'loads'",
    "socket.socket, 'makefile'",
    "json.JSONDecoder, 'decode'",
)
DOES: Final = (
    "raise ValueError('replaced')",
    "pytest.fail('replaced')",
    "pytest.skip('replaced')",
    "raise RuntimeError('replaced')",
    "raise AssertionError('replaced')",
    "raise OSError('replaced')",
    "return {}",
    "return []",
    "return None",
)
SCOPES: Final = ("module", "session")
CASES: Final = [*product(REPLACED, DOES, SCOPES)]
FEW: Final = [("json, 'loads'", "pytest.fail('replaced')", "session")]


@pytest.mark.parametrize(("of", "does", "scope"), FEW if times(1, soak=0) else CASES)
def test_the_others_run_and_say_nothing_of_it(of: str, does: str, scope: str, run: Run) -> None:
    result = run(SUITE.format(of=of, does=does, scope=scope))
    result.assert_outcomes(passed=4, failed=2)
    text = result.stdout.str()
    assert [text.count(f"E       AssertionError: {own}") for own in ("of its own", "with it")] == [1, 1]
    assert text.count("- payment sandbox shop -") == 1, "only of the test that uses the workspace"
