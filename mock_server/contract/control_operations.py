"""The calls of the control API: one row a call, in the form of the API's (decisions "Control API")."""

# ruff: noqa: E501  (one row, one line or two)

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.operation import Effect, Needs, Operation
from mock_server.contract.operations import BY_NAME as API
from mock_server.contract.routes import ON_BODIES
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.causes import Cause as C

PREFIX: Final = "/_sandbox/"
DASHBOARD: Final = f"{PREFIX}ui"
SOURCE: Final = "ours: decisions, Control API"
_KEYS: Final = frozenset({KeyKind.SECRET})


def _row(name: str, method: str, path: str, needs: Needs, about: str, **more: Any) -> Operation:
    effect = Effect.READ if method == "GET" else Effect.CHANGE
    return Operation(name, method, path, _KEYS, effect, about, "", SOURCE, needs=needs, room="control.requests", **more)


_N, _K, _M, _W = Needs.NOTHING, Needs.KEY, Needs.MAYBE, Needs.WORKSPACE
_UNKNOWN: Final = (C.OBJECT_UNKNOWN,)
_TRIGGER: Final = (C.OBJECT_UNKNOWN, C.TRIGGER_FORBIDS, C.STATUS_FORBIDS)
_BROKEN: Final = (C.SCENARIO_BROKEN, C.JSON_MALFORMED, C.BODY_TOO_LARGE, C.NO_ROOM)
_SNAPSHOT: Final = (
    C.SNAPSHOT_FORMAT_UNKNOWN,
    C.SNAPSHOT_BROKEN,
    C.SNAPSHOT_TOO_LARGE,
    C.ADVANCE_RUNNING,
    C.VALUE_INVALID,
    C.NO_ROOM,
)

