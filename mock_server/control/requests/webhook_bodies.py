"""The bodies and queries of the calls about webhooks (decisions "Control API")."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import Anything, CallerId, Flag, Free, Text, Whole, web_url
from mock_server.contract.requests.schema import Body
from mock_server.control.requests.fields import Duration, Named
from mock_server.control.requests.limits import LONGEST_WAIT_MS
from mock_server.domain import limits
from mock_server.domain.events import EventType

OURS: Final = "ours: decisions, Control API"
TYPES: Final = tuple(map(str, EventType))
_PROFILE: Final = "pro_0123456789abcdefghij"
_PAYMENT: Final = "pay_0123456789abcdefghij"


def _type(says: str, *, required: bool = False) -> Named:
    return Named(TYPES, says, source=OURS, example="payment_succeeded", required=required)


class InboxQuery(Body):
    """Which events of the inbox."""

    type = _type("The event's type.")
    payment_id = Text("Events about this payment.", source=OURS, example=_PAYMENT)
    delivered = Named(("true", "false", "1", "0"), "Whether a receiver took it.", source=OURS, example="true")
    after = Whole("Only events with a higher number.", least=0, most=int(limits.JSON_INTEGER), source=OURS, example=0)
    limit = Whole("The last so many; after a number, the first so many.", least=1, most=1000, source=OURS, example=100)
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
