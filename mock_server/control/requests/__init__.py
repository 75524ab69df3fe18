"""The bodies and queries of the control API, each as a `Shape` that loads them.

A shape gives what was sent, by the names of the parameters of its view (`stages.view`). Instants and durations are the
workspace's, in ms.
"""

from __future__ import annotations

import re
from typing import Any, Final

from mock_server.contract.kinds.base import FieldPlace, read_as
from mock_server.contract.kinds.objects import Body
from mock_server.contract.kinds.rules import ValueRule
from mock_server.contract.kinds.texts import Guessed, Seed, Text
from mock_server.contract.kinds.values import Amount, Duration, Flag, Instant, Whole
from mock_server.contract.requests.shapes import NO_BODY as NO_BODY
from mock_server.contract.requests.shapes import asking, named
from mock_server.dialects import DIALECTS
from mock_server.domain import limits
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.instants import DAY_MS, LATEST, MINUTE_MS, parse_query
from mock_server.domain.outcomes import Challenge, OutcomeStatus
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.engine.disputes import TARGETS

OURS: Final = "ours: decisions, Control API"
SETTLE_WORDS: Final = tuple(map(str, (OutcomeStatus.SUCCEEDED, OutcomeStatus.FAILED, OutcomeStatus.PENDING)))
ENDS: Final = tuple(status.value for status in RefundStatus if status is not RefundStatus.PENDING)
TIMELINE_FORMATS: Final = ("json", "text", "mermaid", "svg")
EXPIRE_WORDS: Final = ("session", "customer", "authorization")
SHORTEST: Final = 2
"""The least number of characters in a search (ours)."""
LONGEST: Final = 200
GENERAL: Final = "general"
"""The reason of a dispute that is opened without one."""
DECLINE_NAMES: Final = tuple(row.name for row in DECLINES)
_STATUS: Final = ValueRule(re.compile(r"[1-5](?:[0-9]{2}|xx)").fullmatch, "must be an HTTP status such as 409 or 4xx")
_TWO: Final = ValueRule(lambda text: len(text) >= SHORTEST, f"must have {SHORTEST} characters or more")
LONGEST_MS: Final = 3650 * DAY_MS
LONGEST_WAIT_MS: Final = 10 * MINUTE_MS
_AT: Final = "2026-01-31T09:05:00.000Z"
_PARAMETER: Final = Cause.UNKNOWN_PARAMETER
TRUE: Final = frozenset({"1", "true"})
IS_TRUE: Final = read_as(TRUE.__contains__)
"""A flag of a query, where it is text."""
WAIT_MS: Final = FieldPlace(command="wait_ms")
ENOUGH: Final = FieldPlace(command="enough")


def decline(says: str, *, required: bool = False, example: str = "insufficient_funds") -> Guessed:
    """The name of a decline."""
    wrong = "must be the name of a decline; GET /_sandbox/errors lists them"
    return Guessed(DECLINE_NAMES, says, error=wrong, source=OURS, example=example, required=required)


class WorkspaceInstant(Instant):
    """An instant that a workspace's clock can show."""

    def parsed(self, text: str) -> int:
        at = parse_query(text)
        if not 0 <= at <= LATEST:
            raise ValueError("must be between the years 1970 and 9000")
        return at


class ResetBody(Body, source=OURS):
    """Seed and name of the new workspace."""

    seed = Seed("Seed that makes IDs, secrets and random choices the same in every run.", example="42")
    name = Text("Name of the workspace, used together with the seed. Derived from the key by default.")


class SnapshotQuery(Body, source=OURS):
    """What the snapshot includes."""

    journal = Guessed(("1", "0", "true", "false"), "Whether to include the journal.", example="1", place=IS_TRUE)


class DialectBody(Body, source=OURS):
    """Dialect of the workspace."""

    dialect = Guessed(sorted(DIALECTS), "Name of the dialect.", required=True, example="hyperswitch")


class FreezeBody(Body, source=OURS):
    """Time at which to freeze the clock."""

    at = WorkspaceInstant("Time to freeze at. Defaults to now.", example=_AT)


class AdvanceBody(Body, source=OURS):
    """How far to advance the clock."""

    by = Duration("Duration to advance by.", most_ms=LONGEST_MS, example="24h")
    to = WorkspaceInstant("Time to advance to.", example=_AT)
    deliver = Flag("Whether webhooks that become due are sent.", example=True)
    join = Flag("Whether to extend a running advance while it waits for a receiver.", example=True)


