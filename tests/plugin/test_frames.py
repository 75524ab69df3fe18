"""A failure shows the lines of the test and of its fixtures; those of this package are hidden by pytest's own rule."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

import mock_server
from mock_server.testing import Sandbox, SandboxServer
from tests.plugin.conftest import Run

pytest_plugins = "pytester"

OURS: Final = str(Path(mock_server.__file__).parent)
JUNK: Final = (None, "no_such", -1, object(), {"no": "such"})
PARTS: Final = ("", "client", "cards", "clock", "journal", "webhooks", "trigger", "scenarios", "control")
KEPT: Final = {"start", "close", "probe", "settle", "request", "checkout", "disconnect", "reset", "none"}
"""What ends the workspace, waits, calls other addresses, or takes everything."""


def wrong(sandbox: Sandbox) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every method of every part with arguments that it cannot take."""
    for part in PARTS:
        owner = getattr(sandbox, part) if part else sandbox
        for name, method in inspect.getmembers(type(owner), inspect.isfunction):
            if name in KEPT or (name.startswith("_") and name != "__getitem__"):
                continue
            needs = inspect.signature(getattr(owner, name)).parameters.values()
            given = [one for one in needs if one.default is one.empty and one.kind in (0, 1)] or [*needs][:1]
            for junk in JUNK[name == "wait_for" :]:  # which may wait for any event
                asked = partial(getattr(owner, name), *[junk] * len(given))
                yield f"{part}.{method.__name__}({junk!r})", asked


def shown(problem: BaseException) -> list[str]:
    """The files of the package that a report of pytest would show of a failure in this file."""
    info = pytest.ExceptionInfo.from_exception(problem)
    return [f"{one.path}:{one.lineno + 1}" for one in info.traceback.filter(info) if str(one.path).startswith(OURS)]


def test_what_a_method_refuses_shows_the_callers_line(sandbox: Sandbox) -> None:
    refused = count()
    found: dict[str, list[str]] = {}
    for case, do in wrong(sandbox):
        try:
            do()
        except Exception as problem:
            next(refused)
            found |= {case: frames} if (frames := shown(problem)) else {}
    assert not found
    assert next(refused) > 100


def test_so_does_what_is_awaited(inside: SandboxServer) -> None:
    async def story(sandbox: Sandbox) -> list[str]:
        try:
            await sandbox.aio.journal.assert_called("refunds.create")
        except AssertionError as problem:
            return shown(problem)
        return ["it passed"]

    with Sandbox(server=inside) as sandbox:
        assert asyncio.run(story(sandbox)) == []


def test_so_does_a_lost_connection(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        sandbox.next("payments.create", fault="connection_reset")
        with pytest.raises(ConnectionError) as told:
            sandbox.client.pay()
    assert shown(told.value) == []


BROKEN: Final = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("in setup")

@pytest.fixture
def breaking():
    yield
    raise ValueError("in teardown")
"""
SUITE: Final = """
import unittest

def test_fixture(broken): pass

def test_teardown(breaking): pass

def test_call(): assert [] == ["in call"]

def test_used(payment_sandbox): payment_sandbox.trigger.authenticate("pay_none")

class TestCase(unittest.TestCase):
    def setUp(self): raise ValueError("in setUp")
    def test_it(self): pass
"""


@pytest.mark.parametrize("form", ["auto", "long", "short"])
def test_the_reports_of_a_suite_show_no_frame_of_the_plugin(form: str, run: Run) -> None:
    result = run(SUITE, f"--tb={form}", "-p", "no:asyncio", conftest=BROKEN)
    result.assert_outcomes(passed=1, failed=3, errors=2)
    result.stdout.no_fnmatch_line("*mock_server*.py:*")
    result.stdout.fnmatch_lines(["*in setup*", "*in teardown*", "*authenticate*", "*in setUp*"])
