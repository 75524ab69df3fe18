"""A mandate: the customer's permission to be charged later, once or within limits (facts §2.8, §8)."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final

from mock_server.domain.commands import JsonText
from mock_server.domain.events import EventType
from mock_server.domain.machine import Machine
from mock_server.domain.payment import KeptCard
from mock_server.domain.records import Record
from mock_server.domain.statuses import MandateStatus


class MandateTrigger(StrEnum):
    """What happened to a mandate."""

    AGREED = "agreed"
    USED_UP = "used_up"
    REVOKED = "revoked"


_M, _H = MandateStatus, MandateTrigger

MANDATE_MACHINE: Final = Machine(
    "mandates",
    _M,
    (
        ((None,), _H.AGREED, _M.ACTIVE, EventType.MANDATE_ACTIVE, "facts §3.7"),
        ((_M.ACTIVE,), _H.USED_UP, _M.INACTIVE, None, "ours: a single use is over"),
        ((_M.ACTIVE,), _H.REVOKED, _M.REVOKED, EventType.MANDATE_REVOKED, "facts §3.7"),
    ),
    final=(_M.INACTIVE, _M.REVOKED),
)


class Mandate(Record, frozen=True, kw_only=True):
    """What was agreed and what was charged under it; amounts in minor units of `currency`, instants in ms UTC.

    Without `amount` there is no limit. For several uses it limits their sum; the payment that created the mandate does
    not count.
    """

    MACHINE: ClassVar = MANDATE_MACHINE

    mandate_id: str
    merchant_id: str
    profile_id: str
    customer_id: str
    payment_id: str
    payment_method_id: str
    status: MandateStatus
    created_at: int
    modified_at: int
    payment_method: str | None = None
    payment_method_type: str | None = None
    card: KeptCard | None = None
    single_use: bool = False
    amount: int | None = None
    currency: str | None = None
    starts_at: int | None = None
    ends_at: int | None = None
    used_amount: int = 0
    uses: int = 0
    customer_acceptance: JsonText | None = None

    @property
    def left(self) -> int | None:
        """How much may still be charged; None without a limit."""
        return None if self.amount is None else self.amount - self.used_amount

    def holds_at(self, now: int) -> bool:
        """Whether an instant is between its dates."""
        return (self.starts_at is None or now >= self.starts_at) and (self.ends_at is None or now <= self.ends_at)
