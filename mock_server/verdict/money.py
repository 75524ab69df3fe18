"""Rules about money: what moves twice, also if a lost answer's call is repeated; what a status forbids; loose ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from math import inf
from typing import Final

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.calls import (
    CAPTURE,
    CONFIRM,
    CREATE,
    REFUND,
    ClientCall,
    Json,
    is_accepted,
    is_forged,
    is_within,
    ms_of,
)
from mock_server.verdict.evidence import Evidence, Finding, StatusSince, Unseen

CAPTURED: Final = frozenset({S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.CANCELLED_POST_CAPTURE})
MOVING: Final = (CREATE, CONFIRM, CAPTURE, REFUND)
"""Calls that move money again if they are repeated."""

# money that moves twice


def key_for_another_body(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.calls:
        if call.idempotency_digest is not None:
            reused = call.cause == "idempotency_key_reused"
            what = f"{call.operation} sent another body with a used idempotency key"
            yield Finding(what, (call.number,)) if reused else None


def refunded_twice(evidence: Evidence) -> Iterator[Finding | None]:
    given: list[ClientCall] = []
    for call in evidence.named(REFUND):
        earlier = [other for other in given if other.about == call.about and not call.is_repeat_of(other)]
        same = [other for other in earlier if _amount(other) == _amount(call)]
        lost = [
            other
            for other in same
            if other.is_unheard and call.has_effect and not evidence.looked(other.about, other.ended_us, call.began_us)
        ]
        if call.cause == "refund_over_captured" and same and _is_over(evidence, call, list(map(_amount, given))):
            what = f"{_amount(call)} of {call.about} was to be refunded again, which is more than is left of it"
            yield Finding(what, (same[-1].number, call.number))
        elif lost:
            what = f"{call.about} was refunded twice: the call was repeated after its answer was lost"
            yield Finding(what, (lost[-1].number, call.number))
        elif call.has_effect:
            yield None
        if call.has_effect:
            given.append(call)


def _amount(call: ClientCall) -> object:
    return call.sent.get("amount") or call.answer.get("amount")


def webhook_acted_twice(evidence: Evidence) -> Iterator[Finding | Unseen | None]:
    for event, attempts in evidence.attempts:
        taken = [attempt for attempt in attempts if is_accepted(attempt) and not is_forged(attempt)]
        if len(taken) < 2 or not event["payment_id"]:
            continue
        calls = evidence.of_payment[event["payment_id"]]
        moving = [call for call in calls if call.operation in MOVING and call.has_effect]
        acts = [(attempt, call) for attempt in taken for call in moving if is_within(call, attempt)]
        if not acts:
            yield Unseen("no delivery of a duplicate led to a call that moves money; what else it did is not visible")
            continue
        twice = [
            (call.number, again.number)
            for (attempt, call), (another, again) in combinations(acts, 2)
            if attempt is not another and again is not call
            if again.operation == call.operation and not again.is_repeat_of(call)
        ]
        what = f"{event['event_type']} was delivered {len(taken)} times, and each delivery led to the same call"
        yield Finding(what, twice[0], (event["number"],)) if twice else None


# what a status forbids


def refused_in(evidence: Evidence, operation: str, statuses: frozenset[S], what: str) -> Iterator[Finding | None]:
    """Calls of an operation that were refused because of the payment's status; accepted ones are right."""
    for call in evidence.named(operation):
        before = evidence.status_before(call)
        if not call.is_refused:
            yield None
        elif _repeats_lost(evidence, call):  # the client does not know that it was done
            continue
        elif before and before.status in statuses and _is_known(evidence, call, before):
            yield Finding(f"{call.about} was {what}", (call.number,))


def _repeats_lost(evidence: Evidence, call: ClientCall) -> bool:
    """Whether the client has not heard yet that the same was done by an earlier call."""
    return any(
        other.operation == call.operation and other.has_effect and other.is_unheard
        for other in evidence.of_payment[call.about]
        if other.began_us < call.began_us and not evidence.looked(call.about, other.ended_us, call.began_us)
    )


def _is_known(evidence: Evidence, call: ClientCall, before: StatusSince) -> bool:
    """Whether the client could know the payment's status: it learned of it, or of the end of the authorization."""
    heard = [other.answer for other in evidence.of_payment[call.about] if not other.is_unheard]
    bounds = [bound for answer in heard if (bound := answer.get("capture_before"))]
    is_over = before.status == S.EXPIRED and bool(bounds) and ms_of(bounds[-1]) <= ms_of(call.at)
    return is_over or evidence.was_informed(call.about, before.since_us, call.began_us)


def captured_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named(CAPTURE):
        if call.cause == "amount_over_capturable":
            amount = call.sent.get("amount_to_capture")
            yield Finding(f"{amount} was to be captured, which is more than was still to be captured", (call.number,))
        elif not call.is_refused:
            yield None


