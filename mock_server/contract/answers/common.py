"""Answers that are about no one record: whether the server is up, and how many records stand in each status."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from mock_server.contract.answers.fields import AnswerShape, Constant, Field, Tally
from mock_server.contract.notation import TEXT, words
from mock_server.domain.statuses import DisputeStatus, PaymentStatus, RefundStatus

HEALTH: Final[AnswerShape[str]] = AnswerShape(
    "Health",
    Field("status", words(("ok",)), of=Constant("ok"), nullable=False),
    Field("version", TEXT, of=str, nullable=False),
)
"""With the server's version (interface §4.3)."""


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
