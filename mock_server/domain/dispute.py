"""The dispute: reasons, stages, record, evidence (facts §2.5, §3.7): minor units, instants in ms UTC."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from msgspec import field

from mock_server.domain.events import EventType
from mock_server.domain.instants import DAY_MS, Instant
from mock_server.domain.machine import Machine, Rows
from mock_server.domain.outcomes import OutcomeStatus
from mock_server.domain.payment import Payment, Waiting
from mock_server.domain.records import Discreet, Record
from mock_server.domain.statuses import DisputeStage
from mock_server.domain.statuses import DisputeStatus as S

GENERAL: Final = "general"
REASON_CODES: Final = {
    "fraudulent": "10.4",
    "early_fraud_warning": "10.4",
    "unrecognized": "10.4",
    "noncompliant": "98",
    "incorrect_amount": "12.5",
    "duplicate": "12.6.1",
    "product_not_received": "13.1",
    "subscription_canceled": "13.2",
    "product_unacceptable": "13.3",
    "credit_not_processed": "13.6",
    GENERAL: "13.9",
}
"""The reasons with the network's code of each; a reason of the caller's own has none."""
_LONGEST_SAID: Final = 60


def of_its_own(reason: str) -> str | None:
    """The note about a reason that has no code, with the word that was perhaps meant; None for one of the table."""
    if reason in REASON_CODES:
        return None
    from difflib import get_close_matches

    shown = reason[:_LONGEST_SAID]
    said = f"{shown!r} is not a reason with a network code, so this dispute has no code"
    near = get_close_matches(shown.lower().replace(" ", "_").replace("-", "_"), REASON_CODES, n=1)
    if near:
        return f"{said}; did you mean {near[0]} ({REASON_CODES[near[0]]})?"
    return f"{said}; reasons with a code: {', '.join(f'{name} ({code})' for name, code in REASON_CODES.items())}"


class DisputeTrigger(StrEnum):
    """What happened to a dispute."""

    OPENED = "opened"
    CHALLENGED = "challenged"
    ACCEPTED = "accepted"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    WON = "won"
    LOST = "lost"
    ESCALATED = "escalated"


_H, _E, _F37 = DisputeTrigger, EventType, "facts §3.7"
_OPEN: Final = (S.OPENED, S.CHALLENGED)

_ROWS: Final[Rows[S, DisputeTrigger]] = (
    ((None,), _H.OPENED, S.OPENED, _E.DISPUTE_OPENED, _F37),
    (_OPEN, _H.CHALLENGED, S.CHALLENGED, _E.DISPUTE_CHALLENGED, _F37),
    (_OPEN, _H.ACCEPTED, S.ACCEPTED, _E.DISPUTE_ACCEPTED, _F37),
    (_OPEN, _H.CANCELLED, S.CANCELLED, _E.DISPUTE_CANCELLED, _F37),
    (_OPEN, _H.EXPIRED, S.EXPIRED, _E.DISPUTE_EXPIRED, _F37),
    (_OPEN, _H.WON, S.WON, _E.DISPUTE_WON, _F37),
    (_OPEN, _H.LOST, S.LOST, _E.DISPUTE_LOST, _F37),
    (tuple(S), _H.ESCALATED, S.OPENED, _E.DISPUTE_OPENED, _F37),
)

DISPUTE_MACHINE: Final = Machine("disputes", S, _ROWS, final=frozenset(S) - frozenset(_OPEN))

STAGES: Final = tuple(DisputeStage)
FIGHTABLE: Final = frozenset(STAGES) - {DisputeStage.DISPUTE_REVERSAL}
"""The stages in which a merchant can challenge (facts §3.7)."""


def stages_after(stage: DisputeStage) -> tuple[DisputeStage, ...]:
    """The stages that may follow one."""
    return STAGES[STAGES.index(stage) + 1 :]


class DisputeAsk(NamedTuple):
    """What a merchant may do with a dispute, in which stages and statuses."""

    name: str
    action: str
    stages: frozenset[DisputeStage]
    statuses: frozenset[S]
    cites: str


_BOTH: Final = frozenset(_OPEN)
_FILES: Final = frozenset({DisputeStage.DISPUTE})
_UNANSWERED: Final = frozenset({S.OPENED})

DISPUTE_ASKS: Final = (
    DisputeAsk("accept", "accept", FIGHTABLE, _BOTH, _F37),
    DisputeAsk("submit_evidence", "submit evidence for", FIGHTABLE, _BOTH, _F37),
    DisputeAsk("attach_evidence", "attach evidence to", _FILES, _UNANSWERED, _F37),
    DisputeAsk("delete_evidence", "delete evidence of", _FILES, _UNANSWERED, _F37),
)

DISPUTE_ASK_BY_NAME: Final = {row.name: row for row in DISPUTE_ASKS}

CHALLENGE_MS: Final = 7 * DAY_MS
"""How long a merchant has to challenge a dispute in each stage (ours)."""

WINNING = "winning_evidence"
LOSING = "losing_evidence"

ENDS_BY_WORD: Final = {OutcomeStatus(end): end for end in (_H.WON, _H.LOST, _H.CANCELLED, _H.EXPIRED)}
"""The ends that a decider can choose (ours: scenario language)."""

EVIDENCE_TEXTS: Final = (
    "access_activity_log", "billing_address", "cancellation_policy_disclosure", "cancellation_rebuttal",
    "customer_email_address", "customer_name", "customer_purchase_ip", "product_description",
    "refund_policy_disclosure", "refund_refusal_explanation", "service_date", "shipping_address", "shipping_carrier",
    "shipping_date", "shipping_tracking_number", "uncategorized_text",
)  # fmt: skip
"""Evidence as texts (facts §2.5)."""

EVIDENCE_FILES: Final = (
    "cancellation_policy", "customer_communication", "customer_signature", "receipt", "refund_policy",
    "service_documentation", "shipping_documentation", "invoice_showing_distinct_transactions",
    "recurring_transaction_agreement", "uncategorized_file",
)  # fmt: skip
"""Evidence as files; the values of `evidence_type` (facts §2.5)."""

HOLDING: Final = frozenset(S) - {S.WON, S.CANCELLED}
"""The statuses in which the merchant does not have the disputed money (ours)."""


class Dispute(Record, frozen=True, kw_only=True):
    """A customer's bank takes a charge back, or asks about it. `files` are ids of uploaded files by evidence type."""

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
    created_at: Instant
    modified_at: Instant
    challenge_required_by: Instant | None
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
        """How much money the merchant does not have because of this dispute."""
        return self.amount if self.status in HOLDING else 0


