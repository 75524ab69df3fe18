"""The payment record, its parts and its arithmetic (interface §2.1, facts §2.1): minor units, instants in ms UTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ClassVar, Final

from msgspec import field

from mock_server.domain import declines, statuses
from mock_server.domain.card_brands import full_year
from mock_server.domain.commands import JsonText, MandateInput, PaymentRequest
from mock_server.domain.declines import Decline
from mock_server.domain.events import EventType
from mock_server.domain.instants import Instant, iso
from mock_server.domain.outcomes import DisputePlan, Outcome
from mock_server.domain.records import Record
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import OPEN_AUTHORIZATION, PAYMENT_MACHINE


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
    nick_name: str | None = None

    def has_expired(self, now: int) -> bool:
        return f"{full_year(self.exp_year)}-{self.exp_month}" < iso(now)[:7]


class KeptMethod(Record, frozen=True):
    """What is stored of another payload: its name, the part that is shown (JSON text), and what decides on it.

    `account` is a fingerprint of what is masked, as a mask is the same for many accounts.
    """

    category: str
    name: str
    shown: JsonText
    hint: str | None = None
    account: str | None = None


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
    status: statuses.AttemptStatus
    amount: int
    created_at: Instant
    modified_at: Instant
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
    status: statuses.CaptureStatus
    attempt: int
    created_at: Instant
    connector_capture_id: str | None = None
    failure: Failure | None = None
    closes: bool = True


class Increment(Record, frozen=True):
    """One raise of the authorized amount; `amount` is the new total (facts §2.1)."""

    authorization_id: str
    amount: int
    status: statuses.IncrementStatus
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

    status: statuses.RefundStatus
    updated_at: Instant
    reference: str
    description: str | None = None


AUTOMATIC = "automatic"
MANUAL = "manual"
MANUAL_MULTIPLE = "manual_multiple"
AUTHENTICATION_TYPES: Final = ("three_ds", "no_three_ds")
NOT_CONFIRMED = "confirm"
"""The key of `echo` with a creation's `confirm: false`, which no answer has."""
CONNECTOR = "payment_sandbox"
"""The name of the connector of a payment whose profile has no connector account (ours)."""

added: Final[Callable[[Payment | PaymentRequest], tuple[int | None, ...]]] = attrgetter(
    "shipping_cost", "order_tax_amount", "surcharge_amount", "surcharge_tax"
)
"""What a payment adds to its amount; None for each part that it does not have."""

WHO_PAYS: Final[Mapping[str, str]] = {
    "customer_name": "name", "email": "email", "phone": "phone", "phone_country_code": "phone_country_code"
}  # fmt: skip
"""What a payment has of its customer where it has none of its own, and the customer's name for it."""


