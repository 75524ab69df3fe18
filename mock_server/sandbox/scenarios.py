"""Scenarios in use: finding, activating and checking a workspace's; watching the server's own for changes."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from mock_server.clock import Slices
from mock_server.domain.errors import Cause, ObjectKind, Refusal, unknown
from mock_server.domain.paging import Query
from mock_server.engine import given as giving
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, PAYMENTS, REFUNDS
from mock_server.once import once
from mock_server.sandbox.workspace import FOR_GIVEN, Workspace
from mock_server.scenario.deciding import activation
from mock_server.scenario.deciding.activation import BY_CONTROL, Activation
from mock_server.scenario.loading import uploaded
from mock_server.scenario.loading.saving import NotSaved, save
from mock_server.scenario.model.mistakes import Mistake, ScenarioErrors, nearest
from mock_server.settings import Settings
from mock_server.store.byte_bounds import weight_of
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

if TYPE_CHECKING:
    from mock_server.scenario.expectations import ExpectationResult
    from mock_server.scenario.given.generated_payments import Seed
    from mock_server.scenario.loading.library import Change, Library
    from mock_server.scenario.model.scenario import Scenario

BATCH = 100
"""Number of given records per transaction: other calls of the workspace are served in between."""
KINDS: dict[str, RecordKind[Any]] = {f"{kind.name}s": kind for kind in (PAYMENTS, REFUNDS, DISPUTES, CUSTOMERS)}
Progress = Callable[[int, int], None]
"""Called with the number of created records, and the total."""
SORT: Final = "scenarios"
"""The kind of data for the byte limit."""
GIVEN: Final = "scenarios.given."
"""The fact that a workspace has a scenario's given records, by its name: the text's digest."""
LOOK_AGAIN_S: Final = 1.0
"""How often the directory is checked (ours)."""
LEAVE_S: Final = 1.0
GIVING: Final = "scenarios.giving."
"""The fact while a scenario's records are created: for which time, how many so far, True (for older versions)."""
GIVEN_DUE: Final = "scenarios.given_due"
"""The fact of a new workspace with the names of the scenarios whose given records are still to be created."""
_LOG: Final = logging.getLogger("mock_server.scenarios")


def find(workspace: Workspace, name: str) -> Scenario:
    """A scenario that the workspace can use: its own, else the server's. Refused as `object_unknown`."""
    found = uploaded.finder(workspace.space, workspace.host.library)(name)
    if found is None:
        names = uploaded.within_reach(workspace.space.transact(uploaded.names), workspace.host.library)
        raise unknown(ObjectKind.SCENARIO, name, ("name", f"is not the name of a scenario{nearest(name, names)}"))
    return found


def within_room(tx: Transaction, fact: str, what: str, change: Callable[..., object], *given: object) -> None:
    """Changes a fact whose size counts as scenarios do. Refused as `no_room`."""
    before = tx.fact(fact)
    change(tx, *given)
    if tx.room(SORT) + weight_of(before) < weight_of(tx.fact(fact)):
        raise Refusal(Cause.NO_ROOM, what=what, setting="scenarios_bytes or scenarios_bytes_total")


def turn_on(workspace: Workspace, name: str, progress: Progress | None = None) -> Activation:
    """Activates a scenario and creates its given records, in batches in the order of their time."""
    own, scenario = workspace.space.fact(uploaded.TEXTS + name), find(workspace, name)

    def activated(tx: Transaction) -> Activation | None:
        is_found = tx.fact(uploaded.TEXTS + name) == own
        return activation.activate(tx, name, workspace.now(), BY_CONTROL) if is_found else None

    if (turned := workspace.space.transact(activated)) is None:  # another text has taken its place, or none
        return turn_on(workspace, name, progress)
    give(workspace, scenario, progress)
    return turned


def give(workspace: Workspace, scenario: Scenario, progress: Progress | None = None) -> None:
    """Creates a scenario's given records, once per workspace; whoever comes meanwhile helps until all are there."""
    begin = partial(_begin, workspace, scenario)
    if scenario.given is None or (begun := workspace.space.transact(begin, apart=True)) is None:
        return
    from mock_server.scenario.given.plan import plan, total

    begun_at, seen, _ = begun
    records = islice(plan(scenario.given, workspace.randomness, begun_at), seen, None)
    while batch := list(islice(records, BATCH)):
        seen += len(batch)
        workspace.work(begun_at, FOR_GIVEN, None, _give, scenario, batch, seen)
        if progress is not None:
            progress(seen, total(scenario.given))
    workspace.work(begun_at, FOR_GIVEN, None, _give, scenario, [], seen)


def _begin(workspace: Workspace, scenario: Scenario, tx: Transaction) -> Any:
    """Where to continue creating these records; None if the workspace has them."""
    if tx.fact(GIVEN + scenario.name) != scenario.digest:
        tx.set_fact(GIVEN + scenario.name, scenario.digest)
        tx.set_fact(GIVING + scenario.name, [workspace.now(), 0, True])
    return tx.fact(GIVING + scenario.name)


def due_again(tx: Transaction) -> None:
    """Continues creating records after the process ended in between."""
    if cut_off := [name.removeprefix(GIVING) for name in tx.facts(GIVING)]:
        tx.set_fact(GIVEN_DUE, list(dict.fromkeys([*(tx.fact(GIVEN_DUE) or ()), *cut_off])))


def _give(tx: Transaction, context: CommandContext, scenario: Scenario, batch: list[Seed], seen: int) -> None:
    if tx.fact(GIVEN + scenario.name) == scenario.digest:  # else another text has taken its place
        begun = tx.fact(GIVING + scenario.name)
        if begun is None or (batch and begun[1] >= seen):
            return  # another call has created them
        tx.set_fact(GIVING + scenario.name, [begun[0], seen, True] if batch else None)
    giving.give(tx, context, batch)


