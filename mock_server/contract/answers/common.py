"""Answers that are not about one record: the server's health, polls, counts by status, and the states of records."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.contract.answers.fields import AnswerShape, Constant, Field, Many, Tally, each, itself
from mock_server.contract.notation import FLAG, TEXT, many, words
from mock_server.domain.machine import StatusRow, Transition
from mock_server.domain.machines import ShownMachine
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import DisputeStatus, PaymentStatus, RefundStatus

HEALTH: Final[AnswerShape[str]] = AnswerShape(
    "Health",
    Field("status", words(("ok",)), of=Constant("ok"), nullable=False),
    Field("version", TEXT, of=str, nullable=False),
)
"""With the server's version (interface §4.3)."""

POLLS_BEGIN: Final = "external_authentication_"
"""The prefix of a poll's id, before the payment's id (ours: the public API does not specify it)."""


class Poll(NamedTuple):
    """A poll by a browser, and its payment, if there is one."""

    poll_id: str
    payment: Payment | None


def _waits(poll: Poll) -> str:
    if poll.payment is None:
        return "not_found"
    return "pending" if poll.payment.status is PaymentStatus.REQUIRES_ACTION else "completed"


POLL: Final[AnswerShape[Poll]] = AnswerShape(
    "Poll",
    Field("poll_id", TEXT, "facts §1.6", nullable=False),
    Field("status", words(("pending", "completed", "not_found")), "facts §1.6", of=_waits, nullable=False),
)
"""Whether a payment still waits for its customer."""


def _counts(kind: type[StrEnum]) -> AnswerShape[Mapping[Any, int]]:
    return AnswerShape.inline(
        f"{kind.__name__}Counts", Field("status_with_count", Tally(kind), of=itself, nullable=False)
    )


PAYMENT_COUNTS: Final = _counts(PaymentStatus)
REFUND_COUNTS: Final = _counts(RefundStatus)
DISPUTE_COUNTS: Final = _counts(DisputeStatus)
"""The number of records in each status, also if it is zero (facts §1.7)."""

_STATE: Final[AnswerShape[StatusRow]] = AnswerShape.inline(
    "State",
    Field("status", TEXT, of="name", nullable=False),
    Field("final", FLAG, nullable=False),
    *each(many(TEXT), "asks", "triggers", nullable=False),
)
_WAY: Final[AnswerShape[Transition[Any, Any]]] = AnswerShape.inline(
    "Way",
    Field("from", TEXT, of="source"),
    Field("what", TEXT, nullable=False),
    Field("to", TEXT, of="target", nullable=False),
    Field("event", TEXT),
    Field("source", TEXT, of="cites", nullable=False),
)
MACHINE: Final[AnswerShape[ShownMachine]] = AnswerShape.inline(
    "Machine",
    Field("states", Many(_STATE), nullable=False),
    Field("transitions", Many(_WAY), of="ways", nullable=False),
)
"""The states of one kind of record, and the transitions between them."""
