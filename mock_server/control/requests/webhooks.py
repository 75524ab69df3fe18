"""The bodies and queries of the calls about webhooks."""

from __future__ import annotations

from typing import Final

from mock_server.contract.kinds.base import FieldPlace, read_as
from mock_server.contract.kinds.objects import Body, Items
from mock_server.contract.kinds.texts import CallerId, Guessed, Text, web_url
from mock_server.contract.kinds.values import Anything, Duration, Flag, Free, Whole
from mock_server.contract.requests.shapes import named
from mock_server.control.requests import ENOUGH, LONGEST_WAIT_MS, OURS, TRUE, WAIT_MS
from mock_server.domain import limits
from mock_server.domain.errors import Cause
from mock_server.domain.events import EventType
from mock_server.jsontext import canonical

TYPES: Final = tuple(map(str, EventType))
_PROFILE: Final = "pro_0123456789abcdefghij"
_PAYMENT: Final = "pay_0123456789abcdefghij"
_EVENT: Final = "evt_0123456789abcdefghij"


def _type(says: str, *, required: bool = False) -> Guessed:
    place = FieldPlace(command="event_type", write=EventType)
    return Guessed(TYPES, says, source=OURS, example="payment_succeeded", place=place, required=required)


IS_DELIVERED: Final = FieldPlace(command="is_delivered", write=lambda sent: sent is True or sent in TRUE)
"""A flag, which is text in a query."""


class InboxQuery(Body, source=OURS):
    """Filters for the inbox."""

    type = _type("Event type.")
    payment_id = Text("Events about this payment.", example=_PAYMENT)
    delivered = Guessed(
        ("true", "false", "1", "0"), "Whether a receiver accepted it.", example="true", place=IS_DELIVERED
    )
    after = Whole("Events with a higher number than this.", least=0, most=limits.JSON_INTEGER, example=0)
    limit = Whole("Maximum number of events: the newest, or with `after` the oldest.", least=1, most=1000, example=100)
    offset = Whole("Number of newest events to skip.", least=0, most=10_000_000, example=0)
    wait = Duration("How long to wait for events, in real time.", most_ms=LONGEST_WAIT_MS, example="5s", place=WAIT_MS)
    count = Whole("Number of events to wait for.", least=1, most=1000, example=1, place=ENOUGH)


class TargetBody(Body, source=OURS):
    """Endpoint for events."""

    url = web_url("URL of the receiver. Without it, no events are sent.", example="http://localhost:8000/webhooks")
    secret = Text("Secret that signs the events. Defaults to the workspace's secret.")
    profile_id = CallerId("ID of the profile to set it for.", example=_PROFILE)


class ResendBody(Body, source=OURS):
    """Events to resend."""

    event_ids = Items(CallerId(), "IDs of the events; other filters are ignored.", example=[_EVENT])
    type = _type("Events of this type.")
    payment_id = Text("Events about this payment.", example=_PAYMENT)
    delivered = Flag("Whether a receiver accepted it.", example=False, place=IS_DELIVERED)
    limit = Whole("Maximum number of events.", least=1, most=1000, example=100)


class TriggerBody(Body, source=OURS):
    """Test event to send."""

    type = _type("Event type.", required=True)
    object_id = CallerId("ID of the payment, refund, dispute or mandate.", required=True, example=_PAYMENT)
    overrides = Free(
        "Values to change in the object; nested objects are merged.",
        example={"status": "failed"},
        place=read_as(lambda values: canonical(values) if values else None),
    )


class SignBody(Body, source=OURS):
    """Body to sign, and the key."""

    body = Anything("Text, signed as it is, or JSON, which is serialised without spaces.", required=True, example={})
    profile_id = CallerId("Profile whose key signs the body.", example=_PROFILE)
    secret = Text("Key that signs the body.")


INBOX: Final = named(InboxQuery, Cause.UNKNOWN_PARAMETER)
TARGET: Final = named(TargetBody)
RESEND: Final = named(ResendBody)
TRIGGER: Final = named(TriggerBody)
SIGN: Final = named(SignBody)
