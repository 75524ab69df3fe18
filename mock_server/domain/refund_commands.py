"""What a caller can ask about refunds, as frozen imperatives (facts §1.2, §2.5)."""

from __future__ import annotations

from msgspec import Struct

from mock_server.domain.commands import JsonText


class CreateRefund(Struct, frozen=True, kw_only=True):
    """The body of create, and of replace, which reads reason and metadata alone. Amount in minor units."""

    payment_id: str
    refund_id: str | None = None
    merchant_id: str | None = None
    amount: int | None = None
    reason: str | None = None
    refund_type: str | None = None
    metadata: JsonText | None = None
    split_refunds: JsonText | None = None


class UpdateRefund(Struct, frozen=True, kw_only=True):
    """New words for a refund; its money never changes."""

    reason: str | None = None
    metadata: JsonText | None = None


class RetrieveRefund(Struct, frozen=True, kw_only=True):
    """The query of a refund retrieve; as a body (sync) it names the refund."""

    refund_id: str | None = None
    force_sync: bool = False
