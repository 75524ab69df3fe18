"""All data of one payment: entries, events with attempts, scheduled events. Logs are read from their end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from mock_server.domain.errors import ObjectKind, unknown
from mock_server.domain.events import DeliveryAttempt, Event
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.engine import outbox, related
from mock_server.engine.kinds import DISPUTES, EVENTS, PAYMENTS, REFUNDS
from mock_server.engine.payments import access
from mock_server.store.logs import NumberedLine, entry, heads
from mock_server.store.protocol import JOURNAL, LogEntry
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction

H = TypeVar("H")


class LineHead(Struct):
    """The part of a journal entry by which it is selected."""

    at: int
    operation: str
    status: int
    payment_id: str | None = None
    request_id: str = ""


AT_ONCE: Final = 256
"""How many lines are fetched with the workspace's lock held, and read without it (ours)."""


def backwards(space: Space) -> Iterator[Sequence[NumberedLine]]:
    """The journal in parts, newest line first; other threads get their turn between two parts."""
    before = space.last(JOURNAL)
    while before > 0:
        after = max(0, before - AT_ONCE)
        lines = space.transact(lambda tx: tx.lines(JOURNAL, after, before - after))  # noqa: B023 — called at once
        part = [line for line in lines if line[0] <= before]
        if not part:
            return
        yield part[::-1]
        before = min(after, part[0][0] - 1)


def newest_first(space: Space, head: type[H], meant: Callable[[H], bool]) -> Iterator[LogEntry]:
    """The journal entries that are `meant`, newest first."""
    return (entry(*line) for part in backwards(space) for one, line in heads(part, head) if meant(one))


BY_HAND: Final = "control."
"""Prefix of the operations of the control API."""
CLOCK: Final = "control.clock_"
"""Prefix of the operations that change a workspace's clock."""
LAST: Final = "last"
"""The word for the newest payment of a workspace, instead of an id."""
OWNED: Final = 20
"""Maximum number of refunds and of disputes that are shown of one payment, the newest; its sums include all."""
MOST_EVENTS: Final = 1_000
"""Maximum number of events that are shown of one payment, the oldest (ours)."""


class PaymentHistory:
    """All data of one payment: `lines` are its journal entries, `moves` the changes of the clock since its creation.

    `calls_since` is the time of the oldest entry (`now` if none is left), if earlier ones may have been the payment's;
    `version` is the number of its changes, `inside` what its answer shows; `refunds`, `disputes` are the newest first.
    """

    def __init__(self, tx: Transaction, payment_id: str, lines: list[LogEntry], last: int, now: int) -> None:
        self.payment: Payment = access.find(tx, payment_id)
        self.lines = [entry for entry in lines if entry.value["payment_id"] == payment_id]
        # Since its first call, or since its creation if no call created it.
        first = self.lines[0].sequence if self.lines else 0
        oldest = next(iter(tx.entries(JOURNAL, 0, 1)), LogEntry(last + 1, {"at": now}))
        is_whole = oldest.sequence == 1 or oldest.value["at"] < self.payment.created_at
        self.calls_since = None if is_whole or any(map(creates, self.lines)) else int(oldest.value["at"])
        self.moves = [entry for entry in lines if entry.sequence > first and entry.value["operation"].startswith(CLOCK)]
        mine = Query(filters={"payment_id": (payment_id,)}, limit=MOST_EVENTS, ascending=True)
        self.events: tuple[Event, ...] = tx.find(EVENTS, mine).items
        self.version = tx.version(PAYMENTS, payment_id)
        self.inside = related.of(tx, self.payment)
        own = (payment_id, *map(REFUNDS.key, self.inside.refunds), *map(DISPUTES.key, self.inside.disputes))
        self.due = sorted((due for id in own for due in tx.due_of(id)), key=lambda due: (due.at, due.sequence))
        self.refunds = self.inside.refunds[: -OWNED - 1 : -1]
        self.disputes = self.inside.disputes[: -OWNED - 1 : -1]
        self.attempts: dict[str, tuple[DeliveryAttempt, ...]] = {
            event.event_id: outbox.attempts_of(tx, event.event_id) for event in self.events if event.attempts
        }


def creates(entry: LogEntry) -> bool:
    """Whether a call created the payment that it is about."""
    call = entry.value
    return bool(call["operation"] == "payments.create" and call.get("left") and not call["replayed"])


def history_of(space: Space, payment_id: str, now: int) -> PaymentHistory:
    """All data of a payment; `last` is the workspace's newest. Refused as `object_unknown`."""
    payment = space.transact(lambda tx: _meant(tx, payment_id))
    found, last = list[LogEntry](), space.last(JOURNAL)
    for part in backwards(space):  # no entry of it is older than the payment itself
        late = [(head, line) for head, line in heads(part, LineHead) if head.at >= payment.created_at]
        own = (line for head, line in late if head.payment_id == payment.payment_id or head.operation.startswith(CLOCK))
        found += [entry(*line) for line in own]
        # Simultaneous calls are in the order of their ends, so a single old line proves nothing.
        if not late:
            break

    def whole(tx: Transaction) -> PaymentHistory:
        newer = tx.lines(JOURNAL, max(last, found[0].sequence if found else 0), AT_ONCE)  # which came meanwhile
        return PaymentHistory(tx, payment.payment_id, [*found[::-1], *(entry(*line) for line in newer)], last, now)

    return space.transact(whole)


def _meant(tx: Transaction, payment_id: str) -> Payment:
    """The payment with this id; `last`, if no payment has that id, is the newest one."""
    if payment_id == LAST and tx.get(PAYMENTS, LAST) is None:
        for newest in tx.find(PAYMENTS, Query(limit=1)).items:
            return newest
        problem = "this workspace has no payment yet: create one, or use the key that created it"
        raise unknown(ObjectKind.PAYMENT, LAST, ("payment_id", problem))
    return access.find(tx, payment_id)


def lines_of(space: Space, after: int, head: type[H], meant: Callable[[H], bool]) -> Iterator[NumberedLine]:
    """The journal lines after a number that are `meant`, oldest first; other threads get their turn in between."""
    while True:
        part = space.transact(lambda tx: tx.lines(JOURNAL, after, AT_ONCE))  # noqa: B023 — called at once
        yield from (line for one, line in heads(part, head) if meant(one))
        if len(part) < AT_ONCE:
            return
        after = part[-1][0]
