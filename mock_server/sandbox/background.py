"""What falls due while nobody calls: looked after by a thread, which sleeps until then (decisions "Clock")."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Event, Lock, Thread
from typing import Final
from weakref import ref

from mock_server.clock import Clock
from mock_server.sandbox.workspace import Workspace
from mock_server.store.protocol import NEVER

LONGEST_S: Final = 60.0
"""How long it sleeps at most: the machine's clock may be set meanwhile (ours)."""
LEAVE_S: Final = 1.0
_LOG: Final = logging.getLogger("mock_server.background")

Attend = Callable[[Workspace, int], int]
"""Looks after a workspace at a real instant (ms), and gives the one at which there is something to do next."""


def states(workspace: Workspace, real_now: int) -> int:
    """Looks after a workspace's own changes, and after nothing else."""
    return workspace.attend(real_now)


class Background:
    """The due work of all workspaces, in one thread between `start` and `stop`."""

    def __init__(
        self,
        workspaces: Callable[[], Iterable[Workspace]],
        clock: Clock,
        attend: Attend = states,
        wake_due: Callable[[int], int] = lambda real_now: NEVER,
    ) -> None:
        """`wake_due` brings in by a real instant what is not among the workspaces, and gives the next one."""
        self._workspaces = workspaces
        self._wake_due = wake_due
        self._clock = clock
        self._attend = attend
        self._agenda: dict[int, tuple[ref[Workspace], int]] = {}
        """When to look at which workspace again, by its identity; those that wait for nothing are not in it.

        It keeps no workspace: what was to be done in one that is reset meanwhile may lie weeks ahead.
        """
        self._woken = Event()
        self._lock = Lock()
        self._called: set[Workspace] = set()
        self._all_called = True
        self._stopping = False
        self._thread: Thread | None = None

    def run_once(self, now: int) -> int:
        """Looks after every workspace at a real instant (ms); gives the one of what falls due next, or `NEVER`."""
        self._agenda = {}
        return self._look_at(self._workspaces(), now)

    def start(self) -> None:
        """Begins to look after the workspaces; once is enough."""
        if self._thread is None:
            self._stopping = False
            self._thread = Thread(target=self._run, name="sandbox-background", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ends the thread; what it has in hand it brings to its end."""
        self._stopping = True
        self._woken.set()
        if self._thread is not None:
            self._thread.join(LEAVE_S)
            self._thread = None

    def wake(self, workspace: Workspace | None = None) -> None:
        """Something falls due sooner than was known: in this workspace, or in any."""
        if self._thread is None:
            return
        with self._lock:
            if workspace is None:
                self._all_called = True
            else:
                self._called.add(workspace)
        self._woken.set()

    def _run(self) -> None:
        while True:
            # Cleared first: whoever wakes it from here on cuts the next pause short.
            self._woken.clear()
            if self._stopping:
                return
            now = self._clock.now_ms()
            following = self._round(now)
            if not self._woken.wait(_pause_s(following - now)) and following - now > LONGEST_S * 1000:
                self.wake()

    def _round(self, now: int) -> int:
        """Looks after those that called, and those whose instant has come."""
        with self._lock:
            called, self._called = self._called, set()
            everybody, self._all_called = self._all_called, False
        if everybody:
            return self.run_once(now)
        return self._look_at(called.union(self._come(now)), now)

    def _come(self, now: int) -> list[Workspace]:
        """Takes the workspaces whose instant has come off the agenda."""
        places = [place for place, (_, at) in self._agenda.items() if at <= now]
        return [workspace for place in places if (workspace := self._agenda.pop(place)[0]()) is not None]

    def _look_at(self, workspaces: Iterable[Workspace], now: int) -> int:
        for workspace in workspaces:
            following = NEVER if workspace.space.closed else self._attended(workspace, now)
            if following == NEVER:
                self._agenda.pop(id(workspace), None)
            else:
                self._agenda[id(workspace)] = ref(workspace), following
        return min([self._wake_due(now), *(at for _, at in self._agenda.values())])

    def _attended(self, workspace: Workspace, now: int) -> int:
        """A workspace's next instant, once what was due is done; a defect is no other workspace's trouble."""
        try:
            return self._attend(workspace, now)
        except Exception:
            _LOG.exception("scheduled events of a workspace failed")
            return NEVER


def _pause_s(left_ms: int) -> float:
    return min(max(left_ms / 1000, 0.0), LONGEST_S)
