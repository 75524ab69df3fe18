"""One payment's story: what happened to it in order, and why it stands where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mock_server.control import story
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
_ALL_EVENTS = 1_000


@views.view("control.timeline")
def timeline(call: Call, payment_id: str) -> Answer:
    found = story_of(call.home, payment_id)
    items = story.told(found.payment, found.lines, found.events)
    return show({"payment_id": payment_id, "status": found.payment.status, "data": items, "total_count": len(items)})


@views.view("control.why")
def why(call: Call, payment_id: str) -> Answer:
    found = story_of(call.home, payment_id)
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


class Story:
    """What is kept about one payment."""

    def __init__(self, tx: Transaction, payment_id: str, lines: list[Entry]) -> None:
        self.payment: Payment = access.find(tx, payment_id)
        self.lines = lines
        query = Query(filters={"payment_id": (payment_id,)}, limit=_ALL_EVENTS, ascending=True)
        self.events: tuple[Event, ...] = tx.find(EVENTS, query).items
        self.due: list[Due] = [due for due in tx.all_due() if due.subject == payment_id]


def story_of(world: World, payment_id: str) -> Story:
    lines = [entry for entry in lines_of(world.space, JOURNAL) if entry.value["payment_id"] == payment_id]
    return world.space.transact(lambda tx: Story(tx, payment_id, lines))


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
