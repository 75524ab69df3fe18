"""The bytes of a delivery: the same at every attempt, because they are made of what the event kept (facts §2.9)."""

from __future__ import annotations

import json
from typing import Any

from mock_server import jsontext
from mock_server.contract.answers import events as answers
from mock_server.contract.answers.payment import ShownPayment
from mock_server.contract.dialect import Dialect
from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.store.records import decode
from mock_server.webhooks.record_kinds import RecordKinds
from mock_server.webhooks.stale import unpaid


def body(event: Event, shelves: RecordKinds, dialect: Dialect, *, stale: bool = False) -> bytes:
    """The envelope as it is signed and sent; `stale`: around the object as it was before the event."""
    return jsontext.dump(envelope(event, shelves, dialect, stale=stale))


def envelope(event: Event, shelves: RecordKinds, dialect: Dialect, *, stale: bool = False) -> dict[str, object]:
    """The same as a value: the object is what a retrieve answered at that moment."""
    record = stale_object(event, shelves) if stale else decode(shelves.object_kind(event), event.object)
    if EVENTS[event.type].about is EventClass.PAYMENTS:
        record = ShownPayment(record, *shelves.inside(() if stale else event.related))
    shown = answers.envelope(event, record, dialect)
    if event.overrides is not None:
        content: Any = shown["content"]
        content["object"] = overridden(content["object"], event.overrides)
    return shown


def stale_object(event: Event, shelves: RecordKinds) -> Any:
    """The object as it was before; where nothing older was kept, a payment that nobody has charged yet."""
    kind = shelves.object_kind(event)
    if event.before is not None:
        return decode(kind, event.before)
    record = decode(kind, event.object)
    return unpaid(record) if EVENTS[event.type].about is EventClass.PAYMENTS else record


def overridden(shown: object, overrides: str) -> object:
    """An object with other values put in; objects in objects are merged, anything else is replaced."""
    # Not by our own reader: it takes no number that JavaScript would write as an integer it cannot hold.
    merged = _merged(json.loads(jsontext.dump(shown)), json.loads(overrides))
    return jsontext.raw(jsontext.canonical(merged))


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{name: _merged(old.get(name), value) for name, value in new.items()}}
