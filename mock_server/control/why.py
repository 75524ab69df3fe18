"""One payment's story: what happened to it in order, and why it stands where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mock_server.contract.answers import failure
from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.journal import because_shown
from mock_server.control.requests.commands import LookAtTimeline
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.http.context import Answer, Call
from mock_server.http.show import show
from mock_server.store.protocol import Entry
from mock_server.story import as_json, as_mermaid, as_svg, as_text
from mock_server.story.payment_history import PaymentHistory, history_of
from mock_server.story.standing import standing_kept
from mock_server.story.timeline import rows_of

views = Control()
TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
PICTURE: Final = (
    ("Content-Type", "image/svg+xml"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
)
"""What it holds is drawn and coloured, and nothing in it runs."""


@views.view("control.timeline", query=requests.TIMELINE)
def timeline(call: Call, command: LookAtTimeline, payment_id: str) -> Answer:
    kept = history_of(call.home.space, payment_id)
    rows, stands = rows_of(kept), standing_kept(kept, call.now)
    match command.format:
        case "text":
            return Answer(200, as_text(rows, command.colour, stands).encode(), (TEXT,))
        case "mermaid":
            return Answer(200, as_mermaid(rows).encode(), (TEXT,))
        case "svg":
            return Answer(200, as_svg(rows).encode(), PICTURE)
        case _:
            head = {"payment_id": kept.payment.payment_id, "status": kept.payment.status, "headline": stands.headline}
            return show({**head, "data": as_json(rows), "total_count": len(rows)})


@views.view("control.why")
def why(call: Call, payment_id: str) -> Answer:
    return show(why_of(history_of(call.home.space, payment_id), call.now))


def why_of(found: PaymentHistory, now: int) -> dict[str, Any]:
    """Why a payment stands where it stands: its decisions with the rules that did not match, what it waits for, what
    is due.
    """
    stands = standing_kept(found, now)
    return {
        "payment_id": found.payment.payment_id,
        "status": found.payment.status,
        "headline": stands.headline,
        "tone": stands.tone,
        "failure": _failure(found.payment),
        "waits_for": _waiting(found.payment),
        "due": [{"at": iso(due.at), "what": due.what} for due in found.due],
        "decisions": [decision for entry in found.lines for decision in _decisions(entry)],
    }


def _decisions(entry: Entry) -> Iterator[dict[str, Any]]:
    line = entry.value
    for note in line["notes"]:
        head = {"at": iso(line["at"]), "operation": line["operation"], "request_id": line["request_id"]}
        yield {**head, **because_shown(note)}


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
