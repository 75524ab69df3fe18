"""The events that are sent to merchants, their records, and the attempts to deliver them (facts §6, §2.9)."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any, Final, Self, TypeAlias

from mock_server.domain.commands import JsonText
from mock_server.domain.instants import Instant
from mock_server.domain.records import BESIDE, Record


class EventClass(StrEnum):
    """The kind of object an event is about."""

    PAYMENTS = "payments"
    REFUNDS = "refunds"
    DISPUTES = "disputes"
    MANDATES = "mandates"


PROFILE: Final = "pro_first_steps"
"""The profile of a recipe's payments, as in the first call that `serve` prints."""
FOUND: Final = ""
"""In a recipe's body: the value that an earlier answer had under this name."""
Step: TypeAlias = tuple[str, dict[str, Any]]


def _call(operation: str, **body: object) -> Step:
    return operation, body


def _paid(**more: object) -> Step:
    common = {"amount": 6540, "currency": "USD", "profile_id": PROFILE, "confirm": True, "card": "success"}
    return "payments.create", {**common, **more}


def _disputed(*ends: str) -> tuple[Step, ...]:
    opened = (_paid(), _call("control.dispute", reason="fraudulent"))
    return *opened, *(_call("control.advance_dispute", to=end) for end in ends)


_HELD: Final = _paid(capture_method="manual")
_REFUND: Final = _call("refunds.create", payment_id=FOUND)
_AGREED: Final = _paid(
    customer_id="cus_first_steps",
    setup_future_usage="off_session",
    mandate_data={"customer_acceptance": {"acceptance_type": "offline"}, "mandate_type": {"multi_use": None}},
)


class EventType(StrEnum):
    """What is sent to merchants (facts §6.1): a name, and as its recipe the calls that lead to the event, in order.

    A name begins with the kind of object that the event is `about`; `action_required` is about a payment. `content` is
    the name of its content in the envelope.
    """

    _value_: str
    recipe: tuple[Step, ...]
    about: EventClass
    content: str

    def __new__(cls, name: str, recipe: tuple[Step, ...] = ()) -> Self:
        made = str.__new__(cls, name)
        begins = name.partition("_")[0]
        kind = begins if f"{begins}s" in set(EventClass) else "payment"
        made._value_, made.recipe, made.about, made.content = name, recipe, EventClass(f"{kind}s"), f"{kind}_details"
        return made

    PAYMENT_SUCCEEDED = "payment_succeeded", (_paid(),)
    PAYMENT_FAILED = "payment_failed", (_paid(card="visa_generic_decline"),)
    PAYMENT_PROCESSING = "payment_processing", (_paid(card="visa_pending_succeeds"),)
    PAYMENT_CANCELLED = "payment_cancelled", (_HELD, _call("payments.cancel"))
    PAYMENT_CANCELLED_POST_CAPTURE = "payment_cancelled_post_capture", (_paid(), _call("payments.cancel_post_capture"))
    PAYMENT_AUTHORIZED = "payment_authorized", (_HELD,)
    PAYMENT_PARTIALLY_AUTHORIZED = (
        "payment_partially_authorized",
        (_paid(card="visa_partial_authorization", enable_partial_authorization=True),),
    )
    PAYMENT_CAPTURED = "payment_captured", (_HELD, _call("payments.capture", amount_to_capture=4000))
    PAYMENT_EXPIRED = "payment_expired", (_HELD, _call("control.expire", what="authorization"))
    ACTION_REQUIRED = "action_required", (_paid(authentication_type="three_ds"),)
    REFUND_SUCCEEDED = "refund_succeeded", (_paid(), _REFUND)
    REFUND_FAILED = "refund_failed", (_paid(card="visa_refund_fails"), _REFUND)
    DISPUTE_OPENED = "dispute_opened", _disputed()
    DISPUTE_EXPIRED = "dispute_expired", _disputed("expired")
    DISPUTE_ACCEPTED = "dispute_accepted", _disputed("accepted")
    DISPUTE_CANCELLED = "dispute_cancelled", _disputed("cancelled")
    DISPUTE_CHALLENGED = "dispute_challenged", _disputed("challenged")
    DISPUTE_WON = "dispute_won", _disputed("challenged", "won")
    DISPUTE_LOST = "dispute_lost", _disputed("challenged", "lost")
    MANDATE_ACTIVE = "mandate_active", (_AGREED,)
    MANDATE_REVOKED = "mandate_revoked", (_AGREED, _call("mandates.revoke"))


