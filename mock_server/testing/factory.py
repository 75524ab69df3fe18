"""Workspaces for one test, or shared by the tests of a class, a module, a package or the whole run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest

from mock_server.domain.limits import WORKSPACE_LABEL
from mock_server.randomness import Randomness
from mock_server.scenario.loading.sources import ScenarioSource
from mock_server.settings import SettingsRefused
from mock_server.testing.control import ControlRefused
from mock_server.testing.outcomes import PaymentOutcome, outcomes
from mock_server.testing.parts import TOKEN_VARIABLE, shared_by
from mock_server.testing.sandbox import Sandbox
from mock_server.testing.scenarios import Collected, ExpectationFailed, Given, collected
from mock_server.testing.servers import AnyServer, RunningServer, SandboxServer

if TYPE_CHECKING:
    from mock_server.testing.watching import Watching

T = TypeVar("T")
Node = pytest.Item | pytest.Collector
_BEGINNINGS: Final = frozenset({"scenario", "seed", "clock", "dialect"})
_RUNS: Final = frozenset({"on", "times"})
OWN: Final = "payment_sandbox"
CONFIG: Final = "payment_sandbox_config"
SCENARIOS: Final = "payment_sandbox_scenarios"
WHATEVER: Final = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""What code that a test replaced can raise; in a hook it would end the run."""


@dataclass(eq=False, slots=True)
class Made:
    """A workspace, the test or collection that it exists for, and the fixture that requested it with its definition."""

    workspace: Sandbox
    node: Node
    fixture: str
    definition: object
    watching: Watching | None = None
    """Evaluates it at its end, for the options of verdict and coverage."""
    before: int = 0
    """The last call before the current test."""
    has_failed: bool = False  # any part of its test: its setup, a subtest, itself
    is_judged: bool = True
    """Whether its client is judged: not if it may have stopped half-way."""

    def last(self) -> int:
        """The last call; as before, if a test's replacements do not let it be read: all tests of the run ask for it."""
        with suppress(*WHATEVER):
            return self.workspace.journal.last
        return self.before

    def check(self) -> None:
        """Fails the test if an assertion of an active scenario fails, or for an error of its client, by an option."""
        plainly(self.workspace.check)
        self.look(ended=False)

    def look(self, *, ended: bool = True) -> None:
        """Evaluates the workspace, if an option requests it: at its end, or before, when its test has passed itself."""
        if self.watching is not None:
            self.watching.look(self.node, self.workspace, judged=self.is_judged or not ended, ended=ended)

    def section(self) -> tuple[str, str]:
        """The history for a test's report, or why there is none."""
        title = "payment sandbox" if self.fixture == OWN else f"payment sandbox {self.fixture}"
        earlier = f"; calls up to #{self.before} were made by earlier tests" if self.before else ""
        shared = [] if isinstance(self.node, pytest.Item) else [shared_by(self.node.nodeid) + earlier]
        try:
            return title, "\n".join([*shared, self.workspace.report(), f"to repeat: {self._again()}"])
        except WHATEVER as problem:  # the test's own failure is shown
            return title, f"the sandbox could not report what happened: {type(problem).__name__}: {problem}"

    def _again(self) -> str:
        """The command that repeats it in the folder where this run was started."""
        config, (file, within, test) = self.node.config, id_of(self.node).partition("::")
        given = config.args if config.args_source is config.ArgsSource.ARGS else []
        tests = [os.path.relpath(self.node.path, config.invocation_params.dir) + within + test] if file else given
        verdict = config.getoption("--payment-sandbox-verdict")
        judged = [f"--payment-sandbox-verdict={verdict}"] if verdict else []
        return shlex.join(["pytest", *tests, "--payment-sandbox-seed", self.workspace.seed or "", *judged])

    def end(self) -> None:
        """Ends the workspace; assertions about several tests are checked after the last of them."""
        try:
            self.look()
            if not isinstance(self.node, pytest.Item):
                plainly(self.workspace.check, more=lambda: "\n".join(self.section()))
        finally:
            self.workspace.close()


