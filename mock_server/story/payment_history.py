"""What is kept about one payment: the lines of the journal, its events and their attempts, what falls due.

A log is read from its end: what is looked for is mostly what happened last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from msgspec import Struct

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.delivery import DeliveryAttempt
from mock_server.domain.dispute import Dispute
from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal
from mock_server.domain.events import Event
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.engine.kinds import ATTEMPTS, DISPUTES, EVENTS, PAYMENTS, REFUNDS
from mock_server.engine.payments import access
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import JOURNAL
from mock_server.store.logs import NumberedLine, entry, heads
from mock_server.store.protocol import Due, LogEntry, Space, Transaction

H = TypeVar("H")


class LineHead(Struct):
    """What tells whether a line of the journal is looked for."""

    at: int
    operation: str
    status: int
    payment_id: str | None = None


AT_ONCE: Final = 500
"""So many lines are fetched with the workspace's lock held, and read without it (ours)."""


def last_of(space: Space, log: str, after: int = 0) -> int:
    """The number of a log's last line, from one that is known: a store says only whether there is more."""
    step = 1
    while space.wait_for(log, after + step - 1, 0):
        after, step = after + step, step * 2
    while step > 1:
        step //= 2
        if space.wait_for(log, after + step - 1, 0):
            after += step
    return after


def backwards(space: Space) -> Iterator[Sequence[NumberedLine]]:
    """The journal in parts, the newest part first and in it the newest line; others get their turn in between."""
    before = last_of(space, JOURNAL)
    while before > 0:
        after = max(0, before - AT_ONCE)
        part = [line for line in space.transact(partial(_lines, after, before - after)) if line[0] <= before]
        if not part:
            return
        yield part[::-1]
        before = min(after, part[0][0] - 1)


def newest_first(space: Space, head: type[H], meant: Callable[[H], bool]) -> Iterator[LogEntry]:
    """The lines of the journal whose head is meant, the newest first."""
    return (entry(*line) for part in backwards(space) for one, line in heads(part, head) if meant(one))


def _lines(after: int, many: int, tx: Transaction) -> Sequence[NumberedLine]:
    return tx.lines(JOURNAL, after, many)


BY_HAND: Final = "control."
"""What the names of operations begin with that somebody did by hand, past the API."""
CLOCK: Final = "control.clock_"
"""What the names of operations begin with that move a workspace's clock."""
LAST: Final = "last"
"""The newest payment of a workspace, where an id is asked for."""
OWNED: Final = 20
"""So many refunds and disputes of one payment are shown, the newest; the payment's own sums hold them all."""
_ALL: Final = 1_000
"""More events and attempts than are ever kept of one payment."""


class PaymentHistory:
    """What there is of one payment: `lines` are its own, `moves` those of the workspace's clock since it was made."""

    def __init__(self, tx: Transaction, payment_id: str, lines: list[LogEntry]) -> None:
        self.payment: Payment = access.find(tx, payment_id)
        self.lines = [entry for entry in lines if entry.value["payment_id"] == payment_id]
        self.moves = _moves_since(self.payment, self.lines, lines)
        mine = Query(filters={"payment_id": (payment_id,)}, limit=_ALL, ascending=True)
        self.events: tuple[Event, ...] = tx.find(EVENTS, mine).items
        self.due: Sequence[Due] = tx.due_of(payment_id)
        self.refunds, self.disputes = owned(tx, self.payment)
        self.attempts: dict[str, tuple[DeliveryAttempt, ...]] = {
            event.event_id: _attempts(tx, event) for event in self.events if event.attempts
        }


def owned(tx: Transaction, payment: Payment) -> tuple[Sequence[Refund], Sequence[Dispute]]:
    """A payment's refunds and disputes, the newest first; most have none, and no list is looked through for them."""
    mine = Query(filters={"payment_id": (payment.payment_id,)}, limit=OWNED)
    refunds = tx.find(REFUNDS, mine).items if payment.refund_count else ()
    return refunds, tx.find(DISPUTES, mine).items if payment.dispute_count else ()


def _moves_since(payment: Payment, own: list[LogEntry], lines: list[LogEntry]) -> list[LogEntry]:
    """How the clock was moved since the payment's first call, or its making where no call made it."""
    first = own[0].sequence if own else 0
    moves = (entry for entry in lines if _is_move(entry))
    return [entry for entry in moves if entry.sequence > first and entry.value["at"] >= payment.created_at]


def _is_move(entry: LogEntry) -> bool:
    return str(entry.value["operation"]).startswith(CLOCK)


def _attempts(tx: Transaction, event: Event) -> tuple[DeliveryAttempt, ...]:
    return tx.find(ATTEMPTS, Query(filters={"event_id": (event.event_id,)}, limit=_ALL, ascending=True)).items


def history_of(space: Space, payment_id: str) -> PaymentHistory:
    """What a workspace keeps of a payment; `last` is its newest. Refused as `object_unknown`."""
    meant = space.transact(lambda tx: _meant(tx, payment_id))
    lines = _lines_since(space, meant)
    return space.transact(lambda tx: PaymentHistory(tx, meant.payment_id, lines))


def _lines_since(space: Space, payment: Payment) -> list[LogEntry]:
    """The lines of the journal that may belong to its story: none is older than the payment itself."""
    found: list[LogEntry] = []
    for part in backwards(space):
        late = [(head, line) for head, line in heads(part, LineHead) if head.at >= payment.created_at]
        own = (line for head, line in late if head.payment_id == payment.payment_id or head.operation.startswith(CLOCK))
        found += [LogEntry(one.sequence, whole(one, INTERFACE)) for one in (entry(*line) for line in own)]
        # Calls that ran side by side stand in the order of their ends, so one old line proves nothing.
        if not late:
            break
    return found[::-1]


def _meant(tx: Transaction, payment_id: str) -> Payment:
    """The payment of this id; `last`, where none is called so, is the one made last."""
    if payment_id == LAST and tx.get(PAYMENTS, LAST) is None:
        for newest in tx.find(PAYMENTS, Query(limit=1)).items:
            return newest
        problem = "this workspace has no payment yet: create one, or use the key that created it"
        fields = (FieldError("payment_id", problem, Cause.OBJECT_UNKNOWN),)
        raise Refusal(Cause.OBJECT_UNKNOWN, fields=fields, kind=ObjectKind.PAYMENT, id=LAST)
    return access.find(tx, payment_id)


def lines_of(space: Space, after: int, head: type[H], meant: Callable[[H], bool]) -> Iterator[LogEntry]:
    """The lines of the journal beyond a number whose head is meant, the oldest first; others get turns in between."""
    while True:
        part = space.transact(partial(_lines, after, AT_ONCE))
        yield from (entry(*line) for one, line in heads(part, head) if meant(one))
        if len(part) < AT_ONCE:
            return
        after = part[-1][0]
