"""Rules about calls that are repeated after their answer was lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.calls import CAPTURE, CONFIRM, CREATE, REFUND, ClientCall, Json
from mock_server.verdict.evidence import Evidence, Finding

TOOK: Final = frozenset(
    {S.REQUIRES_CAPTURE, S.SUCCEEDED, S.PARTIALLY_AUTHORIZED, S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE}
)
"""Statuses in which money is reserved or taken."""
UNDONE: Final = frozenset({S.FAILED, S.CANCELLED, S.CANCELLED_POST_CAPTURE, S.EXPIRED})
"""Statuses in which money was released or given back."""
SALES: Final = (CREATE, CONFIRM)
PART: Final = "amount_to_capture"
OWN_ID: Final = {CREATE: "payment_id", CONFIRM: "payment_id", CAPTURE: "", REFUND: "refund_id"}
"""Calls that are safe to repeat with an idempotency key, or with an ID of the client's own in this field."""


def double_charge(evidence: Evidence) -> Iterator[Finding | None]:
    """Calls that took money again: what certainly moved twice."""
    for lost in evidence.named(*SALES, CAPTURE):
        if lost.is_unheard and _took_money(evidence, lost):
            again = _charged_again(evidence, lost)
            yield None if again is None else _twice(lost, again, "")


def _charged_again(evidence: Evidence, lost: ClientCall) -> ClientCall | None:
    """The call that takes the money of a lost one again.

    It may be intended if the client got the answer by repeating the call, or if the money was given back before.
    """
    for other in evidence.later(lost):
        if other.is_repeat_of(lost) and other.replayed and not other.is_unheard:
            return None
        if _is_same_sale(evidence, lost, other) and _took_money(evidence, other) and not other.is_repeat_of(lost):
            return None if _is_undone(evidence, lost, other) else other
    return None


def _is_same_sale(evidence: Evidence, lost: ClientCall, other: ClientCall) -> bool:
    """Whether both capture the same part of one payment, or charge the same order."""
    if CAPTURE in (lost.operation, other.operation):
        one = (lost.operation, lost.payment_id, lost.sent.get(PART))
        return one == (other.operation, other.payment_id, other.sent.get(PART))
    if other.operation not in SALES:
        return False
    (names, *sale), (others, *another) = _sale(evidence, lost), _sale(evidence, other)
    name: object = next(filter(None, names), None)
    return name is not None and name == next(filter(None, others), None) and sale == another


def _sale(evidence: Evidence, call: ClientCall) -> tuple[tuple[object, object], object, object, object]:
    """What is sold: the shop's own names for it (its reference, else metadata), the customer, the amount."""
    shown = {**call.answer, **_asked(evidence, call), **call.sent}
    names = (shown.get("merchant_order_reference_id"), shown.get("metadata"))
    return names, shown.get("customer_id"), shown.get("amount"), shown.get("currency")


def _asked(evidence: Evidence, call: ClientCall) -> Json:
    """What a call asked for: its body; of a confirmation the body with which its payment was created."""
    if call.operation != CONFIRM:
        return call.sent
    return next((one.sent for one in evidence.of_payment[call.about] if one.operation == CREATE), {})


def _took_money(evidence: Evidence, call: ClientCall) -> bool:
    """Whether a call took or reserved money, at once or when the payment settled."""
    is_late = call.payment_status == S.PENDING and any(one.status in TOOK for one in evidence.history(call.payment_id))
    return call.has_effect and (call.payment_status in TOOK or is_late)


def _is_undone(evidence: Evidence, lost: ClientCall, other: ClientCall) -> bool:
    """Whether the money of a lost call was given back before another one; of a capture, whether the client knew it."""
    if lost.operation == CAPTURE:
        return evidence.looked(lost.payment_id, lost.ended_us, other.began_us)
    calls, history = evidence.of_payment[lost.payment_id], evidence.history(lost.payment_id)
    given_back = (call.began_us for call in calls if call.operation == REFUND and call.has_effect)
    ended = (one.since_us for one in history if one.status in UNDONE)
    return any(at < other.began_us for at in chain(given_back, ended))


def _twice(lost: ClientCall, other: ClientCall, possibly: str) -> Finding:
    amount = other.sent.get(PART) or other.sent.get("amount") or other.answer.get("amount")
    currency = other.sent.get("currency") or other.answer.get("currency") or ""
    key = "another idempotency key" if other.idempotency_digest else "no idempotency key"
    again = other.operation == lost.operation
    did, whose = ("was repeated", "its answer") if again else ("charged again", f"the answer to {lost.operation}")
    what = f"{other.operation} {did} with {key} after {whose} was lost"
    return Finding(f"{what}: {possibly}{amount} {currency}".rstrip() + " twice", (lost.number, other.number))


def repeated_without_key(evidence: Evidence) -> Iterator[Finding | None]:
    """Calls that may move money twice. Where they certainly did, another rule says so."""
    for lost in evidence.named(*OWN_ID):
        asked = _asked(evidence, lost)
        is_safe = asked.get(OWN_ID[lost.operation]) or lost.replayed or lost.payment_status == S.FAILED
        if is_safe or not lost.is_unheard:
            continue
        again = [one for one in evidence.later(lost) if one.is_repeat_of(lost) or _asks_again(evidence, lost, one)]
        if again and any(one.is_repeat_of(lost) for one in again):
            yield None
        elif again and not _is_certain(evidence, lost, again[0]):
            yield _twice(lost, again[0], "possibly ")


def _asks_again(evidence: Evidence, lost: ClientCall, other: ClientCall) -> bool:
    """Whether a call asks for the same as a lost one: to charge an order that has no name, too."""
    if lost.operation in SALES:
        charges = other.operation == CONFIRM or (other.operation == CREATE and other.sent.get("confirm"))
        does = bool(charges) and other.payment_id != lost.payment_id
    else:
        does = other.path == lost.path
    return does and _asked(evidence, other) == _asked(evidence, lost)


def _is_certain(evidence: Evidence, lost: ClientCall, other: ClientCall) -> bool:
    """Whether the rules about money that certainly moved twice have judged it."""
    if lost.operation in SALES:
        return _took_money(evidence, lost) and _is_same_sale(evidence, lost, other)
    return lost.has_effect and other.has_effect