class Payment(Record, frozen=True):
    """A customer's intent to pay, and everything that happened to it.

    `stored`: it is paid with a saved method, which its bank authenticated before (`set_up`). `kept`: what it saves for
    later was saved. `own`: what of `WHO_PAYS` was sent for it, and is not its customer's.
    """

    MACHINE: ClassVar = PAYMENT_MACHINE

    payment_id: str
    merchant_id: str
    profile_id: str
    status: PaymentStatus
    amount: int
    currency: str
    client_secret: str
    created_at: Instant
    modified_at: Instant
    expires_at: Instant
    session_expiry_s: int
    metadata: JsonText = "{}"
    echo: Mapping[str, JsonText] = field(default_factory=dict)
    capture_method: str | None = None
    authentication_type: str | None = None
    payment_type: str | None = None
    # the sum
    shipping_cost: int | None = None
    order_tax_amount: int | None = None
    surcharge_amount: int | None = None
    surcharge_tax: int | None = None
    amount_to_capture: int | None = None
    authorized_amount: int = 0
    captured_amount: int = 0
    capture_pending_amount: int = 0
    refunded_amount: int = 0
    refund_pending_amount: int = 0
    refund_count: int = 0
    disputed_amount: int = 0
    dispute_count: int = 0
    planned_disputes: tuple[DisputePlan, ...] = ()
    released: bool = False
    # who pays
    customer_id: str | None = None
    customer_name: str | None = None
    email: str | None = None
    phone: str | None = None
    phone_country_code: str | None = None
    billing_country: str | None = None
    return_url: str | None = None
    merchant_order_reference_id: str | None = None
    # with what
    payment_method: str | None = None
    payment_method_type: str | None = None
    card: KeptCard | None = None
    method: KeptMethod | None = None
    method_billing: JsonText | None = None
    payment_token: str | None = None
    payment_method_id: str | None = None
    mandate_id: str | None = None
    stored: bool = False
    set_up: bool = False
    kept: bool = False
    setup_future_usage: str | None = None
    off_session: bool | None = None
    customer_acceptance: JsonText | None = None
    mandate_data: MandateInput | None = None
    # at the connector
    wanted_connectors: tuple[str, ...] | None = None
    connector: str | None = None
    merchant_connector_id: str | None = None
    connector_mandate_id: str | None = None
    connector_transaction_id: str | None = None
    network_transaction_id: str | None = None
    past_attempts: tuple[Attempt, ...] = ()
    attempt_began_at: Instant = 0
    attempt_state: statuses.AttemptStatus | None = None
    captures: tuple[Capture, ...] = ()
    increments: tuple[Increment, ...] = ()
    failure: Failure | None = None
    next_action: JsonText | None = None
    waiting: Waiting | None = None
    later: Mapping[str, Outcome] = field(default_factory=dict)
    hold: Hold | None = None
    merchant_decision: statuses.MerchantDecision | None = None
    cancellation_reason: str | None = None
    void: Void | None = None
    capture_before: Instant | None = None
    extended_at: Instant | None = None
    authenticated: bool = False
    # what was allowed
    request_incremental_authorization: bool | None = None
    request_extended_authorization: bool | None = None
    enable_partial_authorization: bool | None = None
    enable_overcapture: bool | None = None
    manual_retry_allowed: bool | None = None
    link_base: str | None = None
    scenarios: tuple[str, ...] | None = None
    told: tuple[EventType, ...] = ()
    method_deleted: bool = False
    own: tuple[str, ...] = ()
    method_active: bool = False

    @property
    def net_amount(self) -> int:
        """What the customer pays: amount, shipping, tax and surcharge (facts §2.1)."""
        shipping, order_tax, surcharge, surcharge_tax = added(self)
        return self.amount + (shipping or 0) + (order_tax or 0) + (surcharge or 0) + (surcharge_tax or 0)

    @property
    def amount_capturable(self) -> int:
        """What can still be captured: the whole before an authorization, 0 in final statuses (facts §3.5)."""
        if self.status in _CAPTURABLE_WHOLE:
            return self.net_amount
        if self.status is PaymentStatus.PENDING and not (
            self.capture_method == MANUAL_MULTIPLE and self.capture_pending_amount
        ):
            return 0  # a void that is open, or the one capture that there can be, leaves nothing
        if self.status in _CAPTURABLE_REST and not self.released:
            # An open overcapture takes more than was authorized; then nothing is left.
            return max(0, self.authorized_amount - self.captured_amount - self.capture_pending_amount)
        return 0

    @property
    def is_overcapture_enabled(self) -> bool | None:
        """Whether a capture may take more than was authorized; None if nobody asked for that."""
        return self.enable_overcapture and self.capture_method == MANUAL

    @property
    def most_taken(self) -> int:
        """The most that a charge which is not over can take; an open overcapture is more than was authorized."""
        return max(self.authorized_amount or self.net_amount, self.captured_amount + self.capture_pending_amount)

    @property
    def authentication_shown(self) -> str | None:
        """The authentication that was requested; after the confirmation `no_three_ds` if none was (facts §2.1)."""
        return self.authentication_type or ("no_three_ds" if self.connector else None)

    @property
    def card_discovery(self) -> str | None:
        """Where the card came from; None without a card."""
        return None if self.card is None else "saved_card" if self.stored else "manual"

    @property
    def attempt_number(self) -> int:
        """The number of the current attempt, from 1."""
        return len(self.past_attempts) + 1

    @property
    def attempt(self) -> Attempt:
        """The current attempt; its status follows from that of the payment (facts §3.2)."""
        return Attempt(
            number=self.attempt_number,
            status=self.attempt_state or statuses.ATTEMPT_OF[self.status],
            amount=self.net_amount,
            created_at=self.attempt_began_at,
            modified_at=self.modified_at,
            payment_method=self.payment_method,
            payment_method_type=self.payment_method_type,
            authentication_type=self.authentication_shown,
            connector=self.connector,
            connector_transaction_id=self.connector_transaction_id,
            failure=self.failure,
            cancellation_reason=self.cancellation_reason,
            payment_token=self.payment_token,
            mandate_id=self.mandate_id,
        )

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Every attempt, the current one last; there is always one."""
        return (*self.past_attempts, self.attempt)

    @property
    def attempt_id(self) -> str:
        """The current attempt's ID (facts §2.10)."""
        return f"{self.payment_id}_{self.attempt_number}"

    @property
    def is_manual(self) -> bool:
        """Whether an approval only authorizes."""
        return self.capture_method not in (None, AUTOMATIC, "sequential_automatic")


_REPEATED: Final = (
    "payment_id", "merchant_id", "profile_id", "currency", "customer_id",
    "payment_method", "payment_method_type", "merchant_connector_id",
)  # fmt: skip


def repeated(payment: Payment) -> dict[str, Any]:
    """The fields that a refund or a dispute copies from its payment; lists filter by them."""
    return {"connector": payment.connector or CONNECTOR, **{name: getattr(payment, name) for name in _REPEATED}}


_CAPTURABLE_WHOLE = frozenset(
    {PaymentStatus.REQUIRES_PAYMENT_METHOD, PaymentStatus.REQUIRES_CONFIRMATION, PaymentStatus.REQUIRES_ACTION}
)
_CAPTURABLE_REST = frozenset({*OPEN_AUTHORIZATION, PaymentStatus.REQUIRES_MERCHANT_ACTION, PaymentStatus.PENDING})


LINK_IDS: Final = "plink_"
"""How the ID of a payment link begins, before the payment's own (ours)."""


def linked(payment: Payment) -> Payment | None:
    """The payment, if it has a payment link."""
    return payment if payment.echo.get("payment_link") == "true" else None


def link_id(payment: Payment) -> str:
    """The ID of a payment's link."""
    return f"{LINK_IDS}{payment.payment_id}"


def link_to_pay(payment: Payment) -> str:
    """The URL of a payment's link."""
    return f"{payment.link_base}/payment_link/{payment.merchant_id}/{payment.payment_id}"