def refunded_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    given: dict[str | None, list[object]] = defaultdict(list)
    for call in evidence.named(REFUND):
        amount, earlier = _amount(call), given[call.about]
        if call.cause == "refund_over_captured" and amount not in earlier and _is_over(evidence, call, earlier):
            what = f"{amount} of {call.about} was to be refunded, which is more than was captured and not refunded yet"
            yield Finding(what, (call.number,))
        elif call.has_effect:
            earlier.append(amount)
            yield None


def _is_over(evidence: Evidence, call: ClientCall, earlier: Sequence[object]) -> bool:
    """Whether more is refunded than is left. A refund can also be refused because the money is disputed."""
    shown = [since.payment.get("amount_received") for since in evidence.history(call.about or "")]
    received = max((amount for amount in shown if isinstance(amount, int)), default=inf)
    return sum(amount for amount in (_amount(call), *earlier) if isinstance(amount, int)) > received


# what is never followed up


def pending_never_looked(evidence: Evidence) -> Iterator[Finding | None]:
    for call, moved in _moved_on(evidence, S.PENDING):
        heard = evidence.was_informed(call.payment_id, moved.since_us)
        what = f"{call.payment_id} was pending and then settled; the client neither retrieved it nor accepted a webhook"
        yield None if heard else Finding(what, (call.number,))


def challenge_never_read(evidence: Evidence) -> Iterator[Finding | Unseen | None]:
    for call, moved in _moved_on(evidence, S.REQUIRES_ACTION):
        if moved.status == S.EXPIRED or evidence.looked(call.payment_id, moved.since_us):
            yield None
        elif evidence.took_event(call.payment_id, moved.since_us):
            yield Unseen(
                "only webhooks told the result of a challenge; whether the client waited for it is not visible"
            )
        else:
            what = f"{call.payment_id} was {moved.status} after the challenge; the client did not retrieve it"
            yield Finding(f"{what} or accept a webhook", (call.number,))


def challenge_not_followed(evidence: Evidence) -> Iterator[Finding | None]:
    for call, _ in _moved_on(evidence, S.REQUIRES_ACTION):
        visited = any(page.payment_id == call.payment_id for page in evidence.pages)
        is_over = evidence.history(call.payment_id)[-1].status == S.EXPIRED
        what = f"{call.payment_id} needed action by the customer, but its page was not opened before it expired"
        yield Finding(what, (call.number,)) if is_over and not visited else None


def _moved_on(evidence: Evidence, status: S) -> Iterator[tuple[ClientCall, StatusSince]]:
    """For each payment, the call that showed the client a status, and what the payment became by itself."""
    shown: set[str] = set()
    for call in evidence.calls:
        if call.payment_status == status and not call.is_unheard and call.payment_id not in shown:
            history = [since for since in evidence.history(call.payment_id) if since.since_us >= call.ended_us]
            moved = [since for since in history if since.status != status]
            if moved:
                shown.add(call.payment_id)
                yield call, moved[0]


def left_too_early(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.kept("connection"):
        if call.delay_ms and call.fault is None and call.has_effect:
            after = evidence.after(call)
            asked = any(other.is_repeat_of(call) or other.payment_id == call.payment_id for other in after)
            asked = asked or evidence.took_event(call.payment_id, evidence.known_us(call))
            due = f"{call.operation} was delayed by {call.delay_ms} ms"
            what = f"{due}; the client disconnected and never retrieved the result"
            yield Finding(what, (call.number,)) if call.left_first and not asked else None


def authorization_open(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named(CREATE, CONFIRM):
        if call.payment_status == S.REQUIRES_CAPTURE:
            last = [other for other in evidence.of_payment[call.payment_id] if other.payment_status][-1]
            is_open = last.payment_status == S.REQUIRES_CAPTURE == evidence.history(call.payment_id)[-1].status
            yield Finding(f"{call.payment_id} was neither captured nor cancelled", (call.number,)) if is_open else None


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
        captured = (lost.operation, lost.payment_id, lost.sent.get(PART))
        return captured == (other.operation, other.payment_id, other.sent.get(PART))
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
    return next((other.sent for other in evidence.of_payment[call.about] if other.operation == CREATE), {})


def _took_money(evidence: Evidence, call: ClientCall) -> bool:
    """Whether a call took or reserved money, at once or when the payment settled."""
    later = evidence.history(call.payment_id) if call.payment_status == S.PENDING else ()
    return call.has_effect and (call.payment_status in TOOK or any(since.status in TOOK for since in later))


def _is_undone(evidence: Evidence, lost: ClientCall, other: ClientCall) -> bool:
    """Whether the money of a lost call was given back before another one; of a capture, whether the client knew it."""
    if lost.operation == CAPTURE:
        return evidence.looked(lost.payment_id, lost.ended_us, other.began_us)
    calls, history = evidence.of_payment[lost.payment_id], evidence.history(lost.payment_id)
    given_back = (call.began_us for call in calls if call.operation == REFUND and call.has_effect)
    ended = (since.since_us for since in history if since.status in UNDONE)
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
        again = [call for call in evidence.later(lost) if call.is_repeat_of(lost) or _asks_again(evidence, lost, call)]
        if again and any(call.is_repeat_of(lost) for call in again):
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
