"""Through a replica that does not own the workspace: the same stories, and the same bytes where the line breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.cli.playing import KEY, SECRET, SEED, control, perform, receiver
from mock_server.clock import Clock, SystemClock
from mock_server.domain.faults import LineFault, PassOn
from mock_server.front import serve
from mock_server.sandbox import build
from mock_server.scenario.loading.library import bundled_files
from mock_server.scenario.loading.load import load_bytes
from mock_server.server import Server
from mock_server.settings import Settings
from mock_server.store.memory import SERVER, First, Store
from mock_server.store.space import Space
from tests.clocks import ManualClock
from tests.lasting import balancer
from tests.lasting.clusters import Cluster
from tests.scenarios_e2e.wire import Seen, client, pay, put, raw_call

FILES: Final = sorted(bundled_files().values())
FAULTS: Final = [fault for fault in LineFault if fault is not LineFault.HANG]
RULE: Final = "  - {{on: payments.create, when: {{header.X-Fault: {name}}}, then: {{fault: {name}}}}}\n"
SCENARIO: Final = f"version: 1\nrules:\n{''.join(RULE.format(name=fault.value) for fault in FAULTS)}"


class Calendar(ManualClock):
    """The date stands still, so that answers tell the same; waits go on."""

    def monotonic(self) -> float:
        return SystemClock().monotonic()


class Elsewhere(Store):
    """A store all of whose workspaces another replica owns."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        super().__init__()

    def space(self, name: str) -> Space | None:
        if name != SERVER:
            raise PassOn(self._owner)
        return super().space(name)

    def open(self, name: str, first: First) -> Space:
        self.space(name)
        return super().open(name, first)

    def replace(self, name: str, first: First, dump: Any = None) -> Space:
        self.space(name)
        return super().replace(name, first, dump)

    def close(self, name: str) -> bool:
        self.space(name)
        return super().close(name)


@contextmanager
def replicas(clock: Clock, **settings: Any) -> Iterator[tuple[Server, Server]]:
    """One that owns all workspaces, and one that owns none."""
    with ExitStack() as stack:
        owner = build(Settings(seed=SEED, **settings), clock=clock)
        owner.start()
        stack.callback(owner.stop)
        owns = stack.enter_context(serve(owner, "127.0.0.1", 0))
        passes_on = build(Settings(seed=SEED, **settings), clock=clock, store=Elsewhere(owns.address))
        yield owns, stack.enter_context(serve(passes_on, "127.0.0.1", 0))


@contextmanager
def replicas_over(url: str, clock: Clock, **settings: Any) -> Iterator[tuple[Server, Server]]:
    """The same over a database: the first one owns what it was asked for first."""
    with ExitStack() as stack:
        servers = []
        for place in balancer.addresses(2):
            sandbox = build(Settings(seed=SEED, data=url, advertise=f"http://{place}", **settings), clock=clock)
            stack.callback(sandbox.stop)
            host, _, port = place.partition(":")
            servers.append(stack.enter_context(serve(sandbox, host, int(port))))
            if len(servers) == 1:
                assert raw_call(servers[0].address, "GET", "/_sandbox/clock").status == 200
        yield servers[0], servers[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_story_goes_as_it_says(path: Path) -> None:
    scenario = load_bytes(path.read_bytes(), f"scenarios/{path.name}").scenario
    patience_s = 5.0 if b"fault: hang" in path.read_bytes() else 3600.0
    with replicas(SystemClock()) as (_, passes_on), Server(receiver) as inbox:
        caller = client(passes_on.address, KEY, patience_s)
        control(caller, "PUT", "webhooks/target", {"url": f"{inbox.address}/inbox", "secret": SECRET})
        assert [str(line) for line in perform(scenario, (), caller) if not line.holds] == []


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
def test_every_answer_and_fault_is_byte_for_byte_the_owners(dialect: str) -> None:
    assert_the_same(lambda: replicas(Calendar(), dialect=dialect))


def test_they_are_over_a_database_too(cluster: Cluster) -> None:
    """On a machine so busy that a lease expires, the other replica goes on with ids of its own for the calls."""
    assert_the_same(lambda: replicas_over(cluster.database(), Calendar()), but=re.compile("req_[A-Za-z0-9]{20}"))


def assert_the_same(
    both: Callable[[], AbstractContextManager[tuple[Server, Server]]], but: re.Pattern[str] | None = None
) -> None:
    """Two runs tell the same, `but` for some text: one asked at the owner, one through the other replica."""

    def all_of(base: str) -> list[Seen]:
        put(base, "faults", SCENARIO)
        seen = [pay(base), *(pay(base, {"X-Fault": fault.value}) for fault in FAULTS)]
        seen += [pay(base, amount=-1), pay(base, profile_id=7)]
        paths = ["/payments/list", "/payments/pay_unknown", "/_sandbox/webhooks", "/_sandbox/payments/x/why"]
        return [*seen, *(raw_call(base, "GET", path) for path in paths)]

    def journal_of(base: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = raw_call(base, "GET", "/_sandbox/journal").json["data"]
        return [{key: entry[key] for key in entry if key not in ("took_ms", "began_us")} for entry in entries]

    def told_by(which: int) -> tuple[list[Seen], list[dict[str, Any]]]:
        with both() as servers:
            return all_of(servers[which].address), journal_of(servers[which].address)

    with ThreadPoolExecutor() as pool:  # at once, as a slow body takes four seconds
        told = list(pool.map(told_by, (0, 1)))
    assert [one.end for one in told[0][0]].count("reset") == 1
    assert len(told[0][1]) >= len(FAULTS)
    owners, passed_on = (but.sub("", repr(one)) for one in told) if but else map(repr, told)
    assert owners == passed_on
