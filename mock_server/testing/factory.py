"""Workspaces for one test, or shared by the tests of a class, a module, a package or the whole run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import pytest

from mock_server.domain.limits import WORKSPACE_LABEL
from mock_server.randomness import Randomness
from mock_server.scenario.loading.sources import ScenarioSource
from mock_server.settings import SettingsRefused
from mock_server.testing.control import ControlRefused, SandboxUnreachable
from mock_server.testing.outcomes import PaymentOutcome, outcomes
from mock_server.testing.parts import TOKEN_VARIABLE, shared_by
from mock_server.testing.sandbox import Sandbox
from mock_server.testing.scenarios import Collected, ExpectationFailed, Given, collected
from mock_server.testing.servers import AnyServer, RunningServer, SandboxServer

if TYPE_CHECKING:
    from mock_server.testing.watching import Watching

Node = pytest.Item | pytest.Collector
_SEED: Final[pytest.StashKey[str]] = pytest.StashKey()
_BEGINNINGS: Final = frozenset({"scenario", "seed", "clock", "dialect"})
_RUNS: Final = frozenset({"on", "times"})
OWN: Final = "payment_sandbox"


@dataclass(eq=False, slots=True)
class Made:
    """A workspace, the test or collection that it exists for, and the fixture that requested it."""

    workspace: Sandbox
    node: Node
    fixture: str
    watching: Watching | None = None
    """Evaluates it at its end, for the options of verdict and coverage."""
    before: int = 0
    """The last call before the current test."""

    def begin_test(self) -> None:
        """Notes the calls of earlier tests."""
        with suppress(ControlRefused, SandboxUnreachable):  # the test itself will find that out
            self.before = self.workspace.journal.last

    def expect(self) -> None:
        """Fails the test if an assertion of an active scenario fails."""
        _plainly(self.workspace.check)

    def look(self, *, judged: bool = True) -> None:
        """Evaluates the workspace, if an option requests it."""
        __tracebackhide__ = True
        if self.watching is not None:
            self.watching.look(self.node, self.workspace, judged=judged)

    def section(self) -> tuple[str, str]:
        """The history for a test's report, or why there is none."""
        title = "payment sandbox" if self.fixture == OWN else f"payment sandbox {self.fixture}"
        nodeid, shared = self.node.nodeid, []
        if not isinstance(self.node, pytest.Item):
            earlier = f"; calls up to #{self.before} were made by earlier tests" if self.before else ""
            shared = [shared_by(self.node.nodeid) + earlier]
        where, seed = f" {shlex.quote(nodeid)}" if nodeid else "", shlex.quote(self.workspace.seed or "")
        again = f"to repeat: pytest{where} --payment-sandbox-seed {seed}"
        try:
            return title, "\n".join([*shared, self.workspace.report(), again])
        except Exception as problem:  # whatever it is, the test's own failure is shown
            return title, f"the sandbox could not report what happened: {type(problem).__name__}: {problem}"

    def end(self) -> None:
        """Ends the workspace; assertions about several tests are checked after the last of them."""
        try:
            if not isinstance(self.node, pytest.Item):
                self.look()
                _plainly(self.workspace.check, lambda: "\n".join(self.section()))
        finally:
            self.workspace.close()


