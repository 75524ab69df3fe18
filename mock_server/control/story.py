"""What happened to a payment, in order: its calls and pages, what was done by hand, what was told, what fell due.

Every step that could change it says how it stood after that, so that following the steps alone leads to where it
stands. Calls have an order of their own, and so have events; a call knows which events it told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mock_server.control.triggered import BY_HAND
from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import PAYMENTS
from mock_server.http.journal import standing
from mock_server.store.protocol import Entry
from mock_server.store.records import decode

Step = dict[str, Any]
STANDING: Final = ("status", "amount", "amount_capturable", "amount_received", "attempt_count")
LINE: Final = ("operation", "method", "path", "status", "cause", "request_id")


def told(payment: Payment, lines: Sequence[Entry], events: Sequence[Event]) -> list[Step]:
    """The steps of a payment, the first one its making."""
    head = {"at": payment.created_at, "kind": "created", "amount": payment.amount, "currency": payment.currency}
    steps = [head, *_merged([entry.value for entry in lines], list(events))]
    for mark in sorted(_marks(payment), key=lambda step: int(step["at"])):
        steps.insert(_place(steps, mark), mark)
    return [{**step, "at": iso(step["at"])} for step in steps]


def _merged(lines: Sequence[dict[str, Any]], events: list[Event]) -> Iterator[Step]:
    """Calls in their order, each before the events that it told; what fell due in between by its instant."""
    by_calls = {number for line in lines for number in line.get("events") or ()}
    due = [event for event in events if event.number not in by_calls]
    by_number = {event.number: event for event in events}
    for line in lines:
        numbers = line.get("events") or ()
        while due and _is_before(due[0], line["at"], numbers):
            yield _event(due.pop(0))
        yield _line(line)
        yield from (_event(by_number[number]) for number in numbers if number in by_number)
    yield from map(_event, due)


def _is_before(event: Event, at: int, numbers: Sequence[int]) -> bool:
    """Whether something fell due before a call: a call applies what is due at its own instant first."""
    return event.number < numbers[0] if numbers else event.created_at <= at


def _line(line: dict[str, Any]) -> Step:
    operation = line["operation"]
    kind = "by_hand" if operation.startswith(BY_HAND) else "page" if operation.startswith("page.") else "call"
    because = [note["text"] for note in line["notes"]]
    return {
        "at": line["at"],
        "kind": kind,
        **{name: line[name] for name in LINE},
        "because": because,
        "payment": _shown(line.get("left")),
    }


def _event(event: Event) -> Step:
    about = EVENTS[event.type].about
    left = standing(decode(PAYMENTS, event.object)) if about is EventClass.PAYMENTS else None
    return {
        "at": event.created_at,
        "kind": "event",
        "event_type": event.type,
        "event_id": event.event_id,
        "is_delivered": event.delivered,
        "payment": _shown(left),
    }


def _shown(left: Sequence[object] | None) -> dict[str, object] | None:
    return None if left is None else dict(zip(STANDING, left, strict=True))


def _marks(payment: Payment) -> Iterator[Step]:
    """The beginnings of later attempts, and every capture."""
    for one in payment.attempts[1:]:
        yield {"at": one.created_at, "kind": "attempt", "number": one.number}
    for capture in payment.captures:
        mark = {"kind": "capture", "number": capture.sequence, "amount": capture.amount, "status": capture.status}
        yield {"at": capture.created_at, **mark}


def _place(steps: Sequence[Step], mark: Step) -> int:
    """Where a mark stands: after the calls of its instant, before the events of it that follow the last of them."""
    last = max((at for at, step in enumerate(steps) if step["kind"] != "event" and step["at"] <= mark["at"]), default=0)
    return last + 1
