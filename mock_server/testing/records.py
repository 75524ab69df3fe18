"""The control API's objects as typed values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mock_server.scenario.story.settling import is_on_its_way

__tracebackhide__ = True
Wire = dict[str, Any]


def ident(thing: object, *names: str) -> str:
    """An id, or that of an object as the API returned it, or of an answer with it; by default of a payment."""
    if isinstance(thing, str) and thing:
        return thing
    body = thing if isinstance(thing, Mapping) else getattr(thing, "json", dict)()
    names = names or ("payment_id",)
    found = next((body[name] for name in names if body.get(name) and isinstance(body[name], str)), None)
    if found is None:
        what, it_has = (type(thing).__name__, f"; it has {sorted(body)}") if body else (repr(thing), "")
        raise TypeError(f"this {what} has no {names[0]}{it_has}")
    return str(found)


@dataclass(frozen=True, slots=True)
class Card:
    """A test card: its number, and what it does."""

    number: str
    name: str
    brand: str
    type: str
    effect: str

    def as_data(self, **more: Any) -> dict[str, str]:
        """The card for `payment_method_data.card`."""
        typed = {"card_number": self.number, "card_exp_month": "12", "card_exp_year": "2099"}
        return {**typed, "card_cvc": "1234" if self.brand == "AmericanExpress" else "123", **more}


@dataclass(frozen=True, slots=True)
class Event:
    """An event; `payload` is exactly what its receiver gets, and `body` the same as JSON."""

    number: int
    event_id: str
    type: str
    created: datetime
    payment_id: str | None
    object_id: str
    profile_id: str | None
    is_delivered: bool | None
    why: str | None
    payload: str
    body: Wire
    headers: tuple[tuple[str, str], ...]
    deliveries: tuple[Wire, ...]
    because: tuple[str, ...]
    raw: Wire

    @property
    def object(self) -> Wire:
        """The payment, refund, dispute or mandate in the event."""
        found: Wire = self.body["content"]["object"]
        return found

    @property
    def is_on_its_way(self) -> bool:
        """Whether its first delivery attempt is still to come."""
        return is_on_its_way(self.raw)


def event(told: Wire) -> Event:
    """An event of the inbox."""
    values = {
        **told,
        "type": told["event_type"],
        "created": datetime.fromisoformat(told["created"]),
        "headers": tuple((name, value) for name, value in told["headers"]),
        "deliveries": tuple(told["deliveries"]),
        "because": tuple(map(str, told["because"])),
        "raw": told,
    }
    return Event(**{name: values[name] for name in Event.__slots__})


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A call of the journal, redacted; `because` are the reasons of decisions."""

    number: int
    at: datetime
    operation: str
    method: str
    path: str
    status: int
    payment_id: str | None
    replayed: bool
    has_idempotency_key: bool
    fault: str | None
    request: Any
    response: Any
    because: tuple[str, ...]
    raw: Wire


def logged_call(told: Wire) -> LoggedCall:
    """A line of the journal."""
    at, because = datetime.fromisoformat(told["at"]), tuple(note["text"] for note in told["because"])
    values = {**told, "at": at, "has_idempotency_key": told["idempotent"], "because": because, "raw": told}
    return LoggedCall(**{name: values[name] for name in LoggedCall.__slots__})


@dataclass(frozen=True, slots=True)
class ClockAdvanced:
    """The time of a clock that was advanced, and the scheduled events that happened, in order.

    `joined`: another advance waits for this receiver; it sends the webhooks that became due after the answer.
    """

    now: datetime
    fired: tuple[Wire, ...]
    joined: bool = False


class Why(dict[str, Any]):
    """Why a payment has its status; as text one line per reason."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self['payment_id']} is {self['status']}: {self['headline']}"
        if self["calls_since"]:
            yield f"  calls before {self['calls_since']} are no longer in the journal"
        for one in self["decisions"]:
            yield f"  {one['operation']}: {one['text']}"
            yield from (f"    not {near['rule']}: {near['failed']}" for near in one["near_misses"])
        if self["failure"]:
            yield f"  reason: {self['failure']['decline']}"
        if self["waits_for"]:
            yield f"  waiting for: {self['waits_for']['kind']}"
        yield from (f"  due {due['at']}: {due['what']} of {due['subject']}" for due in self["due"])