CONTROL_OPERATIONS: Final[tuple[Operation, ...]] = (
    _row("control.livez", "GET", "/_sandbox/livez", _N, "Whether the process serves."),
    _row("control.readyz", "GET", "/_sandbox/readyz", _N, "Whether it can do its work."),
    _row("control.version", "GET", "/_sandbox/version", _N, "Which version this is."),
    _row("control.metrics", "GET", "/_sandbox/metrics", _N, "The server's figures, as Prometheus reads them."),
    _row("control.workspaces", "GET", "/_sandbox/workspaces", _N, "The workspaces there are, with their counts."),
    _row("control.reset", "POST", "/_sandbox/reset", _M, "A new workspace in the key's place; without a key all workspaces go.",
        body="RESET"),
    _row("control.clock", "GET", "/_sandbox/clock", _W, "The workspace's time."),
    _row("control.clock_freeze", "POST", "/_sandbox/clock/freeze", _W, "Stops the workspace's clock, now or at an instant.",
        body="FREEZE", errors=(C.CLOCK_BACKWARDS, C.ADVANCE_RUNNING)),
    _row("control.clock_advance", "POST", "/_sandbox/clock/advance", _W, "Leads the clock on; answers with what fell due.",
        body="ADVANCE", errors=(C.CLOCK_BACKWARDS, C.ADVANCE_RUNNING, C.WORKSPACE_GONE)),
    _row("control.clock_resume", "POST", "/_sandbox/clock/resume", _W, "Lets the clock go on from where it stands.",
        body="NO_BODY", errors=(C.ADVANCE_RUNNING,)),
    _row("control.dialect", "GET", "/_sandbox/dialect", _W, "The dialect that the workspace speaks."),
    _row("control.set_dialect", "PUT", "/_sandbox/dialect", _W, "Has the workspace speak another one, while it holds nothing.",
        body="DIALECT", errors=(C.DIALECT_FIXED,)),
    _row("control.cards", "GET", "/_sandbox/cards", _N, "The test cards."),
    _row("control.errors", "GET", "/_sandbox/errors", _N, "Every reason for a refusal, and the public codes."),
    _row("control.states", "GET", "/_sandbox/states", _N, "The states of payments, refunds, disputes, mandates and saved methods, and the ways between them."),
    _row("control.journal", "GET", "/_sandbox/journal", _W, "Calls and pages, with the reasons of what was decided.",
        query="JOURNAL", errors=(C.WORKSPACE_GONE,)),
    _row("control.forget_journal", "DELETE", "/_sandbox/journal", _W, "Empties the journal."),
    _row("control.search", "GET", "/_sandbox/search", _W, "What a text leads to: payments and what belongs to them, events, calls.",
        query="SEARCH"),
    _row("control.timeline", "GET", "/_sandbox/payments/<payment_id>/timeline", _W, "What happened to a payment, in order.",
        query="TIMELINE", errors=_UNKNOWN),
    _row("control.why", "GET", "/_sandbox/payments/<payment_id>/why", _W, "Why a payment stands where it stands.", errors=_UNKNOWN),
    _row("control.export", "GET", "/_sandbox/payments/<payment_id>/export", _W, "The scenario that replays what happened to a payment.",
        errors=_UNKNOWN),
    _row("control.authenticate", "POST", "/_sandbox/payments/<payment_id>/authenticate", _W, "Ends a challenge or a customer's page.",
        body="AUTHENTICATE", errors=_TRIGGER),
    _row("control.settle", "POST", "/_sandbox/payments/<payment_id>/settle", _W, "Closes a payment that is open.",
        body="SETTLE", errors=_TRIGGER),
    _row("control.fail", "POST", "/_sandbox/payments/<payment_id>/fail", _W, "Fails a payment that is open.", body="FAIL", errors=_TRIGGER),
    _row("control.expire", "POST", "/_sandbox/payments/<payment_id>/expire", _W, "Ends a session, a customer's time or an authorization.",
        body="EXPIRE", errors=_TRIGGER),
    _row("control.hold", "POST", "/_sandbox/payments/<payment_id>/hold", _W, "Puts a payment under review.",
        body="NO_BODY", errors=_TRIGGER),
    _row("control.dispute", "POST", "/_sandbox/payments/<payment_id>/dispute", _W, "Lets the customer's bank dispute a payment.",
        body="money.OPEN_DISPUTE", errors=(*_TRIGGER, C.DISPUTE_OVER_CAPTURED)),
    _row("control.settle_refund", "POST", "/_sandbox/refunds/<refund_id>/settle", _W, "Brings a refund to its end.",
        body="money.SETTLE_REFUND", errors=_TRIGGER),
    _row("control.advance_dispute", "POST", "/_sandbox/disputes/<dispute_id>/advance", _W, "Brings a dispute to its end, or to a later stage.",
        body="money.ADVANCE_DISPUTE", errors=(C.DISPUTE_UNKNOWN, C.DISPUTE_STATUS_FORBIDS, C.TRIGGER_FORBIDS)),
    _row("control.scenarios", "GET", "/_sandbox/scenarios", _W, "The scenarios within the workspace's reach, and which are on."),
    _row("control.scenario_schema", "GET", "/_sandbox/scenarios/schema", _N, "The JSON Schema of the scenario language."),
    _row("control.scenario", "GET", "/_sandbox/scenarios/<name>", _W, "One scenario: its text, and what it has counted.", errors=_UNKNOWN),
    _row("control.put_scenario", "PUT", "/_sandbox/scenarios/<name>", _W, "Adds or replaces a scenario of this workspace.",
        errors=_BROKEN, raw=True, large=True),
    _row("control.drop_scenario", "DELETE", "/_sandbox/scenarios/<name>", _W, "Takes a scenario of this workspace away.", errors=_UNKNOWN),
    _row("control.activate_scenario", "POST", "/_sandbox/scenarios/<name>/activate", _W, "Turns a scenario on; its counters start anew.",
        errors=_UNKNOWN),
    _row("control.deactivate_scenario", "POST", "/_sandbox/scenarios/<name>/deactivate", _W, "Turns a scenario off.", errors=_UNKNOWN),
    _row("control.check_scenario", "POST", "/_sandbox/scenarios/<name>/check", _W, "Whether what a scenario expects holds now.",
        errors=(C.OBJECT_UNKNOWN, C.SCENARIO_NOT_ACTIVE)),
    _row("control.next", "GET", "/_sandbox/next", _W, "What the one-shot queue holds."),
    _row("control.put_next", "POST", "/_sandbox/next", _W, "Says what the next such calls come to.",
        errors=(C.SCENARIO_BROKEN, *ON_BODIES)),
    _row("control.drop_next", "DELETE", "/_sandbox/next", _W, "Empties the one-shot queue."),
    _row("control.webhooks", "GET", "/_sandbox/webhooks", _W, "The inbox: every event that was told.",
        query="webhooks.INBOX", errors=(C.WORKSPACE_GONE,)),
    _row("control.webhook_target", "GET", "/_sandbox/webhooks/target", _W, "Where events are sent that have no address of their own."),
    _row("control.set_webhook_target", "PUT", "/_sandbox/webhooks/target", _W, "Says where they are sent.",
        body="webhooks.TARGET", errors=(C.WEBHOOK_HOST_FORBIDDEN, C.OBJECT_UNKNOWN)),
    _row("control.webhook", "GET", "/_sandbox/webhooks/<event_id>", _W, "One event, with every attempt to deliver it.", errors=_UNKNOWN),
    _row("control.resend_webhook", "POST", "/_sandbox/webhooks/<event_id>/resend", _W, "Sends an event again, and waits for what comes of it.",
        body="NO_BODY", errors=_UNKNOWN),
    _row("control.resend_webhooks", "POST", "/_sandbox/webhooks/resend", _W, "Sends again what is named or what a filter finds.",
        body="webhooks.RESEND", errors=_UNKNOWN),
    _row("control.trigger_webhook", "POST", "/_sandbox/webhooks/trigger", _W, "Tells any event of an object as it stands.",
        body="webhooks.TRIGGER", errors=(C.OBJECT_UNKNOWN, C.DISPUTE_UNKNOWN)),
    _row("control.sign_webhook", "POST", "/_sandbox/webhooks/sign", _W, "The headers that a body would be sent with.",
        body="webhooks.SIGN", errors=_UNKNOWN, large=True),
    _row("control.snapshots", "GET", "/_sandbox/snapshots", _N, "The snapshots that are kept."),
    _row("control.take_snapshot", "PUT", "/_sandbox/snapshots/<name>", _M, "Keeps the key's workspace, or the snapshot in the body.",
        query="SNAPSHOT", errors=(*_SNAPSHOT, *ON_BODIES), large=True, raw=True),
    _row("control.snapshot", "GET", "/_sandbox/snapshots/<name>", _N, "One snapshot, whole.", errors=_UNKNOWN),
    _row("control.drop_snapshot", "DELETE", "/_sandbox/snapshots/<name>", _N, "Forgets a snapshot.", errors=_UNKNOWN),
    _row("control.restore_snapshot", "POST", "/_sandbox/snapshots/<name>/restore", _K, "Puts a snapshot in the place of the key's workspace.",
        body="NO_BODY", errors=(C.OBJECT_UNKNOWN, C.SNAPSHOT_FORMAT_UNKNOWN, C.SNAPSHOT_BROKEN)),
)  # fmt: skip
"""Every call of the control API."""
BY_NAME: Final = {row.name: row for row in CONTROL_OPERATIONS}
"""The row of each call."""
EVERY: Final = {**API, **BY_NAME}
"""The row of each call of both APIs."""
