"""A payment as it was after each of its changes, from the copies that exist, and the changes without one.

Its events have copies of it with its refunds and disputes; a journal entry has one if its answer showed the payment
alone. Refunds and disputes are in their own events, and the journal says the status and the amounts that a call left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from mock_server.domain.dispute import Dispute
from mock_server.domain.events import Event, EventClass
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.engine import related
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.related import Related
from mock_server.http.journal import standing
from mock_server.store.protocol import RecordKind
from mock_server.store.records import SEALED, decode, stamp
from mock_server.story.payment_history import PaymentHistory
from mock_server.story.timeline import left_as_fields
from mock_server.story.words import RowKind, TimelineRow


class PaymentChange(NamedTuple):
    """One change: the row that tells of it, and the payment after it.

    Without a copy, `own` is the refund or dispute that changed, or the row's own state is what the call left; without
    a row too, `missing` changes are known only by their number.
    """

    row: TimelineRow | None
    copy: Callable[[], tuple[Payment, Related]] | None = None
    """Reads the payment and what its answer shows: of a long life, few copies are looked at."""
    own: Refund | Dispute | None = None
    missing: int = 0

    @property
    def payment(self) -> Payment | None:
        return self.copy()[0] if self.copy else None

    @property
    def left(self) -> dict[str, Any] | None:
        """The payment's status and amounts after the change, as far as they are known."""
        known: dict[str, Any] | None = self.row and self.row.fields.get("payment")
        return known or (left_as_fields(standing(self.payment)) if self.payment else None)


class _Copy(NamedTuple):
    version: int
    position: int
    is_of_event: bool
    change: PaymentChange


def changes_of(kept: PaymentHistory, rows: Sequence[TimelineRow]) -> list[PaymentChange]:
    """Every change of a payment in order; the last one is its present state."""
    events = {event.event_id: event for event in kept.events}
    found: list[PaymentChange] = []
    version, position, left = 0, -1, None
    now = _Copy(kept.version, len(rows), False, PaymentChange(None, lambda: (kept.payment, kept.inside)))
    for copy in (*_copies(kept, rows, events), now):
        missing = max(0, copy.version - version - 1)
        after = copy.change.left
        between = list(_between(rows[position + 1 : copy.position], events, [left, after] if missing else []))
        found += between
        if missing > len(between):
            found.append(PaymentChange(None, missing=missing - len(between)))
        if copy.version > version or between:
            found.append(copy.change)
        version, position, left = copy.version, max(position, copy.position), after
    return found


def _copies(kept: PaymentHistory, rows: Sequence[TimelineRow], events: Mapping[str, Event]) -> list[_Copy]:
    """The first copy of each version, if possible of an event; one that was in a snapshot follows the one before."""
    beside = {entry.sequence: entry.beside for entry in kept.lines}
    found: dict[int, _Copy] = {}
    last = 0
    for position, row in enumerate(rows):
        event = _event(row, events)
        if event is not None and event.type.about is EventClass.PAYMENTS:
            sealed, inside = event.object, event.related
        elif answer := beside.get(row.fields.get("line", 0)):
            sealed, inside = answer, ()
        else:
            continue
        change = PaymentChange(row, partial(_opened, sealed, inside))
        if sealed.startswith(SEALED):
            last = stamp(sealed)[0]
        elif last not in found or found[last].change.payment != change.payment:
            last += 1
        if last not in found or (event is not None and not found[last].is_of_event):
            found[last] = _Copy(last, position, event is not None, change)
    return [found[version] for version in sorted(found)]


def _between(rows: Sequence[TimelineRow], events: Mapping[str, Event], known: list[object]) -> Iterator[PaymentChange]:
    """What is known between two copies: the refunds and disputes, and what calls left that is not yet `known`."""
    for row in rows:
        event = _event(row, events)
        if event is not None and (kind := _OWN.get(event.type.about)) is not None:
            yield PaymentChange(row, own=decode(kind, event.object))
        left = row.fields["payment"] if row.is_call else None
        if left and known and left not in known:
            known.append(left)
            yield PaymentChange(row)


def _opened(sealed: bytes, inside: tuple[bytes, ...]) -> tuple[Payment, Related]:
    return decode(PAYMENTS, sealed), related.decoded(inside)


_OWN: Final[Mapping[EventClass, RecordKind[Any]]] = {EventClass.REFUNDS: REFUNDS, EventClass.DISPUTES: DISPUTES}


def _event(row: TimelineRow, events: Mapping[str, Event]) -> Event | None:
    return events[row.fields["event_id"]] if row.kind is RowKind.EVENT else None
