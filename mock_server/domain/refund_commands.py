"""What a caller can ask about refunds, as frozen imperatives (facts §1.2, §2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class CreateRefund(Struct, frozen=True, kw_only=True):
    """The body of create, amount in minor units; `carried` is what the refund keeps of it, by its attributes."""

    payment_id: str
    refund_id: str | None = None
    merchant_id: str | None = None
    amount: int | None = None
    carried: Mapping[str, Any] = field(default_factory=dict)


class UpdateRefund(Struct, frozen=True):
    """New words for a refund, by its attributes; its money never changes. A replacement carries None for the unsaid."""

    carried: Mapping[str, Any]


class RetrieveRefund(Struct, frozen=True, kw_only=True):
    """The query of a refund retrieve; as a body (sync) it names the refund."""

    refund_id: str | None = None
    force_sync: bool = False
