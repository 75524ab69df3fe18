"""What options and markers ask of the plugin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import pytest

from mock_server.randomness import Randomness
from mock_server.settings import SettingsRefused
from mock_server.testing.control import ControlRefused
from mock_server.testing.outcomes import PaymentOutcome, outcomes
from mock_server.testing.sandbox import TOKEN_VARIABLE, Sandbox
from mock_server.testing.scenarios import ExpectationFailed, Source
from mock_server.testing.servers import RunningServer, SandboxServer, Server
from mock_server.testing.wire import SandboxUnreachable

RANDOM: Final = "random"
_SEED: Final[pytest.StashKey[str]] = pytest.StashKey()
_BEGINNINGS: Final = frozenset({"scenario", "seed", "clock"})
_RUNS: Final = frozenset({"on", "times"})


def server(url: str | None, config: Mapping[str, Any]) -> Server:
    """The server that an option names, or a new one in this process."""
    try:
        return RunningServer(url, os.environ.get(TOKEN_VARIABLE), config=config) if url else SandboxServer(config)
    except ValueError as wrong:
        pytest.fail(str(wrong), pytrace=False)
    except SettingsRefused as wrong:
        pytest.fail(f"payment_sandbox_config: {wrong}", pytrace=False)


def world(
    node: pytest.Item, server: Server, outcome: PaymentOutcome | None, sources: list[Source], seed: str
) -> Sandbox:
    """The world that a test's marker describes; its name is the test's id."""
    asked = _beginning(node)
    return Sandbox(
        server=server,
        name=node.nodeid,
        seed=asked.get("seed") or seed,
        scenario=asked.get("scenario") or (),
        clock=asked.get("clock"),
        scenarios=sources,
        outcome=outcome,
    )


def _beginning(node: pytest.Item) -> dict[str, Any]:
    """What the markers of a test, its class and its module say together, the nearest first."""
    found: dict[str, Any] = {}
    for mark in node.iter_markers("payment_sandbox"):
        said = {**({"scenario": mark.args} if mark.args else {}), **mark.kwargs}
        _refuse_unknown("payment_sandbox", said, _BEGINNINGS)
        found = {**said, **found}
    return found


def _refuse_unknown(marker: str, said: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(said) - known)
    if unknown:
        text = f"the marker {marker} takes {', '.join(sorted(known))}, and not {', '.join(unknown)}"
        pytest.fail(text, pytrace=False)


def parametrize(metafunc: pytest.Metafunc, mark: pytest.Mark) -> None:
    """Runs a test once for each outcome that its marker names."""
    _refuse_unknown("payment_outcomes", mark.kwargs, _RUNS)
    nodeid = metafunc.definition.nodeid
    if "payment_outcome" not in metafunc.fixturenames:
        pytest.fail(f"{nodeid}: payment_outcomes is for tests that use the fixture payment_sandbox", pytrace=False)
    try:
        found = outcomes(mark.args, **mark.kwargs)
    except ValueError as wrong:
        pytest.fail(f"{nodeid}: {wrong}", pytrace=False)
    metafunc.parametrize("payment_outcome", found, indirect=True, ids=[one.name for one in found])


def seed(config: pytest.Config) -> str:
    """The seed of this run; `random` draws one, once in each process."""
    said: str = config.getoption("--payment-sandbox-seed")
    if said != RANDOM:
        return said
    if _SEED not in config.stash:
        config.stash[_SEED] = Randomness(None, "").token("seed", 0, 12)
    return config.stash[_SEED]


def begin(world: Sandbox) -> None:
    """Makes the world; why that cannot be is all that is told, without a trace of ours."""
    wrong = ""
    try:
        world.start()
    except (ControlRefused, SandboxUnreachable) as problem:
        wrong = str(problem)
    if wrong:
        pytest.fail(wrong, pytrace=False)


def expect(world: Sandbox) -> None:
    """Fails the test, without a trace of ours, where a scenario that is on expects what does not hold."""
    wrong = ""
    try:
        world.check()
    except ExpectationFailed as problem:
        wrong = str(problem)
    if wrong:
        pytest.fail(wrong, pytrace=False)


def story(world: Sandbox) -> str:
    """A world's story, or why it cannot be told: the test's own failure must stay the one that is seen."""
    try:
        return world.report()
    except Exception as problem:  # whatever it is, the test's own failure is shown
        return f"the sandbox could not tell its story: {type(problem).__name__}: {problem}"
