"""The control API over HTTP, and the actions of a test as the customer, the bank or the clock."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import quote, urlencode

from mock_server.addresses import sentence_for
from mock_server.clock import SystemClock
from mock_server.connections import Http
from mock_server.testing.records import ClockAdvanced, Event, Wire, event, ident

__tracebackhide__ = True
Query = Mapping[str, Any]
CLOCK: Final = SystemClock()
TIMEOUT_S: Final = 60.0
"""How long an answer can take, in real time (ours): advancing the clock can wait for many deliveries."""


class SandboxUnreachable(ConnectionError):
    """No server answers at the sandbox's address."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer; the names in `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def status_code(self) -> int:
        """The status, by its name in requests and httpx."""
        return self.status

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body parsed as JSON."""
        return json.loads(self.body)

    def __getitem__(self, name: str) -> Any:
        found = self.json()
        if (error := self.error) and name not in found:
            raise KeyError(f"{name}: the answer is {self.status} {error.get('code')}: {error.get('message')}")
        return found[name]

    @property
    def error(self) -> dict[str, Any]:
        """The error object; empty if the answer is not an error."""
        found = self.json()
        inside = found.get("error") if isinstance(found, dict) else None
        return inside if isinstance(inside, dict) else {}


class ControlRefused(Exception):
    """The sandbox refused a control call; `fields` are the wrong fields, with messages."""

    def __init__(self, called: str, answer: Answer) -> None:
        self.status = answer.status
        try:
            error = answer.error
        except (ValueError, RecursionError):  # another server than a sandbox
            error = {}
        self.code: str | None = error.get("code")
        self.fields: list[dict[str, str]] = error.get("fields") or []
        self.reason: str = error.get("message") or answer.text[:200] or "an answer without a body"
        lines = [f"{called} failed with {self.status}: {self.reason}"]
        lines += [f"  {one['field']}: {one['message']}" for one in self.fields if one["message"] not in self.reason]
        super().__init__("\n".join(lines))


class ControlClient:
    """Control calls with one key, or without, by their paths after `/_sandbox`: `control.get("/clock")`."""

    def __init__(self, http: Http, key: str | None, token: str | None, label: str | None = None) -> None:
        self._http = http
        self._headers = {
            **({"api-key": key} if key else {}),
            **({"X-Sandbox-Token": token} if token else {}),
            **({"X-Sandbox-Label": label.encode().decode("latin-1")} if label else {}),
        }

    def get(self, path: str, query: Query | None = None, *, wait_s: float = 0) -> Wire:
        """Reads; parameters that are None are left out. `wait_s` is how long the server can wait with its answer."""
        given = ((name, value) for name, value in (query or {}).items() if value is not None)
        found = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given}
        if wait_s > 0:
            found["wait"] = f"{max(1, round(wait_s * 1000))}ms"
        asked = f"?{urlencode(found)}" if found else ""
        return self._call("GET", path + asked, None, timeout_s=TIMEOUT_S + wait_s)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Wire:
        """Does something; keys that are None are left out."""
        return self._call("POST", path, _json(body or {}))

    def put(self, path: str, body: Mapping[str, Any] | str | None = None, *, kind: str = "application/json") -> Wire:
        """Stores something; text is sent as it is."""
        return self._call("PUT", path, body.encode() if isinstance(body, str) else _json(body or {}), kind)

    def delete(self, path: str) -> Wire:
        """Deletes something."""
        return self._call("DELETE", path, None)

    def _call(
        self, method: str, path: str, body: bytes | None, kind: str = "application/json", timeout_s: float = TIMEOUT_S
    ) -> Wire:
        if "//" in f"{path.partition('?')[0]}/":
            raise ValueError(f"{method} /_sandbox{path}: a name or an id is empty, or there is a slash too many")
        headers = {**self._headers, "Content-Type": kind} if body is not None else self._headers
        try:
            called = self._http.call(method, f"/_sandbox{quote(path, safe='/?=&%+')}", body, headers, timeout_s)
        except (OSError, HTTPException) as problem:
            said = f"cannot reach a payment sandbox at {self._http.base}: {sentence_for(problem, timeout_s)}"
            raise SandboxUnreachable(said) from problem
        answer = Answer(*called)
        if answer.status != 200:
            raise ControlRefused(f"{method} /_sandbox{path}", answer)
        found: Wire = answer.json()
        return found


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps({name: value for name, value in body.items() if value is not None}).encode()


def check_numbers(*, least: int = 1, **given: object) -> None:
    """TypeError for `times` that is no count, or for another number that is none of seconds."""
    for name, value in given.items():
        kinds, low = ((int,), least) if name == "times" else ((int, float), 0)
        if type(value) not in kinds or not low <= value < math.inf:  # type: ignore[operator]  # it is a number
            what = "a whole number" if name == "times" else "a number of seconds"
            raise TypeError(f"{name} must be {what} of at least {low}, not {value!r}")


Payment = str | Mapping[str, Any] | Answer


def check_absence(control: ControlClient, log: str, dropped: int, payment: Payment | None) -> None:
    """Raises where nothing can be said of what is not there: older lines are lost, or an ID is not a payment's here."""
    from mock_server.domain.ids import ID_KINDS

    if dropped > 0:
        said = f"older lines of the {log} were dropped or not read ({dropped}), so what was not there is unknown"
        raise AssertionError(
            f"{said}: raise the setting `{log}`, `{log}_bytes` or `{log}_bytes_total`, or ask for less"
        )
    made = "|".join(kind.prefix for kind in ID_KINDS)
    if payment is not None and re.fullmatch(rf"(?:{made})[A-Za-z0-9]{{20}}", about := ident(payment)):
        control.get(f"/payments/{about}/why")