class Event(Record, frozen=True, kw_only=True):
    """A change of an object, stored in the transaction that made it (an outbox row).

    `object` is the record after the change, in the store's compact form: shared with the store's own copy. `related`
    are the records shown inside it (a payment's refunds and disputes), `before` is the object before the change, if a
    scenario sends that, and `overrides` is merged into the object, if a trigger requested it.

    `delivered` None: no attempt has ended yet; `next_at` is when the next one is due (ms). `fate` says why none is
    planned, `waits` what it waits for (an event's type, or `redirect`), `orders` how a scenario wants it sent, and
    `because` why.
    """

    event_id: str
    type: EventType
    merchant_id: str
    profile_id: str | None
    object_id: str
    payment_id: str | None
    created_at: Instant
    number: int
    object: Annotated[bytes, BESIDE]
    related: tuple[bytes, ...] = ()
    delivered: bool | None = None
    attempts: int = 0
    next_at: Instant | None = None
    before: bytes | None = None
    overrides: JsonText | None = None
    fate: SkipReason | None = None
    waits: str | None = None
    orders: JsonText | None = None
    because: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """What the order of events is kept for: one payment, else one object."""
        return self.payment_id or self.object_id


INBOX = "inbox"
"""The log of events: one line per event, its id."""
ATTEMPTS = "attempts"
"""The log of attempts: one line per attempt, the ids of event and attempt."""
DELIVER = "deliver"
"""The scheduled event of a delivery: its subject is the event, its argument the kind of attempt."""
TARGET = "webhook_target"
"""The fact with the workspace's endpoint for events without one of their own: `url`, and `secret` or None."""


class AttemptKind(StrEnum):
    """Why an attempt was made (facts §2.9)."""

    INITIAL = "initial_attempt"
    AUTOMATIC = "automatic_retry"
    MANUAL = "manual_retry"


class SkipReason(StrEnum):
    """Why no attempt is made, or not yet (ours)."""

    UNHEARD = "nobody_listens"
    FILTERED = "filtered"
    DROPPED = "dropped"
    FOLLOWS = "follows"
    REDIRECT = "redirect"
    GIVEN_UP = "given_up"


WHY: Final[dict[SkipReason, str]] = {
    SkipReason.UNHEARD: "no endpoint configured: no webhook_url of the profile, the workspace or the server",
    SkipReason.FILTERED: "the profile's webhook_details exclude this status",
    SkipReason.DROPPED: "dropped by a scenario",
    SkipReason.FOLLOWS: "a scenario delays it until another event is delivered",
    SkipReason.REDIRECT: "a scenario delays it until the customer's page redirects",
    SkipReason.GIVEN_UP: "all automatic retries failed",
}


class DeliveryAttempt(Record, frozen=True, kw_only=True):
    """One request that delivered an event, and its answer.

    The first has the event's id, later ones have their own; `number` counts from 1, and `copy` the copies that a
    scenario sent. `made_at` is the workspace's time in ms, `took_ms` real; `began_us` is a real instant that only gives
    the order, as in the journal. Headers are JSON text: an array of [name, value]. `stale`: the body showed the object
    as it was before. `status` None: there was no answer, and `error` says why. `response_body` is the beginning of the
    body.
    """

    attempt_id: str
    event_id: str
    payment_id: str | None
    number: int
    copy: int = 1
    kind: AttemptKind
    made_at: Instant
    url: str
    headers: JsonText
    stale: bool = False
    status: int | None = None
    response_headers: JsonText = "[]"
    response_body: str = ""
    error: str | None = None
    took_ms: int = 0
    began_us: int = 0
    because: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the receiver accepted it."""
        return is_success(self.status)


def is_success(status: int | None) -> bool:
    """Whether a receiver accepted a request: any 2xx (facts §6.2); None: there was no answer."""
    return status is not None and 200 <= status <= 299


SIGNATURE_HEADER: Final = "X-Webhook-Signature-512"
_PLAIN: Final = ("content-type", "user-agent", "content-length", "host", "connection", "transfer-encoding")
OWN_HEADERS: Final = frozenset((*_PLAIN, SIGNATURE_HEADER.lower()))
"""The headers that every webhook has, in small letters; custom ones cannot replace them."""

Pair = tuple[str, str]


def signature(key: str, message: bytes) -> str:
    """The HMAC-SHA512 of a message under the bytes of a profile's response hash key, in lower-case hexadecimal."""
    return hmac.digest(key.encode(), message, "sha512").hex()


def query_message(pairs: Iterable[Pair]) -> bytes:
    """What a query's signature covers: its pairs, unquoted, sorted, as k=v with & between them (facts §6.3)."""
    return "&".join(f"{name}={value}" for name, value in sorted(pairs)).encode()


def signed_pairs(pairs: Iterable[Pair], key: str) -> list[Pair]:
    """The pairs, then their signature and its algorithm."""
    signed = list(pairs)
    return [*signed, ("signature", signature(key, query_message(signed))), ("signature_algorithm", "HMAC-SHA512")]
