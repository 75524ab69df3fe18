"""The dispute: its record, what it holds back of a payment, and the evidence against it (facts §2.5, §3.7).

Amounts in minor units, instants in ms UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec import field

from mock_server.domain.dispute_transitions import DISPUTE_MACHINE, DisputeTrigger
from mock_server.domain.events import EventType
from mock_server.domain.instants import DAY_MS
from mock_server.domain.outcomes import OutcomeStatus
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import Waiting
from mock_server.domain.records import Record
from mock_server.domain.statuses import DisputeStage
from mock_server.domain.statuses import DisputeStatus as S

CHALLENGE_MS: Final = 7 * DAY_MS
"""How long a merchant has to challenge a dispute in each stage (ours)."""

WINNING = "winning_evidence"
LOSING = "losing_evidence"

ENDS_BY_WORD: Final = {
    OutcomeStatus.WON: DisputeTrigger.WON,
    OutcomeStatus.LOST: DisputeTrigger.LOST,
    OutcomeStatus.CANCELLED: DisputeTrigger.CANCELLED,
    OutcomeStatus.EXPIRED: DisputeTrigger.EXPIRED,
}
"""What a decider can make of a dispute (ours: scenario language)."""

EVIDENCE_TEXTS: Final = (
    "access_activity_log", "billing_address", "cancellation_policy_disclosure", "cancellation_rebuttal",
    "customer_email_address", "customer_name", "customer_purchase_ip", "product_description",
    "refund_policy_disclosure", "refund_refusal_explanation", "service_date", "shipping_address", "shipping_carrier",
    "shipping_date", "shipping_tracking_number", "uncategorized_text",
)  # fmt: skip
"""What a merchant can say (facts §2.5)."""

EVIDENCE_FILES: Final = (
    "cancellation_policy", "customer_communication", "customer_signature", "receipt", "refund_policy",
    "service_documentation", "shipping_documentation", "invoice_showing_distinct_transactions",
    "recurring_transaction_agreement", "uncategorized_file",
)  # fmt: skip
"""What a merchant can show; the words of `evidence_type` (facts §2.5)."""

HOLDING: Final = frozenset(S) - {S.WON, S.CANCELLED}
"""The statuses in which the disputed money is not the merchant's (ours)."""


class Dispute(Record, frozen=True, kw_only=True):
    """A customer's bank takes a charge back, or asks about it.

    `files` holds ids of uploaded files by evidence type. Customer and method are the payment's; lists filter by them.
    """

    MACHINE: ClassVar = DISPUTE_MACHINE

    dispute_id: str
    payment_id: str
    attempt_id: str
    merchant_id: str
    profile_id: str
    amount: int
    currency: str
    stage: DisputeStage
    status: S
    connector: str
    connector_dispute_id: str
    reason: str
    reason_code: str | None
    created_at: int
    modified_at: int
    challenge_required_by: int | None
    is_already_refunded: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    waiting: Waiting | None = None
    customer_id: str | None = None
    payment_method: str | None = None
    payment_method_type: str | None = None
    merchant_connector_id: str | None = None
    told: tuple[EventType, ...] = ()

    @property
    def held_amount(self) -> int:
        """What this dispute keeps from the merchant now."""
        return self.amount if self.status in HOLDING else 0


def covers(payment: Payment, amount: int) -> bool:
    """Whether the customer has got this much back already."""
    return payment.refunded_amount >= amount


def disputable(payment: Payment) -> int:
    """How much of what was captured nobody disputes yet; refunded money can be disputed all the same."""
    return 0 if payment.void else payment.captured_amount - payment.disputed_amount


def usual_amount(payment: Payment) -> int:
    """What a dispute is over where nobody says: the captured rest, or what was refunded if there is none."""
    rest = disputable(payment)
    return rest - payment.refunded_amount if rest > payment.refunded_amount else rest