def _advance(**sent: Any) -> dict[str, Any]:
    """Checked after the single values, so that a wrong one is reported alone."""
    if ("by" in sent) == ("to" in sent):
        raise Refusal(Cause.VALUE_INVALID, fields=(FieldError("by", "is required, unless `to` is given"),))
    return sent


RESET: Final = named(ResetBody)
SNAPSHOT: Final = named(SnapshotQuery, _PARAMETER)
DIALECT: Final = named(DialectBody)
FREEZE: Final = named(FreezeBody)
ADVANCE: Final = asking(AdvanceBody, _advance)


class AuthenticateBody(Body, source=OURS):
    """Result of the challenge or page."""

    result = Guessed(list(map(str, Challenge)), "Result.", required=True, example="approved", place=read_as(Challenge))


def _settling(words: tuple[str, ...], example: str, place: FieldPlace, **more: Any) -> Any:
    """The body with a new status. It is made by `type` because `as` is a keyword of Python."""
    to = Guessed(words, "New status.", required=True, source=OURS, example=example, place=place)
    return type("SettleBody", (Body,), {"__doc__": "New status.", "as": to, **more})


SettleBody: Final = _settling(
    SETTLE_WORDS,
    "succeeded",
    FieldPlace(command="word", write=OutcomeStatus),
    amount=Amount("Amount received. Defaults to the full amount.", least=1, source=OURS, example=1000),
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


class ExpireBody(Body, source=OURS):
    """What expires."""

    what = Guessed(EXPIRE_WORDS, "What expires.", required=True, example="customer")


class OpenDisputeBody(Body, source=OURS):
    """Reason and amount of the dispute."""

    reason = Text(
        "Reason that the customer gives, as free text.",
        example="product_not_received",
        place=read_as(lambda text: text or GENERAL),
    )
    stage = Guessed(
        [str(stage) for stage in DisputeStage], "Stage of the dispute.", example="dispute", place=read_as(DisputeStage)
    )
    amount = Amount("Disputed amount. Defaults to the captured amount that is not refunded.", least=1, example=1000)


class AdvanceDisputeBody(Body, source=OURS):
    """Next status of the dispute."""

    to = Guessed(TARGETS, "Final status, or a later stage.", required=True, example="won")


AUTHENTICATE: Final = named(AuthenticateBody)
SETTLE: Final = named(SettleBody)
FAIL: Final = named(FailBody)
EXPIRE: Final = named(ExpireBody)
SETTLE_REFUND: Final = named(SettleRefundBody)
OPEN_DISPUTE: Final = named(OpenDisputeBody)
ADVANCE_DISPUTE: Final = named(AdvanceDisputeBody)


class JournalQuery(Body, source=OURS):
    """Filters for the journal."""

    operation = Text("Operation, such as payments.create or payments.*", example="payments.create")
    payment_id = Text("Entries about this payment.")
    status = Text("HTTP status, such as 409 or 4xx.", rules=[_STATUS], example="4xx")
    after = Whole("Entries with a higher number than this.", least=0, most=limits.JSON_INTEGER, example=0)
    limit = Whole("Maximum number of entries; the newest are returned.", least=1, most=10_000, example=100)
    wait = Duration("How long to wait for entries, in real time.", most_ms=LONGEST_WAIT_MS, example="5s", place=WAIT_MS)
    count = Whole("Number of entries to wait for.", least=1, most=1000, example=1, place=ENOUGH)


class SearchQuery(Body, source=OURS):
    """Text to search for."""

    text = Text(
        "Start of any ID; part of a customer's name, ID or email address, or of an order reference; last four digits"
        " of a card; an amount (65.40, €65.40, 65.40 USD, 6540); an error code or a decline.",
        most=LONGEST, rules=[_TWO], required=True, example="order-42",
    )  # fmt: skip


class TimelineQuery(Body, source=OURS):
    """Format of the history."""

    format = Guessed(TIMELINE_FORMATS, "Format.", example="mermaid")
    colour = Guessed(("1", "0", "true", "false"), "Whether text contains terminal colours.", example="1", place=IS_TRUE)


JOURNAL: Final = named(JournalQuery, _PARAMETER)
SEARCH: Final = named(SearchQuery, _PARAMETER)
TIMELINE: Final = named(TimelineQuery, _PARAMETER)
