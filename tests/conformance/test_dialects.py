"""The suite in the public API's dialect: it holds where that is spoken, and sees where it is not."""

from __future__ import annotations

from mock_server.cli.conformance import listening
from mock_server.clock import SystemClock
from mock_server.conformance.answer import INTERFACE, PUBLIC
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import CheckOutcome, CheckResult, Suite, spoken
from mock_server.conformance.target import ConformanceTarget, Means
from mock_server.testing import SandboxServer
from tests.conformance.mutants.server import names


def results(speaks: str, asked_as: str) -> list[CheckResult]:
    """What comes of the suite of one dialect at a server of another, or of the same."""
    with SandboxServer({"dialect": speaks}) as server:
        suite = Suite(ConformanceTarget(url=server.url, dialect=asked_as), Means(SystemClock(), names(), listening))
        found = [suite.run(check) for check in spoken(CHECKS, asked_as)]
        suite.close()
    return found


def test_it_holds_in_the_public_dialect() -> None:
    found = results(PUBLIC, PUBLIC)
    assert [f"{one.check.name}: {one.broken}" for one in found if one.outcome is not CheckOutcome.PASSED] == []
    assert len(found) == len(spoken(CHECKS, PUBLIC)) > 150


def test_a_server_of_the_other_dialect_is_seen_by_each_check_of_one_alone() -> None:
    for speaks, asked_as in ((INTERFACE, PUBLIC), (PUBLIC, INTERFACE)):
        alone = [one for one in results(speaks, asked_as) if one.check.only]
        assert [one.check.name for one in alone if one.outcome is not CheckOutcome.FAILED] == []
        assert alone
