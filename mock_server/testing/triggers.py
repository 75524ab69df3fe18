"""The actions of a test as the customer, the bank or the clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from mock_server.testing.control import TIMEOUT_S, ControlClient, ControlRefused
from mock_server.testing.records import ClockAdvanced, Event, Wire, event, ident, instant

Payment = str | Mapping[str, Any]
CONFLICT: Final = 409
ASK_AGAIN_S: Final = 0.02
"""How long an advance waits before it asks again whether another one has ended (ours; real time)."""


class Triggers:
    """Each call takes an id or the whole object, and returns the changed object."""

    def __init__(self, control: ControlClient) -> None:
        self._control = control

    def authenticate(self, payment: Payment, result: str = "approved") -> Wire:
        """Ends a challenge or a customer's page: approved, declined, cancelled, expired, unavailable, abandoned."""
        return self._payment(payment, "authenticate", result=result)

    def settle(
        self, payment: Payment, as_: str = "succeeded", *, amount: int | None = None, decline: str | None = None
    ) -> Wire:
        """Settles a pending payment as succeeded, failed or pending; `amount` is the received amount of a transfer."""
        return self._payment(payment, "settle", **{"as": as_, "amount": amount, "decline": decline})

    def fail(self, payment: Payment, decline: str = "generic_decline") -> Wire:
        """Fails an open payment with a decline."""
        return self._payment(payment, "fail", decline=decline)

    def expire(self, payment: Payment, what: str = "customer") -> Wire:
        """Expires the `session`, the `customer`'s time or the `authorization`."""
        return self._payment(payment, "expire", what=what)

    def hold(self, payment: Payment) -> Wire:
        """Puts an open payment under review."""
        return self._payment(payment, "hold")

    def dispute(
        self, payment: Payment, *, reason: str | None = None, stage: str | None = None, amount: int | None = None
    ) -> Wire:
        """Disputes a payment as the customer's bank; returns the dispute."""
        return self._payment(payment, "dispute", reason=reason, stage=stage, amount=amount)

    def settle_refund(self, refund: Payment, as_: str = "succeeded", *, decline: str | None = None) -> Wire:
        """Settles a refund."""
        return self._post(f"/refunds/{ident(refund, 'refund_id')}/settle", {"as": as_, "decline": decline})

    def advance_dispute(self, dispute: Payment, to: str) -> Wire:
        """Ends a dispute, or moves it to a later stage."""
        return self._post(f"/disputes/{ident(dispute, 'dispute_id')}/advance", {"to": to})

    def webhook(self, type: str, object_id: str, *, overrides: Wire | None = None) -> Event:
        """Sends an event of an object, with some of its values changed."""
        told = {"type": type, "object_id": object_id, "overrides": overrides}
        return event(self._post("/webhooks/trigger", told))

    def _payment(self, payment: Payment, call: str, **body: Any) -> Wire:
        return self._post(f"/payments/{ident(payment)}/{call}", body)

    def _post(self, path: str, body: Wire) -> Wire:
        found: Wire = self._control.post(path, body)
        return found


class WorkspaceClock:
    """Reads and changes the clock of one workspace."""

    def __init__(self, control: ControlClient, monotonic: Callable[[], float]) -> None:
        self._control = control
        self._monotonic = monotonic

    @property
    def now(self) -> datetime:
        """The time of the clock."""
        return instant(self.state()["now"])

    def state(self) -> Wire:
        """The clock as the control API returns it: `now`, `frozen`, `next_due`."""
        found: Wire = self._control.get("/clock")
        return found

    def freeze(self, at: datetime | str | None = None) -> datetime:
        """Freezes the clock, now or at an instant."""
        return instant(self._control.post("/clock/freeze", {"at": _iso(at)})["now"])

    def resume(self) -> datetime:
        """Lets the clock run again."""
        return instant(self._control.post("/clock/resume")["now"])

    def advance(
        self,
        /,
        by: str | timedelta | None = None,
        *,
        to: datetime | str | None = None,
        deliver: bool = True,
        **unit: float,
    ) -> ClockAdvanced:
        """Advances the clock: `hours=24` and timedelta's other keywords, `by="24h"`, or `to` an instant.

        Scheduled events on the way happen in order, with their webhooks; `deliver=False` leaves the webhooks scheduled.
        Advances of several threads and processes happen one after another. One that a receiver makes while it handles
        an event waits for nobody: the running advance sends the webhooks that became due, and the result is `joined`.
        """
        if sum((by is not None, to is not None, bool(unit))) != 1:
            raise TypeError('advance() takes one of: timedelta\'s keywords (hours=24), by="24h", to=an instant')
        length = timedelta(**unit) if unit else by
        asked = {"by": _duration(length), "to": _iso(to), "deliver": deliver, "join": True}
        until = self._monotonic() + TIMEOUT_S
        while True:
            try:
                done = self._control.post("/clock/advance", asked)
            except ControlRefused as refused:
                if refused.status != CONFLICT or self._monotonic() >= until:
                    raise
                threading.Event().wait(ASK_AGAIN_S)
            else:
                return ClockAdvanced(instant(done["now"]), tuple(done["fired"]), done["joined"])


def _duration(length: str | timedelta | None) -> str | None:
    return f"{round(length / timedelta(milliseconds=1))}ms" if isinstance(length, timedelta) else length


def _iso(at: datetime | str | None) -> str | None:
    if not isinstance(at, datetime):
        return at
    if at.tzinfo is None:
        raise ValueError("an instant needs its time zone: datetime(…, tzinfo=UTC)")
    return at.isoformat()
