"""What happened to a payment, in order: calls, customer pages, calls of the control API, events, deliveries, the clock.

Every row that could change the payment contains its state after it. Calls are in the order of the journal, and events
in the order of their numbers; a journal entry has the numbers of the events that the call caused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import Final, TypedDict

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import without_keys
from mock_server.domain.events import DeliveryAttempt, Event, EventClass
from mock_server.domain.hiding import cleaned
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import CaptureStatus
from mock_server.engine.kinds import PAYMENTS
from mock_server.http.journal import standing
from mock_server.jsontext import read_or
from mock_server.sandbox.kept_answers import has_error, text
from mock_server.store.protocol import LogEntry
from mock_server.store.records import decode
from mock_server.story.payment_history import BY_HAND, CLOCK, MOST_EVENTS, PaymentHistory, creates
from mock_server.story.words import RowFields, RowKind, TimelineRow, title

STANDING: Final = ("status", "amount", "amount_capturable", "amount_received", "attempt_count")
LINE: Final = ("operation", "method", "path", "status", "cause", "request_id", "line")
_OWN_ORDER: Final = frozenset({RowKind.EVENT, RowKind.WEBHOOK})


def rows_of(kept: PaymentHistory) -> tuple[TimelineRow, ...]:
    """The rows of a payment, from its creation."""
    payment = kept.payment
    in_order = sorted([*kept.lines, *kept.moves], key=lambda entry: entry.sequence)
    read = sorted(map(_read, in_order), key=lambda call: int(call["at"]))
    made = (left_as_fields(entry.value["left"]) for entry in kept.lines if creates(entry))
    unchanged = {"amount": payment.amount if kept.version == 1 else None}  # as a scenario gave it
    about = {"amount": next(filter(None, made), unchanged)["amount"], "currency": payment.currency}
    head = TimelineRow(payment.created_at, RowKind.CREATED, about)
    rows = [head, *_merged(read, list(kept.events), payment.currency)]
    for at, mark in sorted(_placed(rows, payment), key=lambda one: one[0])[::-1]:
        rows.insert(at, mark)
    _insert_attempts(rows, kept)
    if (since := kept.calls_since) is not None:
        at = next((place for place, row in enumerate(rows) if row.at >= since), len(rows))
        rows.insert(at, TimelineRow(since, RowKind.GAP, {"text": "Calls before this are no longer in the journal"}))
    if len(kept.events) == MOST_EVENTS:
        rows.append(TimelineRow(rows[-1].at, RowKind.GAP, {"text": f"No more than {MOST_EVENTS:,} events are shown"}))
    return tuple(rows)


def _read(entry: LogEntry) -> RowFields:
    """A line of the journal; an answer that is stored as a payment is only written as text if it tells of an error."""
    call = {**entry.value, "line": entry.sequence}
    return {**call, "response": text(entry.beside, INTERFACE)} if entry.beside and has_error(entry) else call


def _merged(calls: Sequence[RowFields], events: list[Event], currency: str) -> Iterator[TimelineRow]:
    """Calls in their order, each before the events that it caused; scheduled events by their time."""
    by_calls = {number for call in calls for number in call.get("events") or ()}
    due = [event for event in events if event.number not in by_calls]
    by_number = {event.number: event for event in events}
    firsts = accumulate((min(call.get("events") or [inf]) for call in calls[::-1]), min)
    for call, caused_next in zip(calls, [*firsts][::-1], strict=True):
        numbers = call.get("events") or ()
        # A call first applies what is due at its own time, which may also have fallen due after a later call.
        while due and due[0].number < caused_next and (numbers or due[0].created_at <= call["at"]):
            yield _event(due.pop(0))
        yield _clock(call) if call["operation"].startswith(CLOCK) else _line(call, currency)
        yield from (_event(by_number[number]) for number in numbers if number in by_number)
    yield from map(_event, due)


def _line(call: RowFields, currency: str) -> TimelineRow:
    operation = call["operation"]
    by_hand = operation.startswith(BY_HAND)
    kind = RowKind.BY_HAND if by_hand else RowKind.PAGE if operation.startswith("page.") else RowKind.CALL
    fields = {
        **{name: call[name] for name in LINE},
        "because": [note["text"] for note in call["notes"]],
        "decisions": [{name: note[name] for name in ("by", "text", "rule", "near_misses")} for note in call["notes"]],
        "asked": read_or(None, call["request"]) if by_hand else None,
        **({"currency": currency} if by_hand else {}),
        "said": None if kind is RowKind.PAGE else _said(call),
        "replayed": call["replayed"],
        "fault": call["fault"],
        "payment": left_as_fields(call.get("left")),
    }
    return TimelineRow(call["at"], kind, fields)


def done_by_hand(entry: LogEntry, currency: str) -> Iterator[dict[str, object]]:
    """What a call of the control API did, as a reason."""
    if entry.value["operation"].startswith(BY_HAND) and not entry.value["cause"]:
        text = title(_line(_read(entry), currency))
        yield {"by": "hand", "text": text, "rule": None, "inputs": {}, "near_misses": ()}


def _said(call: RowFields) -> str | None:
    """The error in the answer: the refusal, or why the payment failed."""
    answer = read_or(None, call["response"], _Answer) or {}
    error = answer.get("error")
    if isinstance(error, dict):
        return f"{error.get('code')}: {error.get('message')}"
    said = f"{answer['error_code']}: {answer.get('error_message')}" if answer.get("error_code") else None
    return said and cleaned(without_keys(said))


class _Answer(TypedDict, total=False):
    """What is read of an answer; most are long."""

    error: object
    error_code: object
    error_message: object


def _clock(call: RowFields) -> TimelineRow:
    to = (read_or(None, call["response"]) or {}).get("now")
    return TimelineRow(call["at"], RowKind.CLOCK, {"operation": call["operation"], "from": iso(call["at"]), "to": to})


def _event(event: Event) -> TimelineRow:
    left = standing(decode(PAYMENTS, event.object)) if event.type.about is EventClass.PAYMENTS else None
    fields = {"event_type": event.type, "event_id": event.event_id, "is_delivered": event.delivered, "fate": event.fate}
    told = {"because": list(event.because), "payment": left_as_fields(left)}
    return TimelineRow(event.created_at, RowKind.EVENT, {**fields, **told})


def _attempt(event: Event, attempt: DeliveryAttempt) -> TimelineRow:
    because = [attempt.because] if attempt.because else []
    told = {name: getattr(attempt, name) for name in ("attempt_id", "number", "copy", "url", "status", "error")}
    about = {"event_type": event.type, "event_id": event.event_id, "attempt": attempt.kind, "because": because}
    return TimelineRow(attempt.made_at, RowKind.WEBHOOK, {**about, **told})


def left_as_fields(left: Sequence[object] | None) -> dict[str, object] | None:
    """The status and the amounts of a payment by name; `left` is as the journal keeps them."""
    return None if left is None else dict(zip(STANDING, left, strict=True))


def _marks(payment: Payment) -> Iterator[tuple[TimelineRow, str, int]]:
    """The later attempts, and every capture; each with a sum of the payment, and what that is at least from then on."""
    for one in payment.attempts[1:]:
        yield TimelineRow(one.created_at, RowKind.ATTEMPT, {"number": one.number}), "attempt_count", one.number
    charged = 0
    for capture in payment.captures:
        least = charged + capture.amount
        charged = least if capture.status is CaptureStatus.CHARGED else charged
        mark = {"number": capture.sequence, "amount": capture.amount, "currency": payment.currency}
        row = TimelineRow(capture.created_at, RowKind.CAPTURE, {**mark, "status": capture.status})
        yield row, "amount_received", least


_SUMS: Final = ("attempt_count", "amount_received")


def _placed(rows: Sequence[TimelineRow], payment: Payment) -> Iterator[tuple[int, TimelineRow]]:
    """The marks with their places: after the first call of their time that left so much, or else after all of it."""
    latest, calls = _latest(rows), defaultdict[tuple[float, str], list[tuple[int, int]]](list)
    for place, row in enumerate(rows, 1):
        for name in _SUMS if row.is_call else ():
            left = (row.fields["payment"] or {}).get(name) or 0
            of_its_time = calls[row.at, name]  # each with the most that was left until then, to be searched for
            of_its_time.append((max(left, of_its_time[-1][0] if of_its_time else 0), place))
    for mark, name, least in _marks(payment):
        of_its_time = calls[mark.at, name]
        at = bisect_left(of_its_time, (least, 0))
        yield of_its_time[at][1] if at < len(of_its_time) else max(1, bisect_right(latest, mark.at)), mark


def _latest(rows: Sequence[TimelineRow]) -> list[float]:
    """For each row the earliest time of a mark after it: a mark follows the calls of its time, and precedes events."""
    times = (inf if row.kind in _OWN_ORDER else row.at + (row.kind is RowKind.CLOCK) for row in rows)
    return [*accumulate([*times][::-1], min)][::-1]


def _insert_attempts(rows: list[TimelineRow], kept: PaymentHistory) -> None:
    """Inserts each attempt after its event and earlier attempts, and after all that happened before it."""
    for event in kept.events:
        attempts = kept.attempts.get(event.event_id, ())
        at = [row.fields.get("event_id") for row in rows].index(event.event_id) + 1 if attempts else 0
        for attempt in attempts:  # in their order: none stands before the last one
            while at < len(rows) and rows[at].at < attempt.made_at:
                at += 1
            rows.insert(at, _attempt(event, attempt))
            at += 1
