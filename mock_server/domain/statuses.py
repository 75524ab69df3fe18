"""The statuses of records, in the engine's words: the interface's (§3, decisions). Dialects translate them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class PaymentStatus(StrEnum):
    """The status of a payment (interface §3; further names from facts §3.1)."""

    REQUIRES_PAYMENT_METHOD = "requires_payment_method"
    REQUIRES_CONFIRMATION = "requires_confirmation"
    REQUIRES_ACTION = "requires_action"
    REQUIRES_MERCHANT_ACTION = "requires_merchant_action"
    REQUIRES_CAPTURE = "requires_capture"
    PENDING = "pending"
    PARTIALLY_CAPTURED_AND_CAPTURABLE = "partially_captured_and_capturable"
    PARTIALLY_AUTHORIZED = "partially_authorized_and_requires_capture"
    PARTIALLY_CAPTURED = "partially_captured"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CANCELLED_POST_CAPTURE = "cancelled_post_capture"
    EXPIRED = "expired"


class AttemptStatus(StrEnum):
    """The status of an attempt (facts §3.2)."""

    PAYMENT_METHOD_AWAITED = "payment_method_awaited"
    CONFIRMATION_AWAITED = "confirmation_awaited"
    AUTHENTICATION_PENDING = "authentication_pending"
    AUTHENTICATION_FAILED = "authentication_failed"
    PENDING = "pending"
    UNRESOLVED = "unresolved"
    AUTHORIZED = "authorized"
    PARTIALLY_AUTHORIZED = "partially_authorized"
    CHARGED = "charged"
    PARTIAL_CHARGED = "partial_charged"
    PARTIAL_CHARGED_AND_CHARGEABLE = "partial_charged_and_chargeable"
    CAPTURE_INITIATED = "capture_initiated"
    CAPTURE_FAILED = "capture_failed"
    VOID_FAILED = "void_failed"
    FAILURE = "failure"
    VOIDED = "voided"
    VOIDED_POST_CHARGE = "voided_post_charge"
    EXPIRED = "expired"


ATTEMPT_OF: dict[PaymentStatus, AttemptStatus] = {
    PaymentStatus.REQUIRES_PAYMENT_METHOD: AttemptStatus.PAYMENT_METHOD_AWAITED,
    PaymentStatus.REQUIRES_CONFIRMATION: AttemptStatus.CONFIRMATION_AWAITED,
    PaymentStatus.REQUIRES_ACTION: AttemptStatus.AUTHENTICATION_PENDING,
    PaymentStatus.REQUIRES_MERCHANT_ACTION: AttemptStatus.UNRESOLVED,
    PaymentStatus.REQUIRES_CAPTURE: AttemptStatus.AUTHORIZED,
    PaymentStatus.PENDING: AttemptStatus.PENDING,
    PaymentStatus.PARTIALLY_CAPTURED_AND_CAPTURABLE: AttemptStatus.PARTIAL_CHARGED_AND_CHARGEABLE,
    PaymentStatus.PARTIALLY_AUTHORIZED: AttemptStatus.PARTIALLY_AUTHORIZED,
    PaymentStatus.PARTIALLY_CAPTURED: AttemptStatus.PARTIAL_CHARGED,
    PaymentStatus.SUCCEEDED: AttemptStatus.CHARGED,
    PaymentStatus.FAILED: AttemptStatus.FAILURE,
    PaymentStatus.CANCELLED: AttemptStatus.VOIDED,
    PaymentStatus.CANCELLED_POST_CAPTURE: AttemptStatus.VOIDED_POST_CHARGE,
    PaymentStatus.EXPIRED: AttemptStatus.EXPIRED,
}
"""The status of the current attempt by that of its payment (facts §3.2, in reverse)."""


class CaptureStatus(StrEnum):
    """The status of a capture (facts §2.4)."""

    CHARGED = "charged"
    PENDING = "pending"
    FAILED = "failed"


class IncrementStatus(StrEnum):
    """The status of an increment of an authorization (facts §2.1)."""

    SUCCESS = "success"
    FAILURE = "failure"


class RefundStatus(StrEnum):
    """The status of a refund (facts §3.7)."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REVIEW = "review"


class DisputeStage(StrEnum):
    """The stage of a dispute, which only moves forward (facts §3.7)."""

    PRE_DISPUTE = "pre_dispute"
    DISPUTE = "dispute"
    PRE_ARBITRATION = "pre_arbitration"
    ARBITRATION = "arbitration"
    DISPUTE_REVERSAL = "dispute_reversal"


class DisputeStatus(StrEnum):
    """The status of a dispute within its stage (facts §3.7)."""

    OPENED = "dispute_opened"
    CHALLENGED = "dispute_challenged"
    ACCEPTED = "dispute_accepted"
    CANCELLED = "dispute_cancelled"
    EXPIRED = "dispute_expired"
    WON = "dispute_won"
    LOST = "dispute_lost"


class MandateStatus(StrEnum):
    """The status of a mandate (facts §2.8)."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    PENDING = "pending"
    REVOKED = "revoked"


class MethodStatus(StrEnum):
    """The status of a saved payment method (facts §2.1)."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    AWAITING_DATA = "awaiting_data"
    REDACTED = "redacted"


class MerchantDecision(StrEnum):
    """The merchant's decision about a held payment (facts §3.6)."""

    APPROVED = "approved"
    REJECTED = "rejected"


ALIASES: Final[Mapping[str, StrEnum]] = {
    "requires_customer_action": PaymentStatus.REQUIRES_ACTION,
    "processing": PaymentStatus.PENDING,
}
"""Further names of a status in the public API, accepted wherever one is read (facts §9, rows 1 and 2)."""
