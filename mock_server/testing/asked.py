"""What options and markers ask of the plugin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import pytest

from mock_server.randomness import Randomness
from mock_server.settings import SettingsRefused
from mock_server.testing.outcomes import outcomes
from mock_server.testing.sandbox import TOKEN_VARIABLE
from mock_server.testing.servers import RunningServer, SandboxServer, Server

Node = pytest.Item | pytest.Collector
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


def beginning(node: Node) -> dict[str, Any]:
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
