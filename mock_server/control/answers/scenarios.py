"""Scenarios, their assertions and the one-shot queue; the inbox of events, their target and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mock_server.contract.answers.fields import AnswerShape, AsJson, Beside, ByName, Constant, Field, Listed, Many, each
from mock_server.contract.notation import FLAG, FREE, INSTANT, NUMBER, TEXT, WHOLE, described, many, ref
from mock_server.control.answers import DROPPED, HEADERS, counted, of_values
from mock_server.domain.events import WHY, AttemptKind, DeliveryAttempt, Event, EventClass, EventType, SkipReason

_ACTIVE = Field("active", FLAG, of=Beside(lambda shown: shown.active is not None), nullable=False)
_ACTIVATED = Field("activated_at", INSTANT, of=Beside(lambda shown: shown.active and shown.active.at))
_NAME = Field("name", TEXT, nullable=False)
LISTED_SCENARIO: Final = AnswerShape[Any].inline(
    "ListedScenario",
    *each(TEXT, "name", "origin", nullable=False),
    Field("file", TEXT),
    Field("stale", FLAG, nullable=False),
    _ACTIVE,
    _ACTIVATED,
    part="scenario",
)
SCENARIOS: Final = of_values(
    "Scenarios", Field("active", many(TEXT), nullable=False), Field("scenarios", Many(LISTED_SCENARIO), nullable=False)
)
_RULE: Final = AnswerShape[Any].inline(
    "ScenarioRule",
    Field("number", WHOLE, nullable=False),
    Field("at", TEXT, of=lambda rule: str(rule.place), nullable=False),
)
SCENARIO: Final = AnswerShape[Any](
    "Scenario",
    _NAME,
    *each(TEXT, "summary", "extends", "file"),
    Field("digest", TEXT, nullable=False),
    _ACTIVE,
    _ACTIVATED,
    Field("rules", Many(_RULE), nullable=False),
    Field("counters", ByName(WHOLE), of=Beside("counters"), nullable=False),
    Field("text", TEXT, nullable=False),
    part="scenario",
)
PUT_SCENARIO: Final = AnswerShape[Any].inline(
    "PutScenario", *SCENARIO.rows, Field("warnings", many(TEXT), of=Beside("warnings"), nullable=False), part="scenario"
)
DROPPED_SCENARIO: Final = of_values("DroppedScenario", _NAME, Field("dropped", FLAG, of=Constant(True), nullable=False))
ACTIVATED: Final = of_values(
    "Activated", _NAME, _ACTIVE._replace(of=Constant(True)), Field("activated_at", INSTANT, nullable=False)
)
DEACTIVATED: Final = of_values(
    "Deactivated", _NAME, _ACTIVE._replace(of=Constant(False)), Field("was_active", FLAG, nullable=False)
)
_RESULT: Final = AnswerShape[Any].inline(
    "Expected",
    Field("expect", TEXT, of="text", nullable=False),
    Field("holds", FLAG, nullable=False),
    Field("because", TEXT),
    Field("empty", FLAG, of="is_empty", nullable=False, about="Whether there was nothing to compare."),
    Field("at", TEXT, of=lambda result: str(result.place), nullable=False),
)
CHECKED: Final = of_values(
    "Checked",
    Field("holds", FLAG, of=lambda values: all(result.holds for result in values["expect"]), nullable=False),
    Field("expect", Many(_RESULT), nullable=False),
)
_QUEUED: Final = AnswerShape[Any].inline(
    "Queued",
    Field("number", WHOLE, nullable=False),
    Field("on", many(TEXT), nullable=False),
    Field("then", AsJson(), nullable=False),
    Field("left", WHOLE, nullable=False),
)
QUEUE: Final = of_values("Queue", Field("next", Many(_QUEUED), nullable=False), inline=False)
EMPTIED: Final = of_values("Emptied", DROPPED)
FORGOTTEN: Final = of_values("Forgotten", Field("forgotten", WHOLE, nullable=False))
DOCUMENT: Final = ref("ScenarioDocument")
"""A scenario is the same document in YAML and in JSON."""
SCHEMA: Final = described(FREE, "A JSON Schema.")

ATTEMPT: Final[AnswerShape[DeliveryAttempt]] = AnswerShape(
    "InboxAttempt",
    Field("attempt_id", TEXT, nullable=False),
    *each(WHOLE, "number", "copy", nullable=False),
    Field("kind", AttemptKind, nullable=False),
    Field("made_at", INSTANT, nullable=False),
    Field("url", TEXT, nullable=False),
    Field("headers", HEADERS, nullable=False),
    Field("stale", FLAG, nullable=False),
    Field("status", WHOLE),
    Field("response_headers", HEADERS, nullable=False),
    *each(TEXT, "response_body", "error"),
    Field("took_ms", NUMBER, nullable=False),
    Field("began_us", WHOLE, nullable=False),
    Field("because", TEXT),
    about="A request to a receiver, and its result.",
)


class Received(NamedTuple):
    """One event with the exact body for its receiver, headers, and delivery attempts; `made` are new ones."""

    event: Event
    headers: str
    payload: str
    deliveries: Sequence[DeliveryAttempt]
    made: Sequence[DeliveryAttempt] = ()


INBOX_EVENT: Final[AnswerShape[Received]] = AnswerShape(
    "InboxEvent",
    Field("number", WHOLE, of=lambda event: event.number + 1, nullable=False),
    Field("event_id", TEXT, nullable=False),
    Field("event_type", Listed(EventType), of="type", nullable=False),
    Field("event_class", EventClass, of="type.about", nullable=False),
    Field("created", INSTANT, of="created_at", nullable=False),
    Field("payment_id", TEXT),
    Field("object_id", TEXT, nullable=False),
    Field("profile_id", TEXT),
    Field("is_delivered", FLAG, of="delivered"),
    Field("attempts", WHOLE, nullable=False),
    Field("next_attempt_at", INSTANT, of="next_at"),
    Field("fate", SkipReason),
    Field("why", TEXT, of=lambda event: WHY[event.fate], given="fate"),
    Field("waits_for", TEXT, of="waits"),
    Field("because", many(TEXT), nullable=False),
    Field("headers", HEADERS, of=Beside("headers"), nullable=False),
    Field("body", AsJson(described(FREE, "The webhook's body, as JSON.")), of=Beside("payload"), nullable=False),
    Field("payload", described(TEXT, "The signed body, byte for byte."), of=Beside("payload"), nullable=False),
    Field("deliveries", Many(ATTEMPT), of=Beside("deliveries"), nullable=False),
    part="event",
    about="An event: what its receiver gets, and its delivery attempts.",
)
RESENT: Final[AnswerShape[Received]] = AnswerShape.inline(
    "Resent", *INBOX_EVENT.rows, Field("made", Many(ATTEMPT), of=Beside("made"), nullable=False), part="event"
)
INBOX: Final = counted("Inbox", INBOX_EVENT, DROPPED)
TARGET: Final = of_values("WebhookTarget", *each(TEXT, "url", "secret", "profile_id", "set_by"), inline=False)
RESENT_MANY: Final = of_values(
    "ResentMany",
    Field("event_ids", many(TEXT), nullable=False),
    Field("count", WHOLE, of=lambda values: len(values["event_ids"]), nullable=False),
)
SIGNED: Final = of_values(
    "Signed",
    Field("body", TEXT, nullable=False),
    Field("headers", ref("HeaderPairs"), nullable=False),
    Field("secret", TEXT, nullable=False),
)
