"""The bodies and queries of the control API, each as a 'Shape' that loads them."""

from __future__ import annotations

import re
from typing import Any, Final

from mock_server.contract.kinds.base import FieldPlace, read_as
from mock_server.contract.kinds.objects import Body, Items
from mock_server.contract.kinds.rules import ValueRule
from mock_server.contract.kinds.texts import CallerId, Choice, Seed, Text, web_url
from mock_server.contract.kinds.values import Amount, Anything, Duration, Flag, Free, Instant, Whole
from mock_server.contract.requests.shapes import NO_BODY as NO_BODY
from mock_server.contract.requests.shapes import asking, named
from mock_server.dialects import DIALECTS
from mock_server.domain import declines, limits
from mock_server.domain.dispute import GENERAL
from mock_server.domain.errors import FieldError, Refusal, wrong_field
from mock_server.domain.events import EventType
from mock_server.domain.instants import DAY_MS, LATEST, MINUTE_MS, parse_query
from mock_server.domain.outcomes import Challenge, OutcomeStatus
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.engine.disputes import TARGETS
from mock_server.engine.payments.settle import EXPIRES
from mock_server.guesses import hint
from mock_server.jsontext import canonical
from mock_server.scenario.conditions.on import RECORDED, recorded

_OURS: Final = "ours: decisions, Control API"
SETTLE_WORDS: Final = tuple(map(str, (OutcomeStatus.SUCCEEDED, OutcomeStatus.FAILED, OutcomeStatus.PENDING)))
ENDS: Final = tuple(status.value for status in RefundStatus if status is not RefundStatus.PENDING)
LONG_ENOUGH: Final = re.compile("(?s)..|[^ -~]").match
"""Whether a text can be searched for: two characters, or one such as 王, which is a whole name (ours)."""
LONGEST: Final = 200
_STATUS: Final = ValueRule(re.compile(r"[1-5](?:[0-9]{2}|xx)").fullmatch, "must be an HTTP status such as 409 or 4xx")
_OPERATION: Final = ValueRule(
    recorded, lambda text: f"is not an operation such as payments.create or payments.*{hint(text, RECORDED)}"
)
_TWO: Final = ValueRule(LONG_ENOUGH, "must have 2 characters or more, or one that is not ASCII")
LONGEST_MS: Final = 3650 * DAY_MS
_LONGEST_WAIT_MS: Final = 10 * MINUTE_MS
_AT: Final = "2026-01-31T09:05:00.000Z"
_TRUE: Final = frozenset({"1", "true"})
IS_TRUE: Final = read_as(_TRUE.__contains__)
"""A flag of a query, where it is text."""
_WAIT_MS: Final = FieldPlace(command="wait_ms")
_ENOUGH: Final = FieldPlace(command="enough")


def decline(says: str, *, required: bool = False, example: str = "insufficient_funds") -> Choice:
    """The name of a decline."""
    error = "must be the name of a decline; GET /_sandbox/errors lists them"
    return Choice(declines.names(), says, error=error, source=_OURS, example=example, required=required)


class WorkspaceInstant(Instant):
    """An instant that a workspace's clock can show."""

    def parsed(self, text: str) -> int:
        at = parse_query(text)
        if not 0 <= at <= LATEST:
            raise ValueError("must be between the years 1970 and 9000")
        return at


class ResetBody(Body, source=_OURS):
    """Seed and name of the new workspace."""

    seed = Seed("Seed that makes IDs, secrets and random choices the same in every run.", example="42")
    name = Text("Name of the workspace, used together with the seed. Derived from the key by default.")


class SnapshotQuery(Body, source=_OURS):
    """What the snapshot includes."""

    journal = Choice(("1", "0", "true", "false"), "Whether to include the journal.", example="1", place=IS_TRUE)


class DialectBody(Body, source=_OURS):
    """Dialect of the workspace."""

    dialect = Choice(sorted(DIALECTS), "Name of the dialect.", required=True, example="hyperswitch")


class FreezeBody(Body, source=_OURS):
    """Time at which to freeze the clock."""

    at = WorkspaceInstant("Time to freeze at. Defaults to now.", example=_AT)


