"""Replicas behind one address do all that one server does: the conformance suite, and every scenario's story."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from mock_server.cli.conformance import listening
from mock_server.cli.playing import perform, stage
from mock_server.clock import SystemClock
from mock_server.conformance.answer import INTERFACE, PUBLIC
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import CheckOutcome, Suite, spoken
from mock_server.conformance.target import ConformanceTarget, Means
from mock_server.scenario.loading.library import bundled_files
from mock_server.scenario.loading.load import load_bytes
from tests.conformance.mutants.server import names
from tests.counts import SOAK
from tests.lasting import balancer
from tests.lasting.clusters import Cluster
from tests.lasting.test_chaos import Replica
from tests.running import until
from tests.scenarios_e2e.test_stories import NO_LIMIT_S, PATIENCE_S
from tests.scenarios_e2e.wire import raw_call

HASHED, IN_TURN = "balance hash var(txn.key)", "balance roundrobin"
PAIRS: Final = list(product((HASHED, IN_TURN), (INTERFACE, PUBLIC)))[:: 1 if SOAK else 3]
"""Each way once, and each dialect."""
EVERY: Final = 1 if SOAK else 5
"""One check in so many, and one story."""
STORIES: Final = sorted(bundled_files().values())[::EVERY]


@contextmanager
def balanced(cluster: Cluster, configuration: Path, *flags: str) -> Iterator[str]:
    """The address of HAProxy in front of three replicas."""
    data, places = cluster.database(), balancer.addresses(3)
    with ExitStack() as stack:
        for place in places:
            replica = Replica(place, ["--data", data, *flags])
            stack.callback(replica.stop)
            replica.wait()
        port = stack.enter_context(balancer.balanced(*places, configuration=configuration)).port
        yield f"http://127.0.0.1:{port}"


@pytest.mark.skipif(balancer.PROGRAM is None, reason=balancer.MISSING)
@pytest.mark.parametrize(("spread", "dialect"), PAIRS, ids=[f"{one.split()[1]}-{of}" for one, of in PAIRS])
def test_the_suite_holds_at_a_balanced_address(cluster: Cluster, tmp_path: Path, dialect: str, spread: str) -> None:
    """By key as the examples have it, and call by call in turn: then two of three calls are passed on."""
    text = balancer.CONFIGURATION.read_text("utf-8")
    assert HASHED in text
    configuration = tmp_path / "haproxy.cfg"
    configuration.write_text(text.replace(HASHED, spread), "utf-8")
    with balanced(cluster, configuration, "--dialect", dialect, "--log-level", "error") as url:
        until(lambda: raw_call(url, "GET", "/_sandbox/readyz").status == 200)
        suite = Suite(ConformanceTarget(url=url, dialect=dialect), Means(SystemClock(), names(), listening))
        found = [suite.run(check) for check in spoken(CHECKS, dialect)[::EVERY]]
        suite.close()
    assert [f"{one.check.name}: {one.broken}" for one in found if one.outcome is CheckOutcome.FAILED] == []
    assert sum(one.outcome is CheckOutcome.PASSED for one in found) >= 150 // EVERY


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_a_story_goes_over_a_database_as_it_says(cluster: Cluster, path: Path) -> None:
    scenario = load_bytes(path.read_bytes(), f"scenarios/{path.name}").scenario
    patience_s = PATIENCE_S if b"fault: hang" in path.read_bytes() else NO_LIMIT_S
    with stage(patience_s, cluster.database()) as client:
        assert [str(line) for line in perform(scenario, (), client) if not line.holds] == []