def covers(payment: Payment, amount: int) -> bool:
    """Whether refunds of at least this amount were made."""
    return payment.refunded_amount >= amount


def disputable(payment: Payment) -> int:
    """How much of the captured amount is not disputed yet; refunded money can be disputed too."""
    return 0 if payment.void else payment.captured_amount - payment.disputed_amount


def usual_amount(payment: Payment) -> int:
    """The default amount of a dispute: the captured rest, or what was refunded if there is none."""
    rest = disputable(payment)
    return rest - payment.refunded_amount if rest > payment.refunded_amount else rest


class SubmitEvidence(Discreet, frozen=True, kw_only=True):
    """Evidence as texts, and as ids of uploaded files by evidence type."""

    HIDDEN: ClassVar = frozenset({"texts"})

    dispute_id: str
    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


# An uploaded file (facts §1.6, §2.5). Instants in ms UTC.

PURPOSES: Final = ("dispute_evidence",)
FILE_TYPES: Final = ("application/pdf", "image/jpeg", "image/png")
"""The content types of evidence (ours, as at the large processors)."""

EVIDENCE: Final = "evidence"
"""The name of the byte limit of files."""
NAME_MAX: Final = 255
_OWN_FIRST_BYTE: Final = b"="


class Upload(Discreet, frozen=True):
    """A file as it was sent: its name, its content type, and its bytes."""

    HIDDEN: ClassVar = frozenset({"content"})

    name: str | None
    type: str | None
    content: bytes


class EvidenceFile(Record, frozen=True, kw_only=True):
    """A stored file; after its deletion the record stays, and `kept` is empty.

    `kept` begins with a byte of our own, so that no uploaded bytes can pass for a stored record.
    """

    HIDDEN: ClassVar = frozenset({"kept"})

    file_id: str
    dispute_id: str
    purpose: str
    name: str
    type: str
    size: int
    created_at: Instant
    kept: bytes

    @property
    def available(self) -> bool:
        """Whether its bytes are still stored."""
        return self.kept != b""

    @property
    def content(self) -> bytes:
        """The bytes as they were uploaded."""
        return self.kept[len(_OWN_FIRST_BYTE) :]


def as_kept(content: bytes) -> bytes:
    """A file's bytes as a record stores them."""
    return _OWN_FIRST_BYTE + content
