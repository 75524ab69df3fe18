"""What the calls about webhooks ask for (decisions "Control API")."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mock_server.contract.requests.load import Shape
from mock_server.domain.commands import JsonText
from mock_server.domain.errors import Cause
from mock_server.domain.events import EventType

_TRUE: Final = frozenset({"1", "true"})


class LookAtInbox(NamedTuple):
    """Which events: filters, those after a number, at most so many; and how long to wait for how many."""

    type: str | None = None
    payment_id: str | None = None
    delivered: bool | None = None
    after: int | None = None
    limit: int = 100
    wait_ms: int = 0
    enough: int = 1


class SetTarget(NamedTuple):
    """Where events go, and what they are signed with; for one profile, or for all that have no address."""

    url: str | None = None
    secret: str | None = None
    profile_id: str | None = None


class ResendEvents(NamedTuple):
    """Send again what a filter finds, the oldest first."""

    type: str | None = None
    payment_id: str | None = None
    delivered: bool | None = None
    limit: int = 100


class TriggerEvent(NamedTuple):
    """Tell an event of an object as it stands, with these values put in."""

    type: EventType
    object_id: str
    overrides: JsonText | None = None


class SignBody(NamedTuple):
    """The headers for a body, as a profile's receiver would get them."""

    body: object
    profile_id: str | None = None
    secret: str | None = None


def _schema(name: str) -> Any:
    from mock_server.control.requests import webhook_bodies

    return getattr(webhook_bodies, name)()


def _flagged(loaded: dict[str, Any]) -> dict[str, Any]:
    """What was sent and is not null; a flag of a query is text."""
    sent = {name: value for name, value in loaded.items() if value is not None}
    if isinstance(sent.get("delivered"), str):
        sent["delivered"] = sent["delivered"] in _TRUE
    return sent


def _looked(loaded: dict[str, Any]) -> LookAtInbox:
    names = {"wait": "wait_ms", "count": "enough"}
    return LookAtInbox(**{names.get(name, name): value for name, value in _flagged(loaded).items()})


def _triggered(loaded: dict[str, Any]) -> TriggerEvent:
    from mock_server import jsontext

    overrides = loaded.get("overrides")
    text = jsontext.canonical(overrides) if overrides else None
    return TriggerEvent(EventType(loaded["type"]), loaded["object_id"], text)


INBOX: Final = Shape(lambda: _schema("InboxQuery"), _looked, Cause.UNKNOWN_PARAMETER)
TARGET: Final = Shape(lambda: _schema("TargetBody"), lambda loaded: SetTarget(**loaded))
RESEND: Final = Shape(lambda: _schema("ResendBody"), lambda loaded: ResendEvents(**_flagged(loaded)))
TRIGGER: Final = Shape(lambda: _schema("TriggerBody"), _triggered)
SIGN: Final = Shape(lambda: _schema("SignBody"), lambda loaded: SignBody(**loaded))
