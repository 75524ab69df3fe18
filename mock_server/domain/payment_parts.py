"""The parts of a payment: its method, its attempts, captures and increments, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from mock_server.domain import declines
from mock_server.domain.card_brands import full_year
from mock_server.domain.commands import JsonText
from mock_server.domain.declines import Decline
from mock_server.domain.instants import iso
from mock_server.domain.outcomes import Outcome
from mock_server.domain.records import Record
from mock_server.domain.statuses import AttemptStatus, CaptureStatus, IncrementStatus, RefundStatus


class KeptCard(Record, frozen=True):
    """What is stored of a card: the name of its table row, never its number or code (ours: decisions, Cards)."""

    name: str
    brand: str
    type: str
    last4: str
    first6: str
    exp_month: str
    exp_year: str
    holder: str | None
    fingerprint: str
    checks: Mapping[str, str] = field(default_factory=dict)

    def has_expired(self, now: int) -> bool:
        """Whether the card has expired at an instant."""
        return f"{full_year(self.exp_year)}-{self.exp_month}" < iso(now)[:7]


class KeptMethod(Record, frozen=True):
    """What is stored of another payload: its name, the part that is shown (JSON text), and what decides on it."""

    category: str
    name: str
    shown: JsonText
    hint: str | None = None


class Failure(Record, frozen=True):
    """Why a charge failed: the decline's name, and code and message if a scenario has its own."""

    decline: str
    code: str | None = None
    message: str | None = None

    @property
    def row(self) -> Decline:
        """The table row; one without a reason if a scenario named an unknown decline."""
        return declines.find(self.decline) or declines.UNKNOWN

    @property
    def error_code(self) -> str:
        """The connector's code."""
        return self.code or self.row.error_code

    @property
    def error_message(self) -> str:
        """The connector's message."""
        return self.message or self.row.error_message


class Attempt(Record, frozen=True):
    """One try to charge a payment (facts §2.4)."""

    number: int
    status: AttemptStatus
    amount: int
    created_at: int
    modified_at: int
    payment_method: str | None = None
    payment_method_type: str | None = None
    authentication_type: str | None = None
    connector: str | None = None
    connector_transaction_id: str | None = None
    failure: Failure | None = None
    cancellation_reason: str | None = None
    payment_token: str | None = None
    mandate_id: str | None = None


class Capture(Record, frozen=True):
    """One capture of an authorization (facts §2.4)."""

    sequence: int
    amount: int
    status: CaptureStatus
    attempt: int
    created_at: int
    connector_capture_id: str | None = None
    failure: Failure | None = None
    closes: bool = True


class Increment(Record, frozen=True):
    """One raise of the authorized amount; `amount` is the new total (facts §2.1)."""

    authorization_id: str
    amount: int
    status: IncrementStatus
    previously_authorized: int
    reason: str | None = None
    failure: Failure | None = None


class Hold(Record, frozen=True):
    """A manual review by the merchant; `manual`: an approval only authorizes (facts §3.6)."""

    reason: str
    score: int
    manual: bool


class Waiting(Record, frozen=True):
    """What an open record waits for.

    `outcome` is the answer that is carried out; `polls` is the number of retrieves until it settles; `kind` is the kind
    of page or instruction (`challenge`, `redirect`, `qr_code`, `voucher`, `bank_transfer`, …).
    """

    kind: str
    outcome: Outcome
    polls: int | None = None
    link: str | None = None


class Void(Record, frozen=True):
    """A reversal after capture, as the payment's state_metadata shows it; it ends as a refund does (facts §2.1)."""

    status: RefundStatus
    updated_at: int
    reference: str
    description: str | None = None
