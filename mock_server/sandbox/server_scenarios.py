"""The server's own scenarios: its library, watched while it serves, and what stands in every new workspace from the
start.

A loop around a testable `run_once`, like everything that runs by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from mock_server.once import once
from mock_server.sandbox import scenarios
from mock_server.scenario.deciding import activation
from mock_server.settings import Settings
from mock_server.store.protocol import Transaction

if TYPE_CHECKING:
    from mock_server.sandbox.workspace import Workspace
    from mock_server.scenario.loading.library import Change, Library
    from mock_server.scenario.model.mistakes import Mistake

LOOK_AGAIN_S: Final = 1.0
"""How often the directory is looked at (ours)."""
LEAVE_S: Final = 1.0
GIVEN_DUE: Final = "scenarios.given_due"
"""The fact of a new workspace that holds the names of the scenarios whose given records it still has to get."""
_LOG: Final = logging.getLogger("mock_server.scenarios")


class ServerScenarios:
    """A server's scenarios; `on_given` is told how far the making of a workspace's given records has come."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._giving = Lock()
        self._stopped = Event()
        self._thread: Thread | None = None
        self.on_given: Callable[[int, int], None] | None = None

    @once
    def library(self) -> Library:
        """The server's scenarios. Raises ScenarioErrors with every mistake in their files."""
        from mock_server.scenario.loading.library import Library

        directory = self._settings.scenarios
        return Library(Path(directory) if directory else None, self._settings.scenarios_inline)

    def unknown(self) -> tuple[str, ...]:
        """The scenarios that shall be on from the start, and that there are not. Raises ScenarioErrors."""
        library = self.library
        return tuple(name for name in self._settings.scenario if library.find(name) is None)

    @property
    def stale(self) -> tuple[Mistake, ...]:
        """Why files are not used as they are now; a library that nobody has needed yet is not read for that."""
        return self.library.stale if "library" in self.__dict__ else ()

    # in a new workspace

    def begin(self, tx: Transaction, now: int) -> None:
        """Turns on, in a new workspace, what shall be on from the start; what that gives is made by `complete`."""
        names = [name for name in self._settings.scenario if self.library.find(name)]
        for name in names:
            activation.activate(tx, name, now, activation.BY_SERVER)
        due = [name for name in names if (found := self.library.find(name)) and found.given]
        tx.set_fact(GIVEN_DUE, due or None)

    def complete(self, workspace: Workspace) -> Workspace:
        """The workspace with what is given there: whoever comes first makes it, and the others wait."""
        if workspace.space.fact(GIVEN_DUE):
            with self._giving:
                for name in workspace.space.fact(GIVEN_DUE) or ():
                    scenarios.give(workspace, scenarios.find(workspace, name), self.on_given)
                workspace.space.transact(lambda tx: tx.set_fact(GIVEN_DUE, None))
        return workspace

    # reload

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
        """Looks at the directory once, takes over what changed and says so in the log."""
        try:
            changes = self.library.refresh()
        except Exception:
            _LOG.exception("the directory of scenarios could not be looked at")
            return []
        for change in changes:
            _say(change)
        return changes


def _say(change: Change) -> None:
    if change.what != "broken":
        _LOG.info("scenario %s %s (%s)", change.name, change.what, change.file)
        return
    _LOG.warning("scenario %s is broken, and its last good version stays in use:", change.name)
    for mistake in change.mistakes:
        _LOG.warning("  %s", mistake)
