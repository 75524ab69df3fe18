"""What the calls of the control API answer with."""

from __future__ import annotations

from functools import cache
from typing import Final

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.delivery import AttemptKind, SkipReason
from mock_server.domain.events import EventClass
from mock_server.domain.statuses import PaymentStatus
from mock_server.openapi.answers import tables
from mock_server.openapi.notation import (
    ANY,
    FLAG,
    FREE,
    INSTANT,
    NUMBER,
    TEXT,
    WHOLE,
    Json,
    counted,
    many,
    maybe,
    record,
    ref,
    spoken,
    told,
    words,
)
from mock_server.story.words import Tone

_TEXT: Final = maybe(TEXT)
_DUE: Final = record({"at": INSTANT, "what": TEXT, "subject": TEXT})
_STATUS: Final = spoken(INTERFACE, PaymentStatus)
_HEADLINE: Final = told(TEXT, "How it stands after all that happened to it, in words for people.")
_STATES: Final = ("payments", "refunds", "disputes", "mandates", "payment_methods")


def schemas() -> dict[str, Json]:
    """The schemas that several control calls share, by their names."""
    return {
        "Workspace": _workspace(),
        "Clock": record(_CLOCK),
        "Because": record(_BECAUSE, about="One reason: what decided, in which words, and what nearly did."),
        "JournalLine": _line(),
        "InboxEvent": record(_EVENT, about="One event: what its receiver gets, and how its deliveries went."),
        "InboxAttempt": _attempt(),
        "WebhookTarget": record({"url": _TEXT, "secret": _TEXT, "profile_id": _TEXT, "set_by": _TEXT}),
        "Scenario": record(_SCENARIO),
        "SnapshotHead": record(_SNAPSHOT),
        "Queue": record({"next": many(record({"number": WHOLE, "on": many(TEXT), "then": FREE, "left": WHOLE}))}),
    }


_CLOCK: Final[dict[str, Json]] = {"now": INSTANT, "frozen": FLAG, "advancing": FLAG, "next_due": maybe(_DUE)}
_BECAUSE: Final[dict[str, Json]] = {
    "by": TEXT,
    "text": TEXT,
    "rule": _TEXT,
    "inputs": FREE,
    "near_misses": many(ANY),
}
_SNAPSHOT: Final[dict[str, Json]] = {"name": TEXT, "format": WHOLE, "made_by": TEXT, "bytes": WHOLE}
_SCENARIO: Final[dict[str, Json]] = {
    "name": TEXT,
    "summary": _TEXT,
    "extends": _TEXT,
    "file": _TEXT,
    "digest": TEXT,
    "active": FLAG,
    "activated_at": maybe(INSTANT),
    "rules": many(record({"number": WHOLE, "at": TEXT})),
    "counters": {"type": "object", "additionalProperties": WHOLE},
    "text": TEXT,
}
_EVENT: Final[dict[str, Json]] = {
    "number": WHOLE,
    "event_id": TEXT,
    "event_type": ref("EventType"),
    "event_class": words(EventClass),
    "created": INSTANT,
    "payment_id": _TEXT,
    "object_id": TEXT,
    "profile_id": _TEXT,
    "is_delivered": maybe(FLAG),
    "attempts": WHOLE,
    "next_attempt_at": maybe(INSTANT),
    "fate": maybe(words(SkipReason)),
    "why": _TEXT,
    "waits_for": _TEXT,
    "because": many(TEXT),
    "headers": ref("HeaderPairs"),
    "body": told(FREE, "The webhook's body, as JSON."),
    "payload": told(TEXT, "The same, to the byte that is signed."),
    "deliveries": many(ref("InboxAttempt")),
}


def _workspace() -> Json:
    counts = {"payments": WHOLE, "customers": WHOLE, "events": WHOLE}
    head = {"name": TEXT, "merchant_id": TEXT, "seed": _TEXT, "created": INSTANT, "now": INSTANT, "frozen": FLAG}
    return record({**head, **counts}, about="A workspace with its counts; its key cannot be read from it.")


def _line() -> Json:
    texts = dict.fromkeys(("request_id", "operation", "method", "path", "query"), TEXT)
    row = record(
        {
            "number": WHOLE,
            "at": INSTANT,
            **texts,
            "status": maybe(WHOLE),
            "cause": _TEXT,
            "key": _TEXT,
            "payment_id": _TEXT,
            "replayed": FLAG,
            "idempotent": FLAG,
            "fault": _TEXT,
            "took_ms": NUMBER,
            "began_us": WHOLE,
            "events": told(many(WHOLE), "The numbers of the events that it caused."),
            "because": many(ref("Because")),
            "request": told(ANY, "Redacted; JSON where it is JSON, else text."),
            "response": told(ANY, "Redacted; of a long one the beginning, as text."),
        },
        about="One call or page of a workspace.",
    )
    part = "where only a part of a body is kept."
    row["properties"] |= {
        "request_bytes": told(maybe(WHOLE), f"How long the request was, {part}"),
        "response_bytes": told(maybe(WHOLE), f"How long the answer was, {part}"),
        "response_sha256": told(_TEXT, f"Of the whole answer, {part}"),
    }
    return row


