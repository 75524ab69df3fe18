"""A workspace's clock in the hands of a test."""

from __future__ import annotations

from datetime import datetime, timedelta

from mock_server.testing.control import Control
from mock_server.testing.records import Advanced, Wire, instant


class WorkspaceClock:
    """Reads and leads the clock of one workspace; other workspaces keep theirs."""

    def __init__(self, control: Control) -> None:
        self._control = control

    @property
    def now(self) -> datetime:
        """What the clock shows."""
        return instant(self.state()["now"])

    def state(self) -> Wire:
        """The clock as the control API tells it: `now`, `frozen`, `next_due`."""
        found: Wire = self._control.get("/clock")
        return found

    def freeze(self, at: datetime | str | None = None) -> datetime:
        """Stops the clock, now or at an instant; it stands until it is advanced or resumed."""
        return instant(self._control.post("/clock/freeze", {"at": _iso(at)})["now"])

    def resume(self) -> datetime:
        """Lets the clock go on from where it stands."""
        return instant(self._control.post("/clock/resume")["now"])

    def advance(
        self,
        /,
        by: str | timedelta | None = None,
        *,
        to: datetime | str | None = None,
        deliver: bool = True,
        **unit: float,
    ) -> Advanced:
        """Leads the clock on: `hours=24` and timedelta's other keywords, `by="24h"`, or `to` an instant.

        What falls due on the way happens in order, webhooks included; `deliver=False` leaves those due.
        """
        if sum((by is not None, to is not None, bool(unit))) != 1:
            raise TypeError('advance() takes one of: timedelta\'s keywords (hours=24), by="24h", to=an instant')
        length = timedelta(**unit) if unit else by
        done = self._control.post("/clock/advance", {"by": _duration(length), "to": _iso(to), "deliver": deliver})
        return Advanced(instant(done["now"]), tuple(done["fired"]))


def _duration(length: str | timedelta | None) -> str | None:
    return f"{round(length / timedelta(milliseconds=1))}ms" if isinstance(length, timedelta) else length


def _iso(at: datetime | str | None) -> str | None:
    if not isinstance(at, datetime):
        return at
    if at.tzinfo is None:
        raise ValueError("an instant needs its time zone: datetime(…, tzinfo=UTC)")
    return at.isoformat()
