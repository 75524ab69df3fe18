"""What one world's deliveries are doing right now: who is at work, and what is on its way."""

from __future__ import annotations

from threading import Lock
from typing import Final

from mock_server.webhooks.sending import Sending

WIDTH: Final = 4
"""So many attempts of one world wait for their receivers at one moment (ours)."""
STAGGER_S: Final = 0.1
"""How long a slow receiver holds up its world's next event (ours): up to then each waits for the one before."""


class Lane:
    """One world's workers. Its lock is held for a look and for taking on, never while something is on the wire."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.sendings: dict[int, Sending] = {}
        self._workers = 0
        self._newest_s = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is going on."""
        return not self._workers and not self.sendings

    def wait_s(self, now_s: float) -> float:
        """How long until one more worker may begin: 0, a moment, or for ever (some worker has to end first)."""
        if self._workers >= WIDTH:
            return float("inf")
        return max(0.0, self._newest_s + STAGGER_S - now_s) if self._workers else 0.0

    def begin(self, now_s: float) -> bool:
        """Books one more worker, if one may begin."""
        with self.lock:
            if self.wait_s(now_s) > 0:
                return False
            self._workers += 1
            self._newest_s = now_s
        return True

    def end(self) -> None:
        """A worker has gone."""
        with self.lock:
            self._workers -= 1

    def put(self, sending: Sending) -> None:
        """Something is on its way; with the lock held."""
        self.sendings[id(sending)] = sending
        self._newest_s = sending.began_s

    def drop(self, sending: Sending) -> None:
        """It is in the books."""
        with self.lock:
            self.sendings.pop(id(sending), None)

    def on_its_way(self) -> list[Sending]:
        """Everything that is."""
        with self.lock:
            return list(self.sendings.values())

    def of_event(self, event_id: str) -> Sending | None:
        """What is on its way of an event."""
        return next((sending for sending in self.on_its_way() if sending.job.event.event_id == event_id), None)
