"""A replica's lease: while it is valid, no other replica can own the workspaces of this one.

Only the database decides whether it has expired. For this process it ends earlier, by its own clock: it counts from
when the last renewal was sent, not from when that arrived.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from mock_server.clock import Clock
from mock_server.lasting.batches import DataLost
from mock_server.lasting.postgres import PostgresRows
from mock_server.store.protocol import StateRefused

LEASE_S: Final = 3.0
LOOK_S: Final = 0.05
"""How often it is checked whether all replicas have reached an epoch."""
SKEW_MS: Final = 1_000
"""A larger difference of the clocks is logged: a workspace's time jumps when its owner changes."""
SKEWED: Final = "the clocks of this machine and of %s differ by %.1f s: workspaces that change owner jump in time"
_BURY: Final = "DELETE FROM replicas WHERE (url = %s OR start = %s) AND lease_until <= clock_timestamp()"
_ENTER: Final = (
    "INSERT INTO replicas (url, lease_until, epoch) "
    "SELECT %s, clock_timestamp() + make_interval(secs => %s), epoch FROM payment_sandbox "
    "ON CONFLICT (url) DO NOTHING RETURNING start, epoch"
)
_HOLDER: Final = (
    "SELECT lease_until::text, extract(epoch FROM lease_until - clock_timestamp())::float "
    "FROM replicas WHERE url = %s AND lease_until > clock_timestamp()"
)
_RENEW: Final = (
    "UPDATE replicas AS r SET lease_until = clock_timestamp() + make_interval(secs => %s), epoch = %s "
    "FROM payment_sandbox AS p WHERE r.start = %s AND r.lease_until > clock_timestamp() "
    "RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint, p.epoch"
)
_BEHIND: Final = "SELECT count(*) FROM replicas WHERE epoch < %s AND lease_until > clock_timestamp()"
_LEAVE: Final = "DELETE FROM replicas WHERE start = %s"
_LOG: Final = logging.getLogger("mock_server.lasting")


class Lease:
    """The lease of one process, which other replicas reach at `url`; None if they cannot."""

    def __init__(self, database: PostgresRows, url: str | None, clock: Clock, seconds: float = LEASE_S) -> None:
        self.url = url
        self.owned = 0
        """The number of workspaces that it covers."""
        self.start = 0
        """The start that owns them: a new number after each expired lease."""
        self.since = 0.0
        """The monotonic time at which this start began."""
        self.on_over: Callable[[], object] = lambda: None
        """Called when this replica owns nothing any more: the lease expired, or all workspaces were reset."""
        self._path, self._ask = database.path, database.leasing.all
        self._clock = clock
        self._seconds = seconds
        self._until = 0.0
        self._epoch = 0
        """The number of resets of all workspaces that are known here; no data from before them is shown."""
        self._is_skewed = False
        self._said: str | None = None
        self._stop, self._look = Event(), Event()
        self._thread = Thread(target=self._run, name="sandbox-lease", daemon=True)

    @property
    def left_s(self) -> float:
        """The remaining time, 0 if it has expired."""
        return max(0.0, self._until - self._clock.monotonic())

    @property
    def trouble(self) -> str | None:
        """Why nothing may be shown or saved; None while the lease is valid."""
        if self._until > self._clock.monotonic():
            return None
        return self._said or f"this replica has had no answer from {self._path} for {self._seconds:g} s"

    def begin(self) -> None:
        """Takes the first lease, after the end of one with the same address. Raises StateRefused, DataLost."""
        seen: str | None = None
        while not self._enter():
            for until, left_s in self._ask(_HOLDER, self.url):
                if seen not in (None, until):
                    raise StateRefused(self._taken)
                seen = until  # the process has ended if this is not renewed
                _LOG.info("waiting %.1f s until the lease of the previous replica at %s expires", left_s, self.url)
                self._stop.wait(left_s)
        self._thread.start()

    def stop_renewing(self) -> None:
        """Lets it expire."""
        self._stop.set()
        self._look.set()
        if self._thread.is_alive():
            self._thread.join()

    def end(self) -> None:
        """Ends it at once: other replicas can take over the workspaces."""
        self.stop_renewing()
        self._until = 0.0
        try:
            self._ask(_LEAVE, self.start)
        except DataLost as lost:
            _LOG.warning("%s: others wait until the lease expires", lost)

    def await_all(self, epoch: int) -> None:
        """Waits until no running replica shows data of an earlier epoch. Raises DataLost."""
        self._look.set()
        while self._ask(_BEHIND, epoch) != [(0,)]:
            self._stop.wait(LOOK_S)

    def _enter(self) -> bool:
        """Takes a lease, unless a replica with the same address has a valid one."""
        began = self._clock.monotonic()
        self._ask(_BURY, self.url, self.start)
        found = self._ask(_ENTER, self.url, self._seconds)
        if found:
            ((self.start, self._epoch),) = found
            self.since, self._until = self._clock.monotonic(), began + self._seconds
        return bool(found)

    def _run(self) -> None:
        while True:
            self._look.wait(self._seconds / 3 if self._said is None else self._seconds / 12)
            self._look.clear()
            if self._stop.is_set():
                return
            try:
                self._said = None if self._renew() or self._again() else self._taken
            except DataLost as lost:
                if self._said is None:
                    _LOG.warning("%s: the lease cannot be renewed", lost)
                self._said = str(lost)
            except Exception:
                _LOG.exception("the lease could not be renewed because of an internal error")

    def _renew(self) -> bool:
        """Renews the lease, unless it has expired. If all workspaces were reset meanwhile, none is owned any more."""
        while True:
            began = self._clock.monotonic()
            found = self._ask(_RENEW, self._seconds, self._epoch, self.start)
            if not found:
                return False
            self._until = began + self._seconds
            ((now, epoch),) = found
            skew_ms = abs(now - self._clock.now_ms())
            was_skewed, self._is_skewed = self._is_skewed, skew_ms > SKEW_MS
            if self._is_skewed and not was_skewed:
                _LOG.warning(SKEWED, self._path, skew_ms / 1000)
            if epoch == self._epoch:
                return True
            self.on_over()
            self._epoch = epoch

    def _again(self) -> bool:
        """Takes a new lease after an expired one; gives false if another replica has this address."""
        _LOG.warning("the lease of this replica expired: its workspaces are read again")
        self._until = 0.0
        self.on_over()
        return self._enter()

    @property
    def _taken(self) -> str:
        return f"another replica already uses the address {self.url}: give each replica its own address (--advertise)"
