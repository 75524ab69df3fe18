"""The calls of the control API: one row a call, with its name in the OpenAPI document (decisions "Control API")."""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from mock_server.contract.operations import Effect, Operation
from mock_server.domain.api_keys import KeyKind

PREFIX: Final = "/_sandbox/"
SOURCE: Final = "ours: decisions, Control API"
_KEYS: Final = frozenset({KeyKind.SECRET})


class Needs(StrEnum):
    """What a call wants to know of the caller's key."""

    NOTHING = "nothing"
    """For everybody; a key is not looked at."""
    KEY = "key"
    """A key; its workspace is not touched before the view does it."""
    MAYBE = "maybe"
    """A key or none: without one the call is about the whole server."""
    WORKSPACE = "workspace"
    """A key, and its workspace with everything applied that is due."""


class ControlOperation(NamedTuple):
    """One call: `raw` bodies are not parsed, `large` ones may have the size of the setting `max_control_body`, `opens`
    pages may be opened from a link on any site.
    """

    name: str
    method: str
    path: str
    needs: Needs
    about: str
    raw: bool = False
    large: bool = False
    opens: bool = False
    source: str = SOURCE

    @property
    def operation(self) -> Operation:
        """The row as calls carry it."""
        return _as_operation(self)


@cache
def _as_operation(row: ControlOperation) -> Operation:
    effect = Effect.READ if row.method == "GET" else Effect.CHANGE
    return Operation(row.name, row.method, row.path, _KEYS, effect, row.source, large=row.large)


_N, _K, _M, _W = Needs.NOTHING, Needs.KEY, Needs.MAYBE, Needs.WORKSPACE
_Op: Final = ControlOperation

