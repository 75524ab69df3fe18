"""The requests of the triggers on refunds and disputes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from mock_server.contract.requests.load import Shape
from mock_server.domain.statuses import DisputeStage, RefundStatus

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


def _schema(name: str) -> Any:
    from mock_server.control.requests import money_bodies

    return getattr(money_bodies, name)()


def _settle(loaded: Mapping[str, Any]) -> SettleRefund:
    return SettleRefund(RefundStatus(loaded["as"]), loaded.get("decline"))


def _open(loaded: Mapping[str, Any]) -> OpenDispute:
    stage = loaded.get("stage") or DisputeStage.DISPUTE
    return OpenDispute(loaded.get("reason") or DEFAULT_REASON, DisputeStage(stage), loaded.get("amount"))


SETTLE_REFUND: Final = Shape(lambda: _schema("SettleRefundBody"), _settle)
OPEN_DISPUTE: Final = Shape(lambda: _schema("OpenDisputeBody"), _open)
ADVANCE_DISPUTE: Final = Shape(lambda: _schema("AdvanceDisputeBody"), lambda loaded: AdvanceDispute(loaded["to"]))