def check(workspace: Workspace, name: str) -> tuple[ExpectationResult, ...]:
    """Runs the assertions of an active scenario now. Refused as `object_unknown`."""
    from mock_server.scenario.expectations import check as check_all

    scenario, space = find(workspace, name), workspace.space

    def look(tx: Transaction) -> tuple[Activation, Mapping[str, int]]:
        active = next((row for row in activation.activations(tx) if row.name == name), None)
        if active is None:
            raise Refusal(Cause.SCENARIO_NOT_ACTIVE, name=name)
        return active, tx.counters(f"scenario/{name}/")

    active, counters = space.transact(look)

    def records(kind: str) -> Iterator[object]:  # without the lock, and in slices: there may be many
        breathe = Slices()
        for record in space.scan(KINDS[kind], Query(ascending=True)):
            breathe()
            yield record

    return check_all(scenario, active, partial(Counter.__getitem__, Counter(counters)), records)


class ServerScenarios:
    """The server's own scenarios: its library, and those that are active in every new workspace.

    `on_given` gets the progress of a workspace's given records; `writable` is the directory to which
    scenarios may be saved, by its name at the start of the server.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._giving = Lock()
        self._looking = Lock()
        directory = settings.scenarios if settings.scenarios_writable else None
        self.writable = Path(directory).resolve() if directory else None
        self._stopped = Event()
        self._thread: Thread | None = None
        self.on_given: Callable[[int, int], None] | None = None

    @once
    def library(self) -> Library:
        """The server's scenarios. Raises ScenarioErrors with every mistake in their files."""
        from mock_server.scenario.loading.library import Library

        directory = self._settings.scenarios
        return Library(Path(directory) if directory else None, self._settings.scenarios_inline)

    def mistakes(self) -> list[str]:
        """What is wrong with the server's own scenarios, if its settings name any."""
        settings = self._settings
        if not (settings.scenarios or settings.scenario or settings.scenarios_inline):
            return []
        try:
            names = self.library.names()  # also without names: what is wrong with it is said by this
        except ScenarioErrors as broken:
            return str(broken).splitlines()
        missing = [name for name in settings.scenario if self.library.find(name) is None]
        return [f"there is no scenario {name}{nearest(name, names) or '; --scenarios adds yours'}" for name in missing]

    @property
    def stale(self) -> tuple[Mistake, ...]:
        """Why the present version of a file is not used; does not load a library that is not used yet."""
        return self.library.stale if "library" in self.__dict__ else ()

    def warn(self, name: str | None = None) -> None:
        """Logs what is surely not intended in the directory's valid scenarios, or in one of them."""
        for one in self.library.own:
            for warning in one.warnings if name in (None, one.scenario.name) else ():
                _LOG.warning("%s", warning)

    # in a new workspace

    def begin(self, tx: Transaction, now: int) -> None:
        """Activates the initial scenarios in a new workspace; `complete` creates their given records."""
        found = [one for name in self._settings.scenario if (one := self.library.find(name))]
        for scenario in found:
            activation.activate(tx, scenario.name, now, activation.BY_SERVER)
        tx.set_fact(GIVEN_DUE, [scenario.name for scenario in found if scenario.given] or None)

    def complete(self, workspace: Workspace) -> None:
        """Creates a new workspace's given records; other calls wait for the first one, and other new workspaces."""
        with self._giving:
            try:
                for found in filter(None, map(workspace.deciding.find, workspace.space.fact(GIVEN_DUE) or ())):
                    give(workspace, found, self.on_given)
            finally:  # also where they are too many: only the first call is refused
                workspace.space.transact(lambda tx: tx.set_fact(GIVEN_DUE, None), apart=True)

    # files

    def save(self, name: str, text: str, seen: str) -> str:
        """Saves a scenario to its file, for all workspaces, and gives the file's name.

        `seen` is the digest of the text before the edit. Raises ScenarioErrors, NotSaved.
        """
        if self.writable is None:
            raise NotSaved("this server was not started with --scenarios-writable")
        uploaded.read(None, self.library, name, text)
        own = str(Path(self._settings.scenarios or "") / f"{name}.yaml")
        for entry in self.library.entries():
            if entry.name == name and entry.origin == "directory" and entry.file != own:
                raise NotSaved(f"the scenario {name} is in {entry.file}: change it there")
        saved = save(self.writable, name, text, seen, self._settings.scenarios_bytes_total)
        self.run_once()
        return saved

    def start(self) -> None:
        """Watches the directory of scenarios, if there is one, until `stop`."""
        if self._settings.scenarios and self._thread is None:
            self._stopped.clear()
            self._thread = Thread(target=self._run, name="sandbox-scenarios", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ends the watching."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(LEAVE_S)
            self._thread = None

    def _run(self) -> None:
        while not self._stopped.wait(LOOK_AGAIN_S):
            self.run_once()

    def run_once(self) -> list[Change]:
        """Checks the directory once, loads changes and logs them."""
        try:
            with self._looking:
                changes = self.library.refresh()
        except Exception:
            _LOG.exception("the scenario directory could not be read")
            return []
        for change in changes:
            if change.problem is None:
                _LOG.info("scenario %s %s (%s)", change.name, change.what, change.file)
                self.warn(change.name)
                continue
            _LOG.warning("scenario %s %s:", change.name, change.problem)
            for mistake in change.mistakes:
                _LOG.warning("  %s", mistake)
        return changes
