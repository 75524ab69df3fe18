"""The body of a delivery: the same bytes at every attempt, because it is made from the stored event (facts §2.9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from mock_server import jsontext
from mock_server.contract.answers import events as answers
from mock_server.contract.answers.payment import ShownPayment
from mock_server.contract.dialect import Dialect
from mock_server.domain.events import Event, EventClass
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine import related
from mock_server.engine.kinds import DISPUTES, MANDATES, PAYMENTS, REFUNDS
from mock_server.store.protocol import RecordKind
from mock_server.store.records import decode

OBJECTS: Final[Mapping[EventClass, RecordKind[Any]]] = {
    EventClass.PAYMENTS: PAYMENTS,
    EventClass.REFUNDS: REFUNDS,
    EventClass.DISPUTES: DISPUTES,
    EventClass.MANDATES: MANDATES,
}


def object_kind(event: Event) -> RecordKind[Any]:
    """The kind of record that an event is about."""
    return OBJECTS[event.type.about]


def body(event: Event, dialect: Dialect, *, stale: bool = False) -> bytes:
    """The envelope as it is signed and sent: its object is what a retrieve returned then, or before (`stale`)."""
    record = stale_object(event) if stale else decode(object_kind(event), event.object)
    if event.type.about is EventClass.PAYMENTS:
        record = ShownPayment(record, *related.decoded(() if stale else event.related))
    shown: Any = answers.envelope(event, record, dialect)
    if event.overrides is not None:
        shown.content.object = overridden(shown.content.object, event.overrides)
    return jsontext.dump(shown)


def stale_object(event: Event) -> Any:
    """The object as it was before; if no older version is stored, a payment that is not charged yet."""
    kind = object_kind(event)
    if event.before is not None:
        return decode(kind, event.before)
    record = decode(kind, event.object)
    return unpaid(record) if event.type.about is EventClass.PAYMENTS else record


_BY_A_CHARGE: Final = (
    "authorized_amount", "captured_amount", "capture_pending_amount", "capture_before", "captures", "hold",
    "connector", "connector_transaction_id", "network_transaction_id", "past_attempts", "attempt_state",
    "failure", "next_action", "waiting", "manual_retry_allowed",
)  # fmt: skip


def unpaid(payment: Payment) -> Payment:
    """A payment before its first charge, if the call that created it also charged it (ours)."""
    before = {field.name: field.default for field in structs.fields(Payment) if field.name in _BY_A_CHARGE}
    status, at = PaymentStatus.REQUIRES_CONFIRMATION, payment.created_at
    return structs.replace(payment, status=status, modified_at=at, **before)


def overridden(shown: object, overrides: str) -> object:
    """An object with some values replaced; nested objects are merged."""
    # Not with our own reader, which refuses integers that JavaScript cannot represent.
    return jsontext.Raw(jsontext.canonical(_merged(json.loads(jsontext.dump(shown)), json.loads(overrides))))


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{name: _merged(old.get(name), value) for name, value in new.items()}}
