"""The state machine of a payment, and what may be requested in which status, which follows from it (`ASKS`)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct

from mock_server.domain.errors import Cause
from mock_server.domain.events import EventType
from mock_server.domain.machine import Machine, Rows
from mock_server.domain.statuses import AttemptStatus
from mock_server.domain.statuses import PaymentStatus as S


class Trigger(StrEnum):
    """What happened to a payment."""

    CREATED = "created"
    METHOD_ATTACHED = "method_attached"
    METHOD_DETACHED = "method_detached"
    RETRIED = "retried"
    CHARGED = "charged"
    AUTHORIZED = "authorized"
    PARTIALLY_AUTHORIZED = "partially_authorized"
    DECLINED = "declined"
    CHALLENGED = "challenged"
    SUBMITTED = "submitted"
    HELD = "held"
    CHALLENGE_FAILED = "challenge_failed"
    CUSTOMER_TIME_OVER = "customer_time_over"
    MONEY_SEEN = "money_seen"
    PAID_IN_PART = "paid_in_part"
    APPROVED_AND_CHARGED = "approved_and_charged"
    APPROVED_AND_AUTHORIZED = "approved_and_authorized"
    REJECTED = "rejected"
    CAPTURED_IN_FULL = "captured_in_full"
    CAPTURED_IN_PART = "captured_in_part"
    CAPTURED_AND_CLOSED = "captured_and_closed"
    CAPTURE_SUBMITTED = "capture_submitted"
    CAPTURE_FAILED = "capture_failed"
    REST_NOT_CAPTURED = "rest_not_captured"
    CANCELLED = "cancelled"
    REST_RELEASED = "rest_released"
    VOID_SUBMITTED = "void_submitted"
    VOIDED = "voided"
    VOIDED_REST = "voided_rest"
    VOID_FAILED = "void_failed"
    REST_NOT_RELEASED = "rest_not_released"
    AUTHORIZATION_EXPIRED = "authorization_expired"
    REVERSED = "reversed"


H = Trigger
E = EventType

_AUTHORIZED = (S.REQUIRES_CAPTURE, S.PARTIALLY_AUTHORIZED)
OPEN_AUTHORIZATION: Final = (*_AUTHORIZED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE)
_WITH_REST = (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, S.PENDING)
_ASKED = (S.REQUIRES_CONFIRMATION, S.REQUIRES_ACTION, S.PENDING)

_ROWS: Rows[S, Trigger] = (
    ((None,), H.CREATED, S.REQUIRES_PAYMENT_METHOD, None, "interface §4.2"),
    ((None, S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION), H.METHOD_ATTACHED, S.REQUIRES_CONFIRMATION, None, "facts §3.3"),
    ((S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION), H.METHOD_DETACHED, S.REQUIRES_PAYMENT_METHOD, None, "ours: PUT without a method"),
    ((S.FAILED,), H.RETRIED, S.REQUIRES_CONFIRMATION, None, "facts §3.3"),
    (_ASKED, H.CHARGED, S.SUCCEEDED, E.PAYMENT_SUCCEEDED, "facts §3.4"),
    (_ASKED, H.AUTHORIZED, S.REQUIRES_CAPTURE, E.PAYMENT_AUTHORIZED, "facts §3.4"),
    ((S.REQUIRES_CONFIRMATION, S.REQUIRES_ACTION), H.PARTIALLY_AUTHORIZED, S.PARTIALLY_AUTHORIZED, E.PAYMENT_PARTIALLY_AUTHORIZED, "facts §3.2"),
    (_ASKED, H.DECLINED, S.FAILED, E.PAYMENT_FAILED, "facts §3.4"),
    ((S.REQUIRES_CONFIRMATION,), H.CHALLENGED, S.REQUIRES_ACTION, E.ACTION_REQUIRED, "facts §3.4"),
    ((S.REQUIRES_CONFIRMATION, S.REQUIRES_ACTION), H.SUBMITTED, S.PENDING, E.PAYMENT_PROCESSING, "facts §3.4"),
    ((*_ASKED, S.REQUIRES_CAPTURE), H.HELD, S.REQUIRES_MERCHANT_ACTION, E.ACTION_REQUIRED, "facts §3.6"),
    ((S.REQUIRES_ACTION,), H.CHALLENGE_FAILED, S.FAILED, E.PAYMENT_FAILED, "facts §3.4"),
    ((S.REQUIRES_ACTION,), H.CUSTOMER_TIME_OVER, S.EXPIRED, E.PAYMENT_EXPIRED, "ours: decisions, Clock"),
    ((S.REQUIRES_ACTION,), H.MONEY_SEEN, S.PENDING, E.PAYMENT_PROCESSING, "ours: decisions, The other methods"),
    ((S.PENDING,), H.PAID_IN_PART, S.PARTIALLY_CAPTURED, E.PAYMENT_CAPTURED, "ours: decisions, The other methods"),
    ((S.REQUIRES_MERCHANT_ACTION,), H.APPROVED_AND_CHARGED, S.SUCCEEDED, E.PAYMENT_SUCCEEDED, "facts §3.6"),
    ((S.REQUIRES_MERCHANT_ACTION,), H.APPROVED_AND_AUTHORIZED, S.REQUIRES_CAPTURE, E.PAYMENT_AUTHORIZED, "facts §3.6"),
    ((S.REQUIRES_MERCHANT_ACTION,), H.REJECTED, S.FAILED, E.PAYMENT_FAILED, "facts §3.6"),
    ((*OPEN_AUTHORIZATION, S.PENDING), H.CAPTURED_IN_FULL, S.SUCCEEDED, E.PAYMENT_SUCCEEDED, "facts §3.5"),
    ((*OPEN_AUTHORIZATION, S.PENDING), H.CAPTURED_IN_PART, S.PARTIALLY_CAPTURED_AND_CAPTURABLE, E.PAYMENT_CAPTURED, "facts §3.5"),
    ((*_AUTHORIZED, S.PENDING), H.CAPTURED_AND_CLOSED, S.PARTIALLY_CAPTURED, E.PAYMENT_CAPTURED, "facts §3.5"),
    ((*OPEN_AUTHORIZATION, S.PENDING), H.CAPTURE_SUBMITTED, S.PENDING, E.PAYMENT_PROCESSING, "facts §3.5"),
    ((*_AUTHORIZED, S.PENDING), H.CAPTURE_FAILED, S.FAILED, E.PAYMENT_FAILED, "facts §3.5"),
    (_WITH_REST, H.REST_NOT_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE, E.PAYMENT_CAPTURED, "ours: captured money can be refunded"),
    ((S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION, S.REQUIRES_ACTION, *_AUTHORIZED), H.CANCELLED, S.CANCELLED, E.PAYMENT_CANCELLED, "facts §3.3"),
    ((S.PARTIALLY_CAPTURED_AND_CAPTURABLE,), H.REST_RELEASED, S.PARTIALLY_CAPTURED, E.PAYMENT_CAPTURED, "facts §3.3"),
    (OPEN_AUTHORIZATION, H.VOID_SUBMITTED, S.PENDING, E.PAYMENT_PROCESSING, "facts §3.2"),
    ((S.PENDING,), H.VOIDED, S.CANCELLED, E.PAYMENT_CANCELLED, "facts §3.2"),
    ((S.PENDING,), H.VOIDED_REST, S.PARTIALLY_CAPTURED, E.PAYMENT_CAPTURED, "facts §3.3"),
    ((*_AUTHORIZED, S.PENDING), H.VOID_FAILED, S.FAILED, E.PAYMENT_FAILED, "facts §3.2"),
    (_WITH_REST, H.REST_NOT_RELEASED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE, E.PAYMENT_CAPTURED, "ours: captured money can be refunded"),
    (_AUTHORIZED, H.AUTHORIZATION_EXPIRED, S.EXPIRED, E.PAYMENT_EXPIRED, "ours: decisions, Clock"),
    ((S.SUCCEEDED, S.PARTIALLY_CAPTURED), H.REVERSED, S.CANCELLED_POST_CAPTURE, E.PAYMENT_CANCELLED_POST_CAPTURE, "facts §3.3"),
)  # fmt: skip

UNCONFIRMED: Final = frozenset({S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION})
TERMINAL = frozenset({S.SUCCEEDED, S.FAILED, S.CANCELLED, S.CANCELLED_POST_CAPTURE, S.PARTIALLY_CAPTURED, S.EXPIRED})
"""Nothing more happens by itself; a retry (failed) or a reversal (captured) must be requested (facts §3.1)."""

_AFTER: Final = {
    H.CHALLENGE_FAILED: AttemptStatus.AUTHENTICATION_FAILED,
    H.CAPTURE_SUBMITTED: AttemptStatus.CAPTURE_INITIATED,
    H.CAPTURE_FAILED: AttemptStatus.CAPTURE_FAILED,
    H.VOID_FAILED: AttemptStatus.VOID_FAILED,
}
"""The attempt's status after what happened, if it is more exact than the payment's."""
_OVER: Final = dict.fromkeys(("failure", "manual_retry_allowed", "waiting", "next_action"))
"""What ends with the next thing that happens, unless that sets it anew."""

PAYMENT_MACHINE: Final = Machine(
    "payments", S, _ROWS, final=TERMINAL, sets={what: {**_OVER, "attempt_state": _AFTER.get(what)} for what in Trigger}
)


def sources(*happenings: Trigger) -> frozenset[S]:
    """The statuses from which any of these can happen."""
    return frozenset(PAYMENT_MACHINE.sources(*happenings))


class Ask(Struct, frozen=True):
    """What a caller may request of a payment, and in which statuses.

    In others it is refused as `refused_as`, which names the expected `states` (form B of facts §3.3), or else as
    `status_forbids` (form A).
    """

    name: str
    action: str
    allowed: frozenset[S]
    cites: str
    refused_as: Cause | None = None
    states: tuple[S, ...] = ()


ASKS: tuple[Ask, ...] = (
    Ask("update", "update", UNCONFIRMED, "facts §3.3"),
    Ask("confirm", "confirm", sources(H.METHOD_ATTACHED, H.RETRIED), "facts §3.3"),
    Ask("capture", "capture", sources(H.CAPTURED_IN_FULL), "facts §3.5", refused_as=Cause.CAPTURE_FORBIDS, states=(S.REQUIRES_CAPTURE, S.PARTIALLY_CAPTURED_AND_CAPTURABLE, S.PENDING)),
    Ask("cancel", "cancel", sources(H.CANCELLED, H.REST_RELEASED), "facts §3.3"),
    Ask("cancel_post_capture", "cancel_post_capture", sources(H.REVERSED), "facts §3.3"),
    Ask("approve", "approve", sources(H.APPROVED_AND_CHARGED), "facts §3.6"),
    Ask("reject", "reject", sources(H.REJECTED), "facts §3.6"),
    Ask("increment", "increment authorization", frozenset({S.REQUIRES_CAPTURE}), "facts §3.3"),
    Ask("extend", "extend authorization", frozenset({S.REQUIRES_CAPTURE, S.PARTIALLY_AUTHORIZED}), "facts §3.3"),
    Ask("update_metadata", "update_metadata", frozenset({S.SUCCEEDED, S.FAILED, S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE, S.REQUIRES_CAPTURE, S.REQUIRES_ACTION}), "facts §3.3"),
    Ask("session_tokens", "create a session token for", frozenset(S) - {S.FAILED, S.SUCCEEDED}, "facts §3.3"),
    Ask("complete_authorize", "confirm", frozenset({S.REQUIRES_ACTION}), "facts §3.3"),
    Ask("refund", "refund", sources(H.REVERSED), "facts §3.7", refused_as=Cause.REFUND_FORBIDS, states=(S.SUCCEEDED, S.PARTIALLY_CAPTURED)),
    Ask("authenticate", "authenticate", frozenset({S.REQUIRES_ACTION}), "ours: control API"),
    Ask("settle", "settle", frozenset({S.REQUIRES_ACTION, S.PENDING}), "ours: control API"),
    Ask("fail", "fail", sources(H.DECLINED) - {S.REQUIRES_CONFIRMATION}, "ours: control API"),
    Ask("hold", "hold", sources(H.HELD) - {S.REQUIRES_CONFIRMATION}, "ours: control API"),
    Ask("dispute", "dispute", frozenset({S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE}), "ours: control API"),
    Ask("expire_customer", "expire", sources(H.CUSTOMER_TIME_OVER), "ours: control API"),
    Ask("expire_authorization", "expire authorization", sources(H.AUTHORIZATION_EXPIRED, H.REST_RELEASED), "ours: control API"),
    Ask("expire_session", "expire session", frozenset(S), "ours: control API"),
)  # fmt: skip

ASK_BY_NAME: Final = {row.name: row for row in ASKS}