@dataclass(eq=False, repr=False)
class SandboxFactory:
    """Makes workspaces that exist as long as the fixture that requests them: for a class, a module, the whole run."""

    _server: AnyServer
    _sources: list[ScenarioSource]
    _seed: str
    _made: pytest.StashKey[list[Made]]
    _dialect: str | None
    _watching: Watching | None

    def __call__(
        self,
        request: pytest.FixtureRequest,
        *,
        scenario: Given | Iterable[Given] | None = None,
        seed: str | None = None,
        clock: datetime | str | bool | None = None,
        dialect: str | None = None,
    ) -> Sandbox:
        """A workspace for as long as the fixture with this `request`; markers give the values that are missing here.

        Its name, and so all ids, depends on the class, module or run that it is for, and on the fixture's name.
        """
        fixture = request.fixturename or "test"
        param = getattr(request, "param", None)
        suffix = f"[{param}]" if isinstance(param, str | int | float) else ""
        count = 1 + sum(one.fixture == fixture for one in request.node.stash.get(self._made, ()))
        name = f"{request.node.nodeid or 'run'} ({fixture}{suffix}{f' {count}' if count > 1 else ''})"
        said = {"scenario": scenario, "seed": seed, "clock": clock, "dialect": dialect}
        return self._make(request, fixture, name, {key: value for key, value in said.items() if value is not None})

    def of_test(self, request: pytest.FixtureRequest, outcome: PaymentOutcome | None) -> Sandbox:
        """The workspace of one test, named by the test's id."""
        return self._make(request, OWN, request.node.nodeid, {"outcome": outcome})

    def _make(self, request: pytest.FixtureRequest, fixture: str, name: str, said: dict[str, Any]) -> Sandbox:
        begins = {**beginning(request.node), **said}
        workspace = Sandbox(
            server=self._server,
            name=name,
            # Its end, where the names of tests differ: the server would keep its beginning.
            label=name if len(name) <= WORKSPACE_LABEL else f"…{name[1 - WORKSPACE_LABEL :]}",
            seed=begins.get("seed") or self._seed,
            scenario=begins.get("scenario") or (),
            clock=begins.get("clock"),
            dialect=begins.get("dialect") or self._dialect,
            scenarios=self._sources,
            outcome=begins.get("outcome"),
        )
        made = Made(workspace, request.node, fixture, self._watching)
        workspace.journal._losing = made.look
        kept = request.node.stash.setdefault(self._made, [])
        kept.append(made)
        _plainly(workspace.start)

        def end() -> None:
            kept.remove(made)
            made.end()

        request.addfinalizer(end)
        return workspace


def _plainly(do: Callable[[], object], more: Callable[[], str] = str) -> None:
    """Does it, and reports an error without a traceback of ours."""
    wrong = ""
    try:
        do()
    except (ControlRefused, SandboxUnreachable, ExpectationFailed) as problem:
        wrong = f"{problem}\n{more()}".rstrip()
    if wrong:
        pytest.fail(wrong, pytrace=False)


def server_of(url: str | None, config: Mapping[str, Any]) -> AnyServer:
    """The server that an option names, or a new one in this process."""
    try:
        return RunningServer(url, os.environ.get(TOKEN_VARIABLE), config=config) if url else SandboxServer(config)
    except ValueError as problem:
        wrong = str(problem)
    except SettingsRefused as problem:
        wrong = f"payment_sandbox_config: {problem}"
    pytest.fail(wrong, pytrace=False)  # after its cause, which a report would show too


def sources_of(given: Collected) -> list[ScenarioSource]:
    """The scenarios of a suite, read."""
    try:
        return collected(given)
    except (OSError, TypeError, ValueError) as problem:
        wrong = f"payment_sandbox_scenarios: {problem}"
    pytest.fail(wrong, pytrace=False)


def beginning(node: Node) -> dict[str, Any]:
    """The values of the markers of a test, its class and its module; the nearest marker takes precedence."""
    found: dict[str, Any] = {}
    for mark in node.iter_markers("payment_sandbox"):
        said = {**({"scenario": mark.args} if mark.args else {}), **mark.kwargs}
        _refuse_unknown("payment_sandbox", said, _BEGINNINGS)
        found = {**said, **found}
    return found


def _refuse_unknown(marker: str, said: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(said) - known)
    if unknown:
        text = f"the marker {marker} accepts {', '.join(sorted(known))}, but not {', '.join(unknown)}"
        pytest.fail(text, pytrace=False)


def parametrize(metafunc: pytest.Metafunc, mark: pytest.Mark) -> None:
    """Runs a test once for each outcome that its marker names."""
    _refuse_unknown("payment_outcomes", mark.kwargs, _RUNS)
    nodeid = metafunc.definition.nodeid
    if "payment_sandbox" not in metafunc.fixturenames:
        pytest.fail(f"{nodeid}: payment_outcomes needs the fixture payment_sandbox", pytrace=False)
    try:
        found = outcomes(mark.args, **mark.kwargs)
    except ValueError as wrong:
        pytest.fail(f"{nodeid}: {wrong}", pytrace=False)
    metafunc.parametrize("payment_outcome", found, indirect=True, ids=[one.name for one in found])


def seed_of(config: pytest.Config) -> str:
    """The seed of this run; `random` draws one, once in each process."""
    said: str = config.getoption("--payment-sandbox-seed")
    if said != "random":
        return said
    if _SEED not in config.stash:
        config.stash[_SEED] = Randomness(None, "").token("seed", 0, 12)
    return config.stash[_SEED]
