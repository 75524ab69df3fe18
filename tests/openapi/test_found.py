"""What calling everything with anything has found."""

from __future__ import annotations

import pytest

from mock_server.domain.errors import Cause
from mock_server.domain.events import EventType
from tests.causes.by_calls import reads_as
from tests.wire import Wire, wire


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def test_the_language_of_scenarios_is_served_as_a_schema(api: Wire) -> None:
    schema = api.get("/_sandbox/scenarios/schema")
    assert schema.status == 200
    assert schema["title"] == "A scenario of payment-sandbox"


@pytest.mark.parametrize("event", EventType, ids=str)
def test_an_event_of_nothing_is_an_object_that_there_is_not(api: Wire, event: str) -> None:
    reply = api.post("/_sandbox/webhooks/trigger", {"type": event, "object_id": "nobody_1"})
    reads_as(Cause.DISPUTE_UNKNOWN if event.startswith("dispute") else Cause.OBJECT_UNKNOWN, reply.status, reply.error)