CONTROL_OPERATIONS: Final[tuple[ControlOperation, ...]] = (
    _Op("control.livez", "GET", "/_sandbox/livez", _N, "Whether the process serves."),
    _Op("control.readyz", "GET", "/_sandbox/readyz", _N, "Whether it can do its work."),
    _Op("control.version", "GET", "/_sandbox/version", _N, "Which version this is."),
    _Op("control.metrics", "GET", "/_sandbox/metrics", _N, "The server's figures, as Prometheus reads them."),
    _Op("control.workspaces", "GET", "/_sandbox/workspaces", _N, "The workspaces there are, with their counts."),
    _Op("control.reset", "POST", "/_sandbox/reset", _M, "A new workspace in the key's place; without a key all workspaces go."),
    _Op("control.clock", "GET", "/_sandbox/clock", _W, "The workspace's time."),
    _Op("control.clock_freeze", "POST", "/_sandbox/clock/freeze", _W, "Stops the workspace's clock, now or at an instant."),
    _Op("control.clock_advance", "POST", "/_sandbox/clock/advance", _W, "Leads the clock on; answers with what fell due."),
    _Op("control.clock_resume", "POST", "/_sandbox/clock/resume", _W, "Lets the clock go on from where it stands."),
    _Op("control.cards", "GET", "/_sandbox/cards", _N, "The test cards."),
    _Op("control.errors", "GET", "/_sandbox/errors", _N, "Every reason for a refusal, and the public codes."),
    _Op("control.states", "GET", "/_sandbox/states", _N, "The states of payments, refunds, disputes, mandates and saved methods, and the ways between them."),
    _Op("control.journal", "GET", "/_sandbox/journal", _W, "Calls and pages, with the reasons of what was decided."),
    _Op("control.forget_journal", "DELETE", "/_sandbox/journal", _W, "Empties the journal."),
    _Op("control.timeline", "GET", "/_sandbox/payments/<payment_id>/timeline", _W, "What happened to a payment, in order."),
    _Op("control.why", "GET", "/_sandbox/payments/<payment_id>/why", _W, "Why a payment stands where it stands."),
    _Op("control.export", "GET", "/_sandbox/payments/<payment_id>/export", _W, "The scenario that replays what happened to a payment."),
    _Op("control.authenticate", "POST", "/_sandbox/payments/<payment_id>/authenticate", _W, "Ends a challenge or a customer's page."),
    _Op("control.settle", "POST", "/_sandbox/payments/<payment_id>/settle", _W, "Closes a payment that is open."),
    _Op("control.fail", "POST", "/_sandbox/payments/<payment_id>/fail", _W, "Fails a payment that is open."),
    _Op("control.expire", "POST", "/_sandbox/payments/<payment_id>/expire", _W, "Ends a session, a customer's time or an authorization."),
    _Op("control.hold", "POST", "/_sandbox/payments/<payment_id>/hold", _W, "Puts a payment under review."),
    _Op("control.dispute", "POST", "/_sandbox/payments/<payment_id>/dispute", _W, "Lets the customer's bank dispute a payment."),
    _Op("control.settle_refund", "POST", "/_sandbox/refunds/<refund_id>/settle", _W, "Brings a refund to its end."),
    _Op("control.advance_dispute", "POST", "/_sandbox/disputes/<dispute_id>/advance", _W, "Brings a dispute to its end, or to a later stage."),
    _Op("control.scenarios", "GET", "/_sandbox/scenarios", _W, "The scenarios within the workspace's reach, and which are on."),
    _Op("control.scenario_schema", "GET", "/_sandbox/scenarios/schema", _N, "The JSON Schema of the scenario language."),
    _Op("control.scenario", "GET", "/_sandbox/scenarios/<name>", _W, "One scenario: its text, and what it has counted."),
    _Op("control.put_scenario", "PUT", "/_sandbox/scenarios/<name>", _W, "Adds or replaces a scenario of this workspace.", raw=True, large=True),
    _Op("control.drop_scenario", "DELETE", "/_sandbox/scenarios/<name>", _W, "Takes a scenario of this workspace away."),
    _Op("control.activate_scenario", "POST", "/_sandbox/scenarios/<name>/activate", _W, "Turns a scenario on; its counters start anew."),
    _Op("control.deactivate_scenario", "POST", "/_sandbox/scenarios/<name>/deactivate", _W, "Turns a scenario off."),
    _Op("control.check_scenario", "POST", "/_sandbox/scenarios/<name>/check", _W, "Whether what a scenario expects holds now."),
    _Op("control.next", "GET", "/_sandbox/next", _W, "What the one-shot queue holds."),
    _Op("control.put_next", "POST", "/_sandbox/next", _W, "Says what the next such calls come to."),
    _Op("control.drop_next", "DELETE", "/_sandbox/next", _W, "Empties the one-shot queue."),
    _Op("control.webhooks", "GET", "/_sandbox/webhooks", _W, "The inbox: every event that was told."),
    _Op("control.webhook_target", "GET", "/_sandbox/webhooks/target", _W, "Where events are sent that have no address of their own."),
    _Op("control.set_webhook_target", "PUT", "/_sandbox/webhooks/target", _W, "Says where they are sent."),
    _Op("control.webhook", "GET", "/_sandbox/webhooks/<event_id>", _W, "One event, with every attempt to deliver it."),
    _Op("control.resend_webhook", "POST", "/_sandbox/webhooks/<event_id>/resend", _W, "Sends an event again, and waits for what comes of it."),
    _Op("control.resend_webhooks", "POST", "/_sandbox/webhooks/resend", _W, "Sends again what a filter finds."),
    _Op("control.trigger_webhook", "POST", "/_sandbox/webhooks/trigger", _W, "Tells any event of an object as it stands."),
    _Op("control.sign_webhook", "POST", "/_sandbox/webhooks/sign", _W, "The headers that a body would be sent with.", large=True),
    _Op("control.snapshots", "GET", "/_sandbox/snapshots", _N, "The snapshots that are kept."),
    _Op("control.take_snapshot", "PUT", "/_sandbox/snapshots/<name>", _M, "Keeps the key's workspace, or the snapshot in the body.", large=True, raw=True),
    _Op("control.snapshot", "GET", "/_sandbox/snapshots/<name>", _N, "One snapshot, whole."),
    _Op("control.drop_snapshot", "DELETE", "/_sandbox/snapshots/<name>", _N, "Forgets a snapshot."),
    _Op("control.restore_snapshot", "POST", "/_sandbox/snapshots/<name>/restore", _K, "Puts a snapshot in the place of the key's workspace."),
)  # fmt: skip
"""Every call of the control API."""
