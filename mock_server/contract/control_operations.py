"""The calls of the control API: one row a call, of the same form as those of the API (decisions "Control API")."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.operation import Needs, Operation
from mock_server.contract.operations import BY_NAME as API
from mock_server.contract.routes import ON_BODIES
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause as C

PREFIX: Final = "/_sandbox/"
DASHBOARD: Final = f"{PREFIX}ui"
SOURCE: Final = "ours: decisions, Control API"


def _row(name: str, method: str, path: str, needs: Needs, about: str, **more: Any) -> Operation:
    keys, changes = frozenset({KeyKind.SECRET}), method != "GET"
    return Operation(name, method, path, keys, changes, about, "", SOURCE, needs=needs, room="control.requests", **more)


_N, _K, _M, _W = Needs.NOTHING, Needs.KEY, Needs.MAYBE, Needs.WORKSPACE
_UNKNOWN: Final = (C.OBJECT_UNKNOWN,)
_TRIGGER: Final = (C.OBJECT_UNKNOWN, C.TRIGGER_FORBIDS, C.STATUS_FORBIDS)
_BROKEN: Final = (C.SCENARIO_BROKEN, C.JSON_MALFORMED, C.BODY_TOO_LARGE, C.NO_ROOM)
_SNAPSHOT: Final = (
    C.SNAPSHOT_FORMAT_UNKNOWN, C.SNAPSHOT_BROKEN, C.SNAPSHOT_TOO_LARGE, C.ADVANCE_RUNNING, C.VALUE_INVALID, C.NO_ROOM,
)  # fmt: skip

CONTROL_OPERATIONS: Final[tuple[Operation, ...]] = (
    _row("control.livez", "GET", "/_sandbox/livez", _N, "Check that the process is running.", answer="server.ALIVE"),
    _row("control.readyz", "GET", "/_sandbox/readyz", _N, "Check that the server is ready.", answer="server.READY"),
    _row("control.version", "GET", "/_sandbox/version", _N, "Get the version.", answer="server.VERSION"),
    _row("control.metrics", "GET", "/_sandbox/metrics", _N, "Get the server's metrics in Prometheus format."),
    _row("control.workspaces", "GET", "/_sandbox/workspaces", _N, "List workspaces with their counts.", answer="server.WORKSPACES"),
    _row("control.verdicts", "GET", "/_sandbox/verdicts", _N, "Check the clients of all workspaces in memory for mistakes.", answer="server.VERDICTS"),
    _row("control.reset", "POST", "/_sandbox/reset", _M, "Reset the key's workspace, or all workspaces if no key is sent.",
        body="RESET", answer="server.RESET"),
    _row("control.end", "DELETE", "/_sandbox/workspace", _K, "End the key's workspace; its next call begins a new one.", answer="server.GONE"),
    _row("control.clock", "GET", "/_sandbox/clock", _W, "Get the workspace's clock.", answer="server.CLOCK"),
    _row("control.clock_freeze", "POST", "/_sandbox/clock/freeze", _W, "Freeze the workspace's clock, now or at a given time.",
        body="FreezeBody", errors=(C.CLOCK_BACKWARDS, C.ADVANCE_RUNNING), answer="server.CLOCK"),
    _row("control.clock_advance", "POST", "/_sandbox/clock/advance", _W, "Advance the clock and return the scheduled events that happened.",
        body="ADVANCE", errors=(C.CLOCK_BACKWARDS, C.ADVANCE_RUNNING, C.WORKSPACE_GONE), answer="server.ADVANCED"),
    _row("control.clock_resume", "POST", "/_sandbox/clock/resume", _W, "Resume the clock from its current time.",
        body="NO_BODY", errors=(C.ADVANCE_RUNNING,), answer="server.CLOCK"),
    _row("control.dialect", "GET", "/_sandbox/dialect", _W, "Get the workspace's dialect.", answer="server.DIALECT"),
    _row("control.set_dialect", "PUT", "/_sandbox/dialect", _W, "Set the dialect of an empty workspace.",
        body="DialectBody", errors=(C.DIALECT_FIXED,), answer="server.DIALECT"),
    _row("control.cards", "GET", "/_sandbox/cards", _N, "List test cards.", answer="server.CARDS"),
    _row("control.errors", "GET", "/_sandbox/errors", _N, "List declines, error causes and public error codes.", answer="server.ERRORS"),
    _row("control.states", "GET", "/_sandbox/states", _N, "List the states of payments, refunds, disputes, mandates and saved methods, and the transitions between them.", answer="story.STATES"),
    _row("control.journal", "GET", "/_sandbox/journal", _W, "List recorded calls and page views, with the reasons for their outcomes.",
        query="JOURNAL", errors=(C.WORKSPACE_GONE,), answer="story.JOURNAL"),
    _row("control.forget_journal", "DELETE", "/_sandbox/journal", _W, "Clear the journal.", answer="scenarios.FORGOTTEN"),
    _row("control.search", "GET", "/_sandbox/search", _W, "Search payments and related records, events and calls.",
        query="SearchQuery", answer="story.FOUND"),
    _row("control.records", "GET", "/_sandbox/records/<kind>", _W, "List payments, refunds, disputes, mandates or events, without an entry in the journal.",
        errors=(C.VALUE_INVALID, C.UNKNOWN_PARAMETER, C.OBJECT_UNKNOWN, C.EVENT_FILTERS_EXCLUSIVE), answer="story.RECORDS"),
    _row("control.timeline", "GET", "/_sandbox/payments/<payment_id>/timeline", _W, "Get the history of a payment.",
        query="TimelineQuery", errors=_UNKNOWN, answer="story.TIMELINE"),
    _row("control.why", "GET", "/_sandbox/payments/<payment_id>/why", _W, "Explain the status of a payment.", errors=_UNKNOWN, answer="story.WHY_IT_STANDS"),
    _row("control.export", "GET", "/_sandbox/payments/<payment_id>/export", _W, "Export the history of a payment as a scenario.",
        errors=_UNKNOWN, answer="scenarios.DOCUMENT"),
    _row("control.authenticate", "POST", "/_sandbox/payments/<payment_id>/authenticate", _W, "Complete a 3-D Secure challenge or another customer page.",
        body="AuthenticateBody", errors=_TRIGGER, answer="story.PAYMENT"),
    _row("control.settle", "POST", "/_sandbox/payments/<payment_id>/settle", _W, "Settle a pending payment.",
        body="SETTLE", errors=_TRIGGER, answer="story.PAYMENT"),
    _row("control.fail", "POST", "/_sandbox/payments/<payment_id>/fail", _W, "Fail a pending payment.", body="FailBody", errors=_TRIGGER, answer="story.PAYMENT"),
    _row("control.expire", "POST", "/_sandbox/payments/<payment_id>/expire", _W, "Expire a session, a customer page or an authorization.",
        body="ExpireBody", errors=_TRIGGER, answer="story.PAYMENT"),
    _row("control.hold", "POST", "/_sandbox/payments/<payment_id>/hold", _W, "Hold a payment for review.",
        body="NO_BODY", errors=_TRIGGER, answer="story.PAYMENT"),
    _row("control.dispute", "POST", "/_sandbox/payments/<payment_id>/dispute", _W, "Open a dispute, as the customer's bank would.",
        body="OpenDisputeBody", errors=(*_TRIGGER, C.DISPUTE_OVER_CAPTURED), answer="story.DISPUTE"),
    _row("control.settle_refund", "POST", "/_sandbox/refunds/<refund_id>/settle", _W, "Settle a pending refund.",
        body="SETTLE_REFUND", errors=_TRIGGER, answer="story.REFUND"),
    _row("control.advance_dispute", "POST", "/_sandbox/disputes/<dispute_id>/advance", _W, "Resolve a dispute, or move it to a later stage.",
        body="AdvanceDisputeBody", errors=(C.DISPUTE_UNKNOWN, C.DISPUTE_STATUS_FORBIDS, C.TRIGGER_FORBIDS), answer="story.DISPUTE"),
    _row("control.scenarios", "GET", "/_sandbox/scenarios", _W, "List the available scenarios, and which of them are on.", answer="scenarios.SCENARIOS"),
    _row("control.scenario_schema", "GET", "/_sandbox/scenarios/schema", _N, "Get the JSON Schema of the scenario language.", answer="scenarios.SCHEMA"),
    _row("control.scenario", "GET", "/_sandbox/scenarios/<name>", _W, "Get a scenario with its text and counters.", errors=_UNKNOWN, answer="scenarios.SCENARIO"),
    _row("control.put_scenario", "PUT", "/_sandbox/scenarios/<name>", _W, "Create or replace a scenario of this workspace.",
        errors=_BROKEN, raw=True, large=True, answer="scenarios.PUT_SCENARIO"),
    _row("control.drop_scenario", "DELETE", "/_sandbox/scenarios/<name>", _W, "Delete a scenario of this workspace.", errors=_UNKNOWN, answer="scenarios.DROPPED_SCENARIO"),
    _row("control.activate_scenario", "POST", "/_sandbox/scenarios/<name>/activate", _W, "Turn a scenario on and reset its counters.",
        errors=_UNKNOWN, answer="scenarios.ACTIVATED"),
    _row("control.deactivate_scenario", "POST", "/_sandbox/scenarios/<name>/deactivate", _W, "Turn a scenario off.", errors=_UNKNOWN, answer="scenarios.DEACTIVATED"),
    _row("control.check_scenario", "POST", "/_sandbox/scenarios/<name>/check", _W, "Run the assertions of a scenario.",
        errors=(C.OBJECT_UNKNOWN, C.SCENARIO_NOT_ACTIVE), answer="scenarios.CHECKED"),
    _row("control.next", "GET", "/_sandbox/next", _W, "List the one-shot queue.", answer="scenarios.QUEUE"),
    _row("control.put_next", "POST", "/_sandbox/next", _W, "Queue an outcome for the next calls.",
        errors=(C.SCENARIO_BROKEN, C.NO_ROOM, *ON_BODIES), answer="scenarios.QUEUE"),
    _row("control.drop_next", "DELETE", "/_sandbox/next", _W, "Clear the one-shot queue.", answer="scenarios.EMPTIED"),
    _row("control.drop_next_one", "DELETE", "/_sandbox/next/<number>", _W, "Remove one entry of the one-shot queue, if it is still there.", answer="scenarios.EMPTIED"),
    _row("control.webhooks", "GET", "/_sandbox/webhooks", _W, "List the events of the inbox.",
        query="InboxQuery", errors=(C.WORKSPACE_GONE,), answer="scenarios.INBOX"),
    _row("control.webhook_target", "GET", "/_sandbox/webhooks/target", _W, "Get the endpoint for profiles that have none of their own.", answer="scenarios.TARGET"),
    _row("control.set_webhook_target", "PUT", "/_sandbox/webhooks/target", _W, "Set the endpoint for profiles that have none of their own.",
        body="TargetBody", errors=(C.WEBHOOK_HOST_FORBIDDEN, C.OBJECT_UNKNOWN), answer="scenarios.TARGET"),
    _row("control.webhook", "GET", "/_sandbox/webhooks/<event_id>", _W, "Get an event with all its delivery attempts.", errors=_UNKNOWN, answer="scenarios.INBOX_EVENT"),
    _row("control.resend_webhook", "POST", "/_sandbox/webhooks/<event_id>/resend", _W, "Resend an event and wait for the result.",
        body="NO_BODY", errors=_UNKNOWN, answer="scenarios.RESENT"),
    _row("control.resend_webhooks", "POST", "/_sandbox/webhooks/resend", _W, "Resend the given events, or the newest events that match a filter.",
        body="ResendBody", errors=_UNKNOWN, answer="scenarios.RESENT_MANY"),
    _row("control.trigger_webhook", "POST", "/_sandbox/webhooks/trigger", _W, "Send a test event for an object in its current state.",
        body="TriggerBody", errors=(C.OBJECT_UNKNOWN, C.DISPUTE_UNKNOWN), answer="scenarios.INBOX_EVENT"),
    _row("control.sign_webhook", "POST", "/_sandbox/webhooks/sign", _W, "Get the headers that a webhook body would be sent with.",
        body="SignBody", errors=_UNKNOWN, large=True, answer="scenarios.SIGNED"),
    _row("control.snapshots", "GET", "/_sandbox/snapshots", _N, "List snapshots.", answer="server.SNAPSHOTS"),
    _row("control.take_snapshot", "PUT", "/_sandbox/snapshots/<name>", _M, "Save the key's workspace, or the snapshot in the body, as a snapshot.",
        query="SnapshotQuery", errors=(*_SNAPSHOT, *ON_BODIES), large=True, raw=True, answer="server.SNAPSHOT"),
    _row("control.snapshot", "GET", "/_sandbox/snapshots/<name>", _N, "Get a snapshot.", errors=_UNKNOWN, answer="server.WHOLE_SNAPSHOT"),
    _row("control.drop_snapshot", "DELETE", "/_sandbox/snapshots/<name>", _N, "Delete a snapshot.", errors=_UNKNOWN, answer="server.SNAPSHOT"),
    _row("control.restore_snapshot", "POST", "/_sandbox/snapshots/<name>/restore", _K, "Replace the key's workspace with a snapshot.",
        body="NO_BODY", errors=(C.OBJECT_UNKNOWN, C.SNAPSHOT_FORMAT_UNKNOWN, C.SNAPSHOT_BROKEN), answer="server.RESTORED"),
)  # fmt: skip
BY_NAME: Final = {row.name: row for row in CONTROL_OPERATIONS}
EVERY: Final = {**API, **BY_NAME}
