"""The kinds of records that deliveries are about; the tables themselves belong to the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mock_server.domain.delivery import DeliveryAttempt
from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.domain.profile import Profile
from mock_server.store.protocol import Kind


class RecordKinds(NamedTuple):
    """Where to find what; `inside` reads the records that are shown inside an object."""

    events: Kind[Event]
    attempts: Kind[DeliveryAttempt]
    profiles: Kind[Profile]
    objects: Mapping[EventClass, Kind[Any]]
    inside: Callable[[tuple[bytes, ...]], Iterable[Any]]

    def object_kind(self, event: Event) -> Kind[Any]:
        """The kind of record that an event is about."""
        return self.objects[EVENTS[event.type].about]