class AdvanceBody(Body, source=_OURS):
    """How far to advance the clock."""

    by = Duration("Duration to advance by.", most_ms=LONGEST_MS, example="24h")
    to = WorkspaceInstant("Time to advance to.", example=_AT)
    deliver = Flag("Whether webhooks that become due are sent before the answer (default) or after it.", example=True)
    join = Flag("Whether to extend a running advance while it waits for a receiver.", example=True)


def _advance(**sent: Any) -> dict[str, Any]:
    """Checked after the single values, so that a wrong one is reported alone."""
    if ("by" in sent) == ("to" in sent):
        problem = "cannot be sent together with `to`" if "by" in sent else "is required, unless `to` is given"
        raise wrong_field("by", problem)
    return sent


RESET: Final = named(ResetBody)
ADVANCE: Final = asking(AdvanceBody, _advance)


class AuthenticateBody(Body, source=_OURS):
    """Result of the challenge or page."""

    result = Choice(list(map(str, Challenge)), "Result.", required=True, example="approved", place=read_as(Challenge))


def _settling(words: tuple[str, ...], example: str, place: FieldPlace, **more: Any) -> Any:
    """The body with a new status. It is made by `type` because `as` is a keyword of Python."""
    to = Choice(words, "New status.", required=True, source=_OURS, example=example, place=place)
    return type("SettleBody", (Body,), {"__doc__": "New status.", "as": to, **more})


SettleBody: Final = _settling(
    SETTLE_WORDS,
    "succeeded",
    FieldPlace(command="word", write=OutcomeStatus),
    amount=Amount("Amount received. Defaults to the full amount.", least=1, source=_OURS, example=1000),
    decline=decline("Decline that explains the failure."),
)
SettleRefundBody: Final = _settling(
    ENDS,
    "failed",
    FieldPlace(command="status", write=RefundStatus),
    decline=decline("Decline that explains the failure.", example="refund_failed"),
)


class FailBody(Body):
    """Decline that explains the failure."""

    decline = decline("Decline that explains the failure.", required=True)


class ExpireBody(Body, source=_OURS):
    """What expires."""

    what = Choice(tuple(EXPIRES), "What expires.", required=True, example="customer")


class OpenDisputeBody(Body, source=_OURS):
    """Reason and amount of the dispute."""

    reason = Text(
        "Reason that the customer gives, as free text. Defaults to general.",
        example="product_not_received",
        place=read_as(lambda text: text or GENERAL),
    )
    stage = Choice(
        [*map(str, DisputeStage)],
        "Stage of the dispute, by default dispute.",
        example="dispute",
        place=read_as(DisputeStage),
    )
    amount = Amount(
        "Disputed amount; by default all that is neither refunded nor disputed, or if that is nothing, not disputed.",
        least=1,
        example=1000,
    )


class AdvanceDisputeBody(Body, source=_OURS):
    """Next status of the dispute."""

    to = Choice(TARGETS, "Final status, or a later stage.", required=True, example="won")


def _end(**sent: Any) -> dict[str, Any]:
    """What is said of an end must fit it: an amount to a success, a decline to a failure."""
    word = sent.get("word", sent.get("status"))
    fitting = {"amount": OutcomeStatus.SUCCEEDED, "decline": OutcomeStatus.FAILED}
    wrong = [name for name, fits in fitting.items() if name in sent and word != fits]
    if wrong:
        raise Refusal.of_fields([FieldError(name, f"needs `as: {fitting[name]}`, not {word}") for name in wrong])
    return sent


SETTLE: Final = asking(SettleBody, _end)
SETTLE_REFUND: Final = asking(SettleRefundBody, _end)


class JournalQuery(Body, source=_OURS):
    """Filters for the journal."""

    operation = Text("Operation, such as payments.create or payments.*", rules=[_OPERATION], example="payments.create")
    payment_id = Text("Entries about this payment.")
    status = Text("HTTP status, such as 409 or 4xx.", rules=[_STATUS], example="4xx")
    after = Whole("Entries with a higher number than this.", least=0, most=limits.JSON_INTEGER, example=0)
    limit = Whole("Maximum number, by default 100; the newest are returned.", least=1, most=10_000, example=100)
    wait = Duration("How long to wait, in real time.", most_ms=_LONGEST_WAIT_MS, example="5s", place=_WAIT_MS)
    count = Whole("Number of entries to wait for, by default 1.", least=1, most=1000, example=1, place=_ENOUGH)


