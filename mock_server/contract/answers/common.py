"""Answers that are about no one record: whether the server is up, how many stand in each status, the statuses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.contract.answers.fields import AnswerShape, Constant, Field, Many, Tally
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
"""What stands before the payment's id in the id of a poll (ours: the public API leaves it open)."""


class Poll(NamedTuple):
    """What a browser asks again and again, and the payment that it names, if there is one."""

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
    return AnswerShape(
        f"{kind.__name__}Counts",
        Field("status_with_count", Tally(kind), of=lambda counts: counts, nullable=False),
        inline=True,
    )


PAYMENT_COUNTS: Final = _counts(PaymentStatus)
REFUND_COUNTS: Final = _counts(RefundStatus)
DISPUTE_COUNTS: Final = _counts(DisputeStatus)
"""How many records stand in each status, those with none included (facts §1.7)."""

_STATE: Final[AnswerShape[StatusRow]] = AnswerShape(
    "State",
    Field("status", TEXT, of="name", nullable=False),
    Field("final", FLAG, nullable=False),
    Field("asks", many(TEXT), nullable=False),
    Field("triggers", many(TEXT), nullable=False),
    inline=True,
)
_WAY: Final[AnswerShape[Transition[Any, Any]]] = AnswerShape(
    "Way",
    Field("from", TEXT, of="source"),
    Field("what", TEXT, nullable=False),
    Field("to", TEXT, of="target", nullable=False),
    Field("event", TEXT),
    Field("source", TEXT, of="cites", nullable=False),
    inline=True,
)
MACHINE: Final[AnswerShape[ShownMachine]] = AnswerShape(
    "Machine",
    Field("states", Many(_STATE), nullable=False),
    Field("transitions", Many(_WAY), of="ways", nullable=False),
    inline=True,
)
"""The states of one sort of record, and the ways between them."""
