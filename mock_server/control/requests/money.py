"""The bodies of the triggers on refunds and disputes (decisions "Control API")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from mock_server.contract.kinds.objects import Body
from mock_server.contract.kinds.texts import Guessed, Text
from mock_server.contract.kinds.values import Whole
from mock_server.contract.requests.shapes import Shape
from mock_server.control.requests import OURS, decline
from mock_server.domain import limits
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.engine.disputes import TARGETS

ENDS: Final = tuple(status.value for status in RefundStatus if status is not RefundStatus.PENDING)

_SETTLE: Final = {
    "as": Guessed(ENDS, "New status.", required=True, source=OURS, example="failed"),
    "decline": decline("Decline that explains the failure.", example="refund_failed"),
}
SettleRefundBody: Final[Any] = type("SettleRefundBody", (Body,), {"__doc__": "New status.", **_SETTLE})
"""Made by hand because `as` is a word of Python's."""


class OpenDisputeBody(Body):
    """Reason and amount of the dispute."""

    reason = Text("Reason that the customer gives, as free text.", source=OURS, example="product_not_received")
    stage = Guessed([str(stage) for stage in DisputeStage], "Stage of the dispute.", source=OURS, example="dispute")
    amount = Whole(
        "Disputed amount. Defaults to the captured amount that is not refunded.",
        least=1,
        most=int(limits.AMOUNT_MAX),
        source=OURS,
        example=1000,
    )


class AdvanceDisputeBody(Body):
    """Next status of the dispute."""

    to = Guessed(TARGETS, "Final status, or a later stage.", required=True, source=OURS, example="won")


DEFAULT_REASON: Final = "general"


class SettleRefund(Struct, frozen=True):
    """Bring a refund to a status; `decline` names why it fails."""

    status: RefundStatus
    decline: str | None = None


class OpenDispute(Struct, frozen=True):
    """Dispute a payment, over the captured rest unless an amount is given (minor units)."""

    reason: str = DEFAULT_REASON
    stage: DisputeStage = DisputeStage.DISPUTE
    amount: int | None = None


class AdvanceDispute(Struct, frozen=True):
    """Bring a dispute to its end, or to a later stage."""

    to: str


def _settle(loaded: Mapping[str, Any]) -> SettleRefund:
    return SettleRefund(RefundStatus(loaded["as"]), loaded.get("decline"))


def _open(loaded: Mapping[str, Any]) -> OpenDispute:
    stage = loaded.get("stage") or DisputeStage.DISPUTE
    return OpenDispute(loaded.get("reason") or DEFAULT_REASON, DisputeStage(stage), loaded.get("amount"))


SETTLE_REFUND: Final = Shape(SettleRefundBody, _settle)
OPEN_DISPUTE: Final = Shape(OpenDisputeBody, _open)
ADVANCE_DISPUTE: Final = Shape(AdvanceDisputeBody, lambda loaded: AdvanceDispute(loaded["to"]))
