"""The bodies and queries of the calls about webhooks (decisions "Control API")."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mock_server.contract.kinds.objects import Body, Items
from mock_server.contract.kinds.texts import CallerId, Guessed, Text, web_url
from mock_server.contract.kinds.values import Anything, Duration, Flag, Free, Whole
from mock_server.contract.requests.shapes import Shape
from mock_server.control.requests import LONGEST_WAIT_MS, OURS, TRUE
from mock_server.domain import limits
from mock_server.domain.commands import JsonText
from mock_server.domain.errors import Cause
from mock_server.domain.events import EventType
from mock_server.jsontext import canonical

TYPES: Final = tuple(map(str, EventType))
_PROFILE: Final = "pro_0123456789abcdefghij"
_PAYMENT: Final = "pay_0123456789abcdefghij"
_EVENT: Final = "evt_0123456789abcdefghij"


def _type(says: str, *, required: bool = False) -> Guessed:
    return Guessed(TYPES, says, source=OURS, example="payment_succeeded", required=required)


class InboxQuery(Body):
    """Which events of the inbox."""

    type = _type("The event's type.")
    payment_id = Text("Events about this payment.", source=OURS, example=_PAYMENT)
    delivered = Guessed(("true", "false", "1", "0"), "Whether a receiver took it.", source=OURS, example="true")
    after = Whole("Only events with a higher number.", least=0, most=int(limits.JSON_INTEGER), source=OURS, example=0)
    limit = Whole("The last so many; after a number, the first so many.", least=1, most=1000, source=OURS, example=100)
    offset = Whole(
        "How many of the newest are passed over.",
        least=0,
        most=10_000_000,
        source=OURS,
        example=0,
    )
    wait = Duration("How long to wait for them, in real time.", most_ms=LONGEST_WAIT_MS, source=OURS, example="5s")
    count = Whole("For how many to wait.", least=1, most=1000, source=OURS, example=1)


class TargetBody(Body):
    """Where events are sent."""

    url = web_url(
        "The receiver's address; without it nothing is sent.", source=OURS, example="http://localhost:8000/webhooks"
    )
    secret = Text("Signs the events; without it the workspace's own.", source=OURS)
    profile_id = CallerId("Only for this profile.", source=OURS, example=_PROFILE)


class ResendBody(Body):
    """Which events are sent again."""

    event_ids = Items(CallerId(), "These events, whatever else is said.", source=OURS, example=[_EVENT])
    type = _type("Events of this type.")
    payment_id = Text("Events about this payment.", source=OURS, example=_PAYMENT)
    delivered = Flag("Whether a receiver took it.", source=OURS, example=False)
    limit = Whole("The last so many.", least=1, most=1000, source=OURS, example=100)


class TriggerBody(Body):
    """What is told."""

    type = _type("The event's type.", required=True)
    object_id = CallerId("The payment, refund, dispute or mandate.", required=True, source=OURS, example=_PAYMENT)
    overrides = Free("Values that go into the object; objects are merged.", source=OURS, example={"status": "failed"})


class SignBody(Body):
    """What is signed."""

    body = Anything("A text as it stands, or JSON, which is written compactly.", required=True, source=OURS, example={})
    profile_id = CallerId("Signs with this profile's key.", source=OURS, example=_PROFILE)
    secret = Text("Signs with this key.", source=OURS)


class LookAtInbox(NamedTuple):
    """Which events: filters, those after a number, at most so many; and how long to wait for how many."""

    type: str | None = None
    payment_id: str | None = None
    delivered: bool | None = None
    after: int | None = None
    limit: int = 100
    offset: int = 0
    wait_ms: int = 0
    enough: int = 1


class SetTarget(NamedTuple):
    """Where events go, and what they are signed with; for one profile, or for all that have no address."""

    url: str | None = None
    secret: str | None = None
    profile_id: str | None = None


class ResendEvents(NamedTuple):
    """Send again what is named or what a filter finds, the oldest first."""

    type: str | None = None
    payment_id: str | None = None
    delivered: bool | None = None
    limit: int = 100
    event_ids: list[str] | None = None


class TriggerEvent(NamedTuple):
    """Tell an event of an object as it stands, with these values put in."""

    type: EventType
    object_id: str
    overrides: JsonText | None = None


class SignWebhook(NamedTuple):
    """The headers for a body, as a profile's receiver would get them."""

    body: object
    profile_id: str | None = None
    secret: str | None = None


def _flagged(loaded: dict[str, Any]) -> dict[str, Any]:
    """What was sent and is not null; a flag of a query is text."""
    sent = {name: value for name, value in loaded.items() if value is not None}
    if isinstance(sent.get("delivered"), str):
        sent["delivered"] = sent["delivered"] in TRUE
    return sent


def _looked(loaded: dict[str, Any]) -> LookAtInbox:
    names = {"wait": "wait_ms", "count": "enough"}
    return LookAtInbox(**{names.get(name, name): value for name, value in _flagged(loaded).items()})


def _triggered(loaded: dict[str, Any]) -> TriggerEvent:
    overrides = loaded.get("overrides")
    text = canonical(overrides) if overrides else None
    return TriggerEvent(EventType(loaded["type"]), loaded["object_id"], text)


INBOX: Final = Shape(InboxQuery, _looked, Cause.UNKNOWN_PARAMETER)
TARGET: Final = Shape(TargetBody, lambda loaded: SetTarget(**loaded))
RESEND: Final = Shape(ResendBody, lambda loaded: ResendEvents(**_flagged(loaded)))
TRIGGER: Final = Shape(TriggerBody, _triggered)
SIGN: Final = Shape(SignBody, lambda loaded: SignWebhook(**loaded))
