"""One payment's story: what happened to it in order, and why it stands where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mock_server.control.binding import Control
from mock_server.control.reading import because_shown, lines_of
from mock_server.domain.events import Event
from mock_server.domain.instants import iso
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import EVENTS
from mock_server.engine.payments import access
from mock_server.http.context import Answer, Call
from mock_server.http.show import show
from mock_server.sandbox.world import JOURNAL, World
from mock_server.shapes.answers import failure
from mock_server.store.protocol import Due, Entry, Transaction

views = Control()
Step = tuple[int, int, dict[str, Any]]
"""An instant (ms), what comes first of several at one instant, and what is told."""
_ALL_EVENTS = 1_000


@views.view("control.timeline")
def timeline(call: Call, payment_id: str) -> Answer:
    found = _story(call.home, payment_id)
    steps = sorted((*_attempts(found.payment), *_lines(found.lines), *_events(found.events)), key=lambda step: step[:2])
    items = [{"at": iso(at), **told} for at, _, told in steps]
    return show({"payment_id": payment_id, "status": found.payment.status, "data": items, "total_count": len(items)})


@views.view("control.why")
def why(call: Call, payment_id: str) -> Answer:
    found = _story(call.home, payment_id)
    decisions = [decision for entry in found.lines for decision in _decisions(entry)]
    return show(
        {
            "payment_id": payment_id,
            "status": found.payment.status,
            "failure": _failure(found.payment),
            "waits_for": _waiting(found.payment),
            "due": [{"at": iso(due.at), "what": due.what} for due in found.due],
            "decisions": decisions,
        }
    )


class _Story:
    """What is kept about one payment."""

    def __init__(self, tx: Transaction, payment_id: str, lines: list[Entry]) -> None:
        self.payment: Payment = access.find(tx, payment_id)
        self.lines = lines
        query = Query(filters={"payment_id": (payment_id,)}, limit=_ALL_EVENTS, ascending=True)
        self.events: tuple[Event, ...] = tx.find(EVENTS, query).items
        self.due: list[Due] = [due for due in tx.all_due() if due.subject == payment_id]


def _story(world: World, payment_id: str) -> _Story:
    lines = [entry for entry in lines_of(world.space, JOURNAL) if entry.value["payment_id"] == payment_id]
    return world.space.transact(lambda tx: _Story(tx, payment_id, lines))


def _lines(lines: list[Entry]) -> Iterator[Step]:
    """Calls and pages come before what they made happen at the same instant."""
    for entry in lines:
        line = entry.value
        kind = "page" if line["operation"].startswith("page.") else "call"
        told = {name: line[name] for name in ("operation", "method", "path", "status", "cause", "request_id")}
        yield line["at"], 1, {"kind": kind, **told, "because": [note["text"] for note in line["notes"]]}


def _attempts(payment: Payment) -> Iterator[Step]:
    yield payment.created_at, 0, {"kind": "created", "amount": payment.amount, "currency": payment.currency}
    for one in payment.attempts[1:]:
        yield one.created_at, 2, {"kind": "attempt", "number": one.number}
    for capture in payment.captures:
        told = {"kind": "capture", "number": capture.sequence, "amount": capture.amount, "status": capture.status}
        yield capture.created_at, 2, told


def _events(events: tuple[Event, ...]) -> Iterator[Step]:
    for event in events:
        told = {"kind": "event", "event_type": event.type, "event_id": event.event_id, "is_delivered": event.delivered}
        yield event.created_at, 3, told


def _decisions(entry: Entry) -> Iterator[dict[str, Any]]:
    line = entry.value
    for note in line["notes"]:
        told = {"at": iso(line["at"]), "operation": line["operation"], "request_id": line["request_id"]}
        yield {**told, **because_shown(note)}


def _failure(payment: Payment) -> dict[str, Any] | None:
    if payment.failure is None:
        return None
    return {
        "decline": payment.failure.decline,
        "error_code": failure.code(payment.failure),
        "error_message": failure.message(payment.failure),
    }


def _waiting(payment: Payment) -> dict[str, Any] | None:
    """What an open payment waits for, and how that will end if it is fixed."""
    waiting = payment.waiting
    if waiting is None:
        return None
    outcome, settles = waiting.outcome, waiting.outcome.settles
    return {
        "kind": waiting.kind,
        "ends": outcome.challenge or (settles.word if settles else None),
        "after_polls": waiting.polls,
        "then": outcome.then.word if outcome.then else None,
    }
