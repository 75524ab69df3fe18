"""The bodies and queries of control calls (decisions "Control API")."""

from __future__ import annotations

import re
from typing import Any, Final

from mock_server.contract.requests.fields import Flag, Text, Whole
from mock_server.contract.requests.rules import Rule
from mock_server.contract.requests.schema import Body
from mock_server.control.requests.fields import Duration, Named, Seed, WorkspaceInstant
from mock_server.control.requests.limits import LONGEST_WAIT_MS
from mock_server.domain import limits
from mock_server.domain.declines import DECLINES
from mock_server.domain.outcomes import Challenge, OutcomeStatus

OURS: Final = "ours: decisions, Control API"
SETTLE_WORDS: Final = tuple(map(str, (OutcomeStatus.SUCCEEDED, OutcomeStatus.FAILED, OutcomeStatus.PENDING)))
TIMELINE_FORMATS: Final = ("json", "text", "mermaid", "svg")
EXPIRE_WORDS: Final = ("session", "customer", "authorization")
DECLINE_NAMES: Final = tuple(row.name for row in DECLINES)
_STATUS: Final = Rule(re.compile(r"[1-5](?:[0-9]{2}|xx)").fullmatch, "must be an HTTP status such as 409 or 4xx")
_AT: Final = "2026-01-31T09:05:00.000Z"


def _decline(says: str, *, required: bool = False) -> Named:
    wrong = "must be the name of a decline; GET /_sandbox/errors lists them"
    return Named(DECLINE_NAMES, says, error=wrong, source=OURS, example="insufficient_funds", required=required)


class ResetBody(Body):
    """Who the new workspace is."""

    seed = Seed("Makes ids, secrets and draws the same in every run.", source=OURS, example="42")
    name = Text(
        "Stands for the workspace in what follows from the seed; by default it follows from the key.", source=OURS
    )


class FreezeBody(Body):
    """Where the clock stops."""

    at = WorkspaceInstant("The instant; now where it is not said.", source=OURS, example=_AT)


class AdvanceBody(Body):
    """How far the clock goes."""

    by = Duration("How much later.", source=OURS, example="24h")
    to = WorkspaceInstant("The instant itself.", source=OURS, example=_AT)
    deliver = Flag("Whether webhooks that fall due are sent.", source=OURS, example=True)


class AuthenticateBody(Body):
    """How it ends."""

    result = Named([str(word) for word in Challenge], "How it ends.", required=True, source=OURS, example="approved")


_SETTLE: Final = {
    "as": Named(SETTLE_WORDS, "How it closes.", required=True, source=OURS, example="succeeded"),
    "amount": Whole("How much came, if not all.", least=1, most=int(limits.AMOUNT_MAX), source=OURS, example=1000),
    "decline": _decline("Why it fails."),
}
SettleBody: Final[Any] = type("SettleBody", (Body,), {"__doc__": "How it closes.", **_SETTLE})
"""Made by hand because `as` is a word of Python's."""


class FailBody(Body):
    """Why it fails."""

    decline = _decline("Why it fails.", required=True)


class ExpireBody(Body):
    """What is over."""

    what = Named(EXPIRE_WORDS, "What is over.", required=True, source=OURS, example="customer")


class JournalQuery(Body):
    """Which lines of the journal."""

    operation = Text("An operation, or several: payments.*, control.*", source=OURS, example="payments.create")
    payment_id = Text("Lines about this payment.", source=OURS)
    status = Text("An HTTP status, or a hundred of them.", rules=[_STATUS], source=OURS, example="4xx")
    after = Whole("Only lines with a higher number.", least=0, most=int(limits.JSON_INTEGER), source=OURS, example=0)
    limit = Whole("The last so many.", least=1, most=10_000, source=OURS, example=100)
    wait = Duration("How long to wait for them, in real time.", most_ms=LONGEST_WAIT_MS, source=OURS, example="5s")
    count = Whole("For how many to wait.", least=1, most=1000, source=OURS, example=1)


class TimelineQuery(Body):
    """How a payment's story is told."""

    format = Named(TIMELINE_FORMATS, "In which form.", source=OURS, example="mermaid")
    colour = Named(("1", "0", "true", "false"), "Whether text has a terminal's colours.", source=OURS, example="1")


class SnapshotQuery(Body):
    """What is kept."""

    journal = Named(("1", "0", "true", "false"), "Whether the journal is kept too.", source=OURS, example="1")