OBJECTS: Final = ("refund_id", "dispute_id", "mandate_id", "payment_id")
"""What events are about; a payment last, as the others have its id too."""
CONFLICT: Final = 409
ASK_AGAIN_S: Final = 0.02
"""How long an advance waits before it asks again whether another one has ended (ours; real time)."""
UNITS: Final = {"weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds"}


class Triggers:
    """Each call takes an id, the whole object or the answer with it, and returns the changed object."""

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
        """Fails a payment that is pending or waits for the customer, with a decline."""
        return self._payment(payment, "fail", decline=decline)

    def expire(self, payment: Payment, what: str = "customer") -> Wire:
        """Expires the `session`, the `customer`'s time or the `authorization`."""
        return self._payment(payment, "expire", what=what)

    def hold(self, payment: Payment) -> Wire:
        """Puts a payment under review that is pending, or waits for the customer or for its capture."""
        return self._payment(payment, "hold")

    def dispute(
        self, payment: Payment, *, reason: str | None = None, stage: str | None = None, amount: int | None = None
    ) -> Wire:
        """Disputes a payment as the customer's bank; returns the dispute."""
        return self._payment(payment, "dispute", reason=reason, stage=stage, amount=amount)

    def settle_refund(self, refund: Payment, as_: str = "succeeded", *, decline: str | None = None) -> Wire:
        """Settles a refund."""
        return self._control.post(f"/refunds/{ident(refund, 'refund_id')}/settle", {"as": as_, "decline": decline})

    def advance_dispute(self, dispute: Payment, to: str) -> Wire:
        """Ends a dispute, or moves it to a later stage."""
        return self._control.post(f"/disputes/{ident(dispute, 'dispute_id')}/advance", {"to": to})

    def webhook(self, type: str, object_id: Payment, *, overrides: Wire | None = None) -> Event:
        """Sends an event of an object, with some of its values changed. A name that is not in it is refused."""
        told = {"type": type, "object_id": ident(object_id, *OBJECTS), "overrides": overrides}
        return event(self._control.post("/webhooks/trigger", told))

    def _payment(self, payment: Payment, call: str, **body: Any) -> Wire:
        return self._control.post(f"/payments/{ident(payment)}/{call}", body)


HANDLING: Final[ContextVar[bool]] = ContextVar("handling", default=False)
"""Whether the code that runs handles an event; who waits for deliveries there waits for his own answer."""


class WorkspaceClock:
    """Reads and changes the clock of one workspace."""

    def __init__(self, control: ControlClient) -> None:
        self._control = control

    @property
    def now(self) -> datetime:
        """The time of the clock."""
        return datetime.fromisoformat(self.state()["now"])

    def state(self) -> Wire:
        """The clock as the control API returns it: `now`, `frozen`, `next_due`."""
        return self._control.get("/clock")

    def freeze(self, at: datetime | str | None = None) -> datetime:
        """Freezes the clock, now or at an instant."""
        return datetime.fromisoformat(self._control.post("/clock/freeze", {"at": _iso(at)})["now"])

    def resume(self) -> datetime:
        """Lets the clock run again."""
        return datetime.fromisoformat(self._control.post("/clock/resume")["now"])

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

        Scheduled events on the way happen in order, with their webhooks; with `deliver=False` these are
        sent after the answer.
        Advances of several threads and processes happen one after another. One that a receiver makes while it handles
        an event waits for nobody: the running advance (then the result is `joined`) or the server sends what is due.
        """
        is_bare = type(by) is str and by.isascii() and by[-1:].isdigit()
        is_bare = is_bare or not isinstance(by, str | timedelta | None)
        if sum((by is not None, to is not None, bool(unit))) != 1 or is_bare or unit.keys() - UNITS:
            raise TypeError('advance() takes one of: timedelta\'s keywords (hours=24), by="24h", to=an instant')
        by = timedelta(**unit) if unit else by
        if isinstance(by, timedelta):
            if by < timedelta():
                raise ValueError(f"the clock cannot go back, as advance() by {by} would; reset() makes a new workspace")
            by = f"{-(-by // timedelta(milliseconds=1))}ms"  # at least one, if it is some time at all
        asked = {"by": by, "to": _iso(to), "deliver": deliver and not HANDLING.get(), "join": True}
        until = CLOCK.monotonic() + TIMEOUT_S
        while True:
            try:
                done = self._control.post("/clock/advance", asked)
                return ClockAdvanced(datetime.fromisoformat(done["now"]), tuple(done["fired"]), done["joined"])
            except ControlRefused as refused:
                if refused.status != CONFLICT or CLOCK.monotonic() >= until:
                    raise
                threading.Event().wait(ASK_AGAIN_S)


def _iso(at: datetime | str | None) -> str | None:
    if at is None or isinstance(at, str):
        return at
    if getattr(at, "tzinfo", None) is None:  # a date has none
        raise ValueError(f"an instant needs its time zone: datetime(…, tzinfo=UTC), not {at!r}")
    return at.isoformat()
