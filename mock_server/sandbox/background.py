"""Applies scheduled events while there are no calls, in a thread that sleeps until the next one (decisions "Clock")."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Event, Lock, Thread
from typing import Final
from weakref import ref

from msgspec import Struct, field

from mock_server.clock import Clock
from mock_server.domain.errors import Refusal
from mock_server.sandbox.workspace import Workspace
from mock_server.store.protocol import NEVER

LONGEST_S: Final = 60.0  # the longest sleep, because the machine's clock may be changed meanwhile (ours)
LEAVE_S: Final = 1.0


class Background(Struct, eq=False):
    """The scheduled events of all workspaces, in one thread between `start` and `stop`."""

    _workspaces: Callable[[], Iterable[Workspace]]
    _clock: Clock
    _attend: Callable[[Workspace, int], int] = Workspace.attend
    """Applies what is due in a workspace at a real time (ms), and gives the next such time."""
    _wake_due: Callable[[int], int] = lambda real_now: NEVER
    """Loads workspaces that are due at a real time and not in memory, and gives the next such time."""
    _agenda: dict[int, tuple[ref[Workspace], int]] = field(default_factory=dict)
    """The next time of each workspace with scheduled events, by identity: after a reset it may be weeks ahead."""
    _woken: Event = field(default_factory=Event)
    _lock: Lock = field(default_factory=Lock)
    _called: set[Workspace | None] = field(default_factory=lambda: {None})
    """The workspaces that called `wake`; with None, all have to be looked at."""
    _stopping: bool = False
    _thread: Thread | None = None

    def run_once(self, now: int) -> int:
        """Applies what is due in every workspace at a real time (ms); gives the time of the next event, or `NEVER`."""
        self._agenda = {}
        return self._look_at(self._workspaces(), now)

    def start(self) -> None:
        if self._thread is None:
            self._stopping = False
            self._thread = Thread(target=self._run, name="sandbox-background", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ends the thread after its current work."""
        self._stopping = True
        self._woken.set()
        if self._thread is not None:
            self._thread.join(LEAVE_S)
            with self._lock:
                self._thread, self._called = None, {None}

    def wake(self, workspace: Workspace | None = None) -> None:
        """Notes that something is due earlier than expected: in this workspace, or in any."""
        with self._lock:
            if self._thread is not None:
                self._called.add(workspace)
                self._woken.set()

    def _run(self) -> None:
        while True:
            # Cleared first, so that every later `wake` shortens the next pause.
            self._woken.clear()
            if self._stopping:
                return
            now = self._clock.now_ms()
            left_s = (self._round(now) - now) / 1000
            if not self._woken.wait(min(max(left_s, 0.0), LONGEST_S)) and left_s > LONGEST_S:
                self.wake()

    def _round(self, now: int) -> int:
        """Handles the workspaces that called `wake`, and those that are due."""
        with self._lock:
            called, self._called = self._called, set()
        if None in called:
            return self.run_once(now)
        places = [identity for identity, (_, at) in self._agenda.items() if at <= now]
        due = [self._agenda.pop(identity)[0]() for identity in places]
        return self._look_at([workspace for workspace in called.union(due) if workspace is not None], now)

    def _look_at(self, workspaces: Iterable[Workspace], now: int) -> int:
        for workspace in workspaces:
            following = NEVER if workspace.space.closed else self._attended(workspace, now)
            if following == NEVER:
                self._agenda.pop(id(workspace), None)
            else:
                self._agenda[id(workspace)] = ref(workspace), following
        return min([self._wake_due(now), *(at for _, at in self._agenda.values())])

    def _attended(self, workspace: Workspace, now: int) -> int:
        """Applies what is due, and gives the workspace's next time; an error does not affect other workspaces."""
        try:
            return self._attend(workspace, now)
        except Exception as error:
            if not isinstance(error, Refusal):  # the workspace was lost, or nothing can be saved: that is logged once
                logging.getLogger("mock_server.background").exception("scheduled events of a workspace failed")
            return NEVER