@dataclass(eq=False, repr=False)
class SandboxFactory:
    """Makes workspaces that exist as long as the fixture that requests them: for a class, a module, the whole run."""

    _server: AnyServer
    _config: Mapping[str, Any]
    _seed: str
    _made: pytest.StashKey[list[Made]]
    _dialect: str | None
    _watching: Watching | None
    _read: list[tuple[Collected, list[ScenarioSource]]] = field(default_factory=list)

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
        ending = f" ({fixture}{suffix}{f' {count}' if count > 1 else ''})"
        said = {"scenario": scenario, "seed": seed, "clock": clock, "dialect": dialect}
        return self._make(request, ending, {key: value for key, value in said.items() if value is not None}, fixture)

    def _make(self, request: pytest.FixtureRequest, ending: str, said: dict[str, Any], fixture: str = OWN) -> Sandbox:
        name = f"{id_of(request.node) or 'run'}{ending}"
        begins = {"seed": self._seed, "dialect": self._dialect, **beginning(request.node), **said}
        # As the folder of the test has them: the fixtures of the run are made for its first test.
        if isinstance(self._server, SandboxServer) and request.getfixturevalue(CONFIG) != self._config:
            pytest.fail(f"{CONFIG} differs between folders, but the run has one server", pytrace=False)
        given: Collected = request.getfixturevalue(SCENARIOS)
        if not any(given is one for one, _ in self._read):
            self._read.append((given, plainly(lambda: collected(given), f"{SCENARIOS}: ")))
        make = partial(
            Sandbox,
            server=self._server,
            name=name,
            # Its end, where the names of tests differ: the server would keep its beginning.
            label=name if len(name) <= WORKSPACE_LABEL else f"…{name[1 - WORKSPACE_LABEL :]}",
            scenarios=next(sources for one, sources in self._read if one is given),
            **begins,
        )
        definition = getattr(request, "_fixturedef", None)
        made = Made(workspace := plainly(make), request.node, fixture, definition, self._watching)
        workspace.journal._losing = made.look
        kept = request.node.stash.setdefault(self._made, [])
        kept.append(made)
        request.addfinalizer(made.end)
        request.addfinalizer(lambda: kept.remove(made))  # before it
        return workspace


def id_of(node: Node) -> str:
    """A test's id without the group that a worker of pytest-xdist adds, or that of what tests are in."""
    return f"{node.parent.nodeid}::{node.name}" if isinstance(node, pytest.Item) and node.parent else node.nodeid


def plainly(do: Callable[[], T], of: str = "", more: Callable[[], str] = str) -> T:
    """Does it, and reports an error without a traceback of ours; `of` is the beginning of the text."""
    try:
        return do()
    except (ControlRefused, ExpectationFailed, SettingsRefused, OSError, TypeError, ValueError) as problem:
        wrong = f"{of}{problem}\n{more()}".rstrip()
    pytest.fail(wrong, pytrace=False)  # after its cause, which a report would show too


def server_of(url: str | None, config: Mapping[str, Any]) -> AnyServer:
    """The server that an option names, or a new one in this process."""
    if url:
        return plainly(lambda: RunningServer(url, os.environ.get(TOKEN_VARIABLE), config=config))
    return plainly(lambda: SandboxServer(config), f"{CONFIG}: ")


def beginning(node: Node) -> dict[str, Any]:
    """The values of the markers of a test, its class and its module; the nearest marker takes precedence."""
    found: dict[str, tuple[object, Any]] = {}
    for at, mark in node.iter_markers_with_node("payment_sandbox"):
        _refuse_unknown("payment_sandbox", mark.kwargs, _BEGINNINGS)
        given = [("scenario", mark.args)] if mark.args else []
        for name, value in (*given, *mark.kwargs.items()):
            if name in found and found[name][0] is at:
                pytest.fail(f"the marker payment_sandbox gives {name} twice", pytrace=False)
            found.setdefault(name, (at, value))
    return {name: value for name, (_, value) in found.items() if value is not None}


def _refuse_unknown(marker: str, said: Mapping[str, Any], known: frozenset[str]) -> None:
    if unknown := sorted(set(said) - known):
        text = f"the marker {marker} accepts {', '.join(sorted(known))}, but not {', '.join(unknown)}"
        pytest.fail(text, pytrace=False)


def parametrize(metafunc: pytest.Metafunc, marks: Iterable[pytest.Mark]) -> None:
    """Runs a test once for each outcome that its markers name."""
    nodeid = metafunc.definition.nodeid
    if "payment_sandbox" not in metafunc.fixturenames:
        pytest.fail(f"{nodeid}: payment_outcomes needs the fixture payment_sandbox", pytrace=False)
    if "payment_outcome" not in metafunc.fixturenames:
        needs = "needs payment_sandbox of the plugin: let the fixture that replaces it request it and payment_outcome"
        pytest.fail(f"{nodeid}: payment_outcomes {needs}", pytrace=False)
    found: list[PaymentOutcome] = []
    for mark in marks:
        _refuse_unknown("payment_outcomes", mark.kwargs, _RUNS)
        found += plainly(partial(outcomes, mark.args, **mark.kwargs), f"{nodeid}: ")
    metafunc.parametrize("payment_outcome", found, indirect=True, ids=[one.name for one in found])


def seed_of(config: pytest.Config, settings: Mapping[str, Any]) -> str:
    """The seed of this run: the option's, the server's, or the same in every run (ours); `random` draws one."""
    said = str(config.getoption("--payment-sandbox-seed") or settings.get("seed", "tests"))
    return Randomness(None, "").token("seed", 0, 12) if said == "random" else said