def _attempt() -> Json:
    return record(
        {
            "attempt_id": TEXT,
            "number": WHOLE,
            "copy": WHOLE,
            "kind": words(AttemptKind),
            "made_at": INSTANT,
            "url": TEXT,
            "headers": ref("HeaderPairs"),
            "stale": FLAG,
            "status": maybe(WHOLE),
            "response_headers": ref("HeaderPairs"),
            "response_body": _TEXT,
            "error": _TEXT,
            "took_ms": NUMBER,
            "began_us": WHOLE,
            "because": _TEXT,
        },
        about="One request to a receiver, and what came of it.",
    )


def _story() -> Json:
    row = record({"at": INSTANT, "kind": TEXT})
    row["additionalProperties"] = True
    head = {"payment_id": TEXT, "status": _STATUS, "headline": _HEADLINE}
    return record({**head, "data": many(row), "total_count": WHOLE})


def _why() -> Json:
    decision = record({"at": INSTANT, "operation": TEXT, "request_id": TEXT, **_BECAUSE})
    failure = record({"decline": _TEXT, "error_code": _TEXT, "error_message": _TEXT})
    waits = record({"kind": TEXT, "ends": _TEXT, "after_polls": maybe(WHOLE), "then": _TEXT})
    return record(
        {
            "payment_id": TEXT,
            "status": _STATUS,
            "headline": _HEADLINE,
            "tone": words(Tone),
            "failure": maybe(failure),
            "waits_for": maybe(waits),
            "due": many(record({"at": INSTANT, "what": TEXT})),
            "decisions": many(decision),
        }
    )


@cache
def answers() -> dict[str, Json]:
    """The schema of each call's success, by its name."""
    of_payment = ref("ExpandedPayment")
    head = {"name": TEXT, "active": FLAG}
    return {
        "control.livez": record({"status": TEXT}),
        "control.readyz": record(
            {"status": TEXT, "workspaces": WHOLE, "scenarios": TEXT, "mistakes": many(TEXT)}, optional=("mistakes",)
        ),
        "control.version": record({"name": TEXT, "version": TEXT, "dialect": TEXT}),
        "control.workspaces": counted(ref("Workspace")),
        "control.reset": record({"reset": WHOLE, "workspace": ref("Workspace")}, optional=("workspace",)),
        "control.clock": ref("Clock"),
        "control.clock_freeze": ref("Clock"),
        "control.clock_resume": ref("Clock"),
        "control.clock_advance": record(
            {**_CLOCK, "fired": many(_DUE), "deliveries_left": WHOLE}, optional=("deliveries_left",)
        ),
        "control.cards": tables.cards(),
        "control.errors": tables.errors(),
        "control.states": {"type": "object", "additionalProperties": tables.machine()},
        "control.journal": counted(ref("JournalLine"), dropped=WHOLE),
        "control.forget_journal": record({"forgotten": WHOLE}),
        "control.timeline": _story(),
        "control.why": _why(),
        "control.export": {"$ref": "#/components/schemas/ScenarioDocument"},
        "control.authenticate": of_payment,
        "control.settle": of_payment,
        "control.fail": of_payment,
        "control.expire": of_payment,
        "control.hold": of_payment,
        "control.dispute": ref("Dispute"),
        "control.advance_dispute": ref("Dispute"),
        "control.settle_refund": ref("Refund"),
        "control.scenarios": tables.scenarios(),
        "control.scenario_schema": told(FREE, "A JSON Schema."),
        "control.scenario": ref("Scenario"),
        "control.put_scenario": record({**_SCENARIO, "warnings": many(TEXT)}),
        "control.drop_scenario": record({"name": TEXT, "dropped": FLAG}),
        "control.activate_scenario": record({**head, "activated_at": INSTANT}),
        "control.deactivate_scenario": record({**head, "was_active": FLAG}),
        "control.check_scenario": tables.checked(),
        "control.next": ref("Queue"),
        "control.put_next": ref("Queue"),
        "control.drop_next": record({"dropped": WHOLE}),
        "control.webhooks": counted(ref("InboxEvent"), dropped=WHOLE),
        "control.webhook": ref("InboxEvent"),
        "control.webhook_target": ref("WebhookTarget"),
        "control.set_webhook_target": ref("WebhookTarget"),
        "control.resend_webhook": record({**_EVENT, "made": many(ref("InboxAttempt"))}),
        "control.resend_webhooks": record({"event_ids": many(TEXT), "count": WHOLE}),
        "control.trigger_webhook": ref("InboxEvent"),
        "control.sign_webhook": record({"body": TEXT, "headers": ref("HeaderPairs"), "secret": TEXT}),
        "control.snapshots": counted(ref("SnapshotHead")),
        "control.take_snapshot": ref("SnapshotHead"),
        "control.snapshot": told(FREE, "A snapshot, whole: put it back with the call that takes one."),
        "control.drop_snapshot": ref("SnapshotHead"),
        "control.restore_snapshot": record({"restored": TEXT, "workspace": ref("Workspace")}),
    }


SCENARIO: Final = ref("ScenarioDocument")
"""A scenario is the same document in YAML and in JSON."""
MEDIA: Final = {
    "control.timeline": ("text/plain", "image/svg+xml"),
    "control.export": ("application/yaml", "text/x-python"),
    "control.metrics": (
        "text/plain",
        "application/openmetrics-text",
    ),
}
"""What a call can answer with beside JSON, or instead of it where it has no schema above."""
