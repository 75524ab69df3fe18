"""One record in a list or a search: what it is about in a few words, its status, and its payment and customer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from mock_server.domain.customer import Customer, Mandate, PaymentMethod
from mock_server.domain.dispute import Dispute
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import DisputeStage, DisputeStatus
from mock_server.engine import kinds
from mock_server.store.protocol import LogEntry, RecordKind
from mock_server.story import words
from mock_server.story.standing import Standing
from mock_server.story.words import Tone

R = TypeVar("R")
Told = tuple[str, str | None, Tone]
"""What a record is about, its status, and the tone of the status."""
CALL: Final = "call"


class RecordRow(NamedTuple):
    """A record, or a call with its `number`; times in ms, minor units; `until`: when a dispute's evidence is due."""

    kind: str
    id: str
    created_at: int
    says: str
    status: str | None = None
    tone: Tone = Tone.PLAIN
    amount: int | None = None
    currency: str | None = None
    payment_id: str | None = None
    customer_id: str | None = None
    badge: str | None = None
    number: int | None = None
    until: int | None = None

    @property
    def at(self) -> str:
        return iso(self.created_at)

    @property
    def sum(self) -> str:
        """The amount with its currency, or empty."""
        return words.amount(self.amount, self.currency) if self.amount is not None and self.currency else ""


def row_of(kind: RecordKind[R], one: R) -> RecordRow:
    """The row of a record that contains its whole state."""
    id, (says, status, tone) = kind.key(one), _TELLS[kind.name](one)
    amount, code, *owners = (getattr(one, name, None) for name in ("amount", "currency", "payment_id", "customer_id"))
    whose = (None if owner == id else owner for owner in owners)
    until = one.challenge_required_by if isinstance(one, Dispute) and one.status is DisputeStatus.OPENED else None
    return RecordRow(kind.name, id, kind.created(one), says, status, tone, amount, code, *whose)._replace(until=until)


def payment_row(one: Payment, stands: Standing) -> RecordRow:
    """The row of a payment, whose state includes its refunds and disputes."""
    says = ", ".join(part for part in (stands.note, customer_of(one)) if part)
    told = (says, one.status, stands.tone, one.net_amount, one.currency)
    return RecordRow(
        kinds.PAYMENTS.name, one.payment_id, one.created_at, *told, customer_id=one.customer_id, badge=stands.badge
    )


def call_row(entry: LogEntry) -> RecordRow:
    """The row of a call; its id is the request's."""
    call = entry.value
    says = f"{call['method']} {call['path']} {call['status']}"
    return RecordRow(CALL, call["request_id"], call["at"], says, payment_id=call["payment_id"], number=entry.sequence)


def customer_of(payment: Payment) -> str:
    """The customer's name, or what else the shop has sent; one of spaces and signs that nobody sees is no name."""
    names = (payment.customer_name, payment.card and payment.card.holder, payment.email, payment.customer_id)
    return next((name for name in names if name and any(map(str.isprintable, name.replace(" ", "")))), "Guest")


def _dispute(one: Dispute) -> Told:
    tone = Tone.GOOD if one.status is DisputeStatus.WON else Tone.BAD if one.held_amount else Tone.PLAIN
    stage = "" if one.stage is DisputeStage.DISPUTE else f", {words.plain(one.stage)}"
    return words.plain(one.reason) + stage, one.status, tone


def _customer(one: Customer) -> Told:
    return ", ".join(part for part in (one.name, one.email) if part), "redacted" if one.redacted else None, Tone.PLAIN


def _method(one: PaymentMethod) -> Told:
    says = f"{one.card.brand} •••• {one.card.last4}" if one.card else words.plain(one.payment_method_type or "")
    return says, one.status, Tone.GOOD if one.status.value == "active" else Tone.PLAIN


def _mandate(one: Mandate) -> Told:
    tone = Tone.GOOD if one.status.value == "active" else Tone.PLAIN
    return "single use" if one.single_use else "multiple use", one.status, tone


_TELLS: Final[Mapping[str, Callable[[Any], Told]]] = {
    kinds.REFUNDS.name: lambda one: (one.reason or "", one.status, words.tone_of(one.status)),
    kinds.DISPUTES.name: _dispute,
    kinds.CUSTOMERS.name: _customer,
    kinds.PAYMENT_METHODS.name: _method,
    kinds.MANDATES.name: _mandate,
    kinds.EVENTS.name: lambda one: (one.type, None, Tone.PLAIN),
}