class SearchQuery(Body, source=_OURS):
    """Text to search for."""

    text = Text(
        "Start of any ID; part of a customer's name, ID or email address, or of an order reference; last four digits"
        " of a card; an amount (65.40, €65.40, 65.40 USD, 6540); an error code or a decline. At least 2 characters.",
        most=LONGEST, rules=[_TWO], required=True, example="order-42",
    )  # fmt: skip


class TimelineQuery(Body, source=_OURS):
    """Format of the history."""

    format = Choice(("json", "text", "mermaid", "svg"), "Format. Defaults to json.", example="mermaid")
    colour = Choice(("1", "0", "true", "false"), "Whether text contains terminal colours.", example="1", place=IS_TRUE)


JOURNAL: Final = named(JournalQuery)


TYPES: Final = tuple(map(str, EventType))
_PROFILE: Final = "pro_0123456789abcdefghij"
_PAYMENT: Final = "pay_0123456789abcdefghij"
_EVENT: Final = "evt_0123456789abcdefghij"


def _type(says: str, *, required: bool = False) -> Choice:
    place = FieldPlace(command="event_type", write=EventType)
    return Choice(TYPES, says, source=_OURS, example="payment_succeeded", place=place, required=required)


IS_DELIVERED: Final = FieldPlace(command="is_delivered", write=lambda sent: sent is True or sent in _TRUE)
"""A flag, which is text in a query."""


class InboxQuery(Body, source=_OURS):
    """Filters for the inbox."""

    type = _type("Event type.")
    payment_id = Text("Events about this payment.", example=_PAYMENT)
    delivered = Choice(
        ("true", "false", "1", "0"), "Whether a sent event was accepted.", example="true", place=IS_DELIVERED
    )
    after = Whole("Events with a higher number than this.", least=0, most=limits.JSON_INTEGER, example=0)
    limit = Whole("Maximum, by default 100: the newest, or with `after` the oldest.", least=1, most=1000, example=100)
    offset = Whole("Number of newest events to skip.", least=0, most=10_000_000, example=0)
    wait = Duration("How long to wait, in real time.", most_ms=_LONGEST_WAIT_MS, example="5s", place=_WAIT_MS)
    count = Whole("Number of events to wait for, by default 1.", least=1, most=1000, example=1, place=_ENOUGH)


class TargetBody(Body, source=_OURS):
    """Endpoint for events."""

    url = web_url("URL of the receiver. Without it, no events are sent.", example="http://localhost:8000/webhooks")
    secret = Text("Secret that signs the events. Defaults to the workspace's secret.")
    profile_id = CallerId("ID of the profile to set it for.", example=_PROFILE)


class ResendBody(Body, source=_OURS):
    """Events to resend."""

    event_ids = Items(CallerId(), "IDs of the events; other filters are ignored.", example=[_EVENT])
    type = _type("Events of this type.")
    payment_id = Text("Events about this payment.", example=_PAYMENT)
    delivered = Flag("Whether a sent event was accepted.", example=False, place=IS_DELIVERED)
    limit = Whole("Maximum number, by default 100: the newest.", least=1, most=1000, example=100)


class TriggerBody(Body, source=_OURS):
    """Test event to send."""

    type = _type("Event type.", required=True)
    object_id = CallerId("ID of the payment, refund, dispute or mandate.", required=True, example=_PAYMENT)
    overrides = Free(
        "Values to change in the object; nested objects are merged.",
        example={"status": "failed"},
        place=read_as(lambda values: canonical(values) if values else None),
    )


class SignBody(Body, source=_OURS):
    """Body to sign, and the key."""

    body = Anything("Text, signed as it is, or JSON, which is serialised without spaces.", required=True, example={})
    profile_id = CallerId("Profile whose events are signed so: with its key, if it has a URL.", example=_PROFILE)
    secret = Text("Key that signs the body.")
