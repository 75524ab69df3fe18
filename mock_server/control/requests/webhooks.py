"""The bodies and queries of the calls about webhooks."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mock_server.contract.kinds.objects import Body, Items
from mock_server.contract.kinds.places import read_as
from mock_server.contract.kinds.texts import CallerId, Guessed, Text, web_url
from mock_server.contract.kinds.values import Anything, Duration, Flag, Free, Whole
from mock_server.contract.requests.shapes import asking
from mock_server.control.requests import ENOUGH, IS_TRUE, LONGEST_WAIT_MS, OURS, WAIT_MS
from mock_server.domain import limits
from mock_server.domain.commands import JsonText
from mock_server.domain.errors import Cause
from mock_server.domain.events import EventType
from mock_server.jsontext import canonical

TYPES: Final = tuple(map(str, EventType))
_PROFILE: Final = "pro_0123456789abcdefghij"
_PAYMENT: Final = "pay_0123456789abcdefghij"
_EVENT: Final = "evt_0123456789abcdefghij"


def _type(says: str, **more: Any) -> Guessed:
    return Guessed(TYPES, says, source=OURS, example="payment_succeeded", **more)


class InboxQuery(Body):
    """Filters for the inbox."""

    type = _type("Event type.")
    payment_id = Text("Events about this payment.", source=OURS, example=_PAYMENT)
    delivered = Guessed(
        ("true", "false", "1", "0"), "Whether a receiver accepted it.", source=OURS, example="true", place=IS_TRUE
    )
    after = Whole("Events with a higher number than this.", least=0, most=limits.JSON_INTEGER, source=OURS, example=0)
    limit = Whole(
        "Maximum number of events: the newest, or with `after` the oldest.",
        least=1,
        most=1000,
        source=OURS,
        example=100,
    )
    offset = Whole("Number of newest events to skip.", least=0, most=10_000_000, source=OURS, example=0)
    wait = Duration(
        "How long to wait for events, in real time.", most_ms=LONGEST_WAIT_MS, source=OURS, example="5s", place=WAIT_MS
    )
    count = Whole("Number of events to wait for.", least=1, most=1000, source=OURS, example=1, place=ENOUGH)


class TargetBody(Body):
    """Endpoint for events."""

    url = web_url(
        "URL of the receiver. Without it, no events are sent.", source=OURS, example="http://localhost:8000/webhooks"
    )
    secret = Text("Secret that signs the events. Defaults to the workspace's secret.", source=OURS)
    profile_id = CallerId("ID of the profile to set it for.", source=OURS, example=_PROFILE)


class ResendBody(Body):
    """Events to resend."""

    event_ids = Items(CallerId(), "IDs of the events; other filters are ignored.", source=OURS, example=[_EVENT])
    type = _type("Events of this type.")
    payment_id = Text("Events about this payment.", source=OURS, example=_PAYMENT)
    delivered = Flag("Whether a receiver accepted it.", source=OURS, example=False)
    limit = Whole("Maximum number of events.", least=1, most=1000, source=OURS, example=100)


class TriggerBody(Body):
    """Test event to send."""

    type = _type("Event type.", required=True, place=read_as(EventType))
    object_id = CallerId("ID of the payment, refund, dispute or mandate.", required=True, source=OURS, example=_PAYMENT)
    overrides = Free(
        "Values to change in the object; nested objects are merged.",
        source=OURS,
        example={"status": "failed"},
        place=read_as(lambda values: canonical(values) if values else None),
    )


class SignBody(Body):
    """Body to sign, and the key."""

    body = Anything(
        "Text, signed as it is, or JSON, which is serialised without spaces.", required=True, source=OURS, example={}
    )
    profile_id = CallerId("Profile whose key signs the body.", source=OURS, example=_PROFILE)
    secret = Text("Key that signs the body.", source=OURS)


class LookAtInbox(NamedTuple):
    """A query of the inbox: filters, the last number read, a limit, and how long to wait for how many events."""

    type: str | None = None
    payment_id: str | None = None
    delivered: bool | None = None
    after: int | None = None
    limit: int = 100
    offset: int = 0
    wait_ms: int = 0
    enough: int = 1


class SetTarget(NamedTuple):
    """Set the address and secret of events, for one profile, or for all without an address of their own."""

    url: str | None = None
    secret: str | None = None
    profile_id: str | None = None


class ResendEvents(NamedTuple):
    """Resend the events with these ids, or those that match the filters, oldest first."""

    type: str | None = None
    payment_id: str | None = None
    delivered: bool | None = None
    limit: int = 100
    event_ids: list[str] | None = None


class TriggerEvent(NamedTuple):
    """Send an event of an object, with some of its values changed."""

    type: EventType
    object_id: str
    overrides: JsonText | None = None


class SignWebhook(NamedTuple):
    """The headers for a body, as a profile's receiver would get them."""

    body: object
    profile_id: str | None = None
    secret: str | None = None


INBOX: Final = asking(InboxQuery, LookAtInbox, Cause.UNKNOWN_PARAMETER)
TARGET: Final = asking(TargetBody, SetTarget)
RESEND: Final = asking(ResendBody, ResendEvents)
TRIGGER: Final = asking(TriggerBody, TriggerEvent)
SIGN: Final = asking(SignBody, SignWebhook)
