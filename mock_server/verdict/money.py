"""Rules about money: what moves twice, what a status forbids, what is never followed up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.calls import ClientCall, Json, is_accepted, is_forged, ms_of
from mock_server.verdict.evidence import Evidence, Finding, StatusSince

TOOK: Final = frozenset(
    {S.REQUIRES_CAPTURE, S.SUCCEEDED, S.PARTIALLY_AUTHORIZED, S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE}
)
"""Statuses in which money is reserved or taken."""
CAPTURED: Final = frozenset({S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.CANCELLED_POST_CAPTURE})
CHARGES: Final = ("payments.create", "payments.confirm", "payments.capture")
MOVING: Final = (*CHARGES, "refunds.create")
"""Calls that move money again if they are repeated."""

# money that moves twice


def double_charge(evidence: Evidence) -> Iterator[Finding | None]:
    for lost in evidence.named(*CHARGES):
        if lost.is_unheard and _took_money(lost):
            again = next((other for other in _tries(evidence, lost) if _took_money(other)), None)
            yield None if again is None else _charged_again(lost, again)


def _tries(evidence: Evidence, lost: ClientCall) -> Iterator[ClientCall]:
    """The calls that repeat a lost call with another key or none.

    Until the payment is retrieved, cancelled or refunded, and for a capture until an event about it: after that, a
    second one may be intended.
    """
    for other in evidence.after(lost):
        if lost.operation != "payments.create" and evidence.took_event(lost.payment_id, lost.ended_us, other.began_us):
            return
        same_order = lost.order is not None and other.order == lost.order
        same_payment = lost.operation != "payments.create" and other.about == lost.payment_id
        is_same = other.operation == lost.operation and (same_order or same_payment) and _sum(other) == _sum(lost)
        if is_same and not other.replayed and not other.is_repeat_of(lost):
            yield other
        elif other.about == lost.payment_id and not other.is_unheard:
            return


def _sum(call: ClientCall) -> object:
    """The amount in a call."""
    return call.sent.get("amount_to_capture") or call.sent.get("amount")


def _took_money(call: ClientCall) -> bool:
    return call.has_effect and call.payment_status in TOOK


def _charged_again(lost: ClientCall, other: ClientCall) -> Finding:
    amount = _sum(other) or other.answer.get("amount")
    currency = other.sent.get("currency") or other.answer.get("currency") or ""
    key = "another idempotency key" if other.idempotency_digest else "no idempotency key"
    what = f"{other.operation} was repeated with {key} after its answer was lost, although it had succeeded"
    return Finding(f"{what}: {amount} {currency} twice", (lost.number, other.number))


def key_for_another_body(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.calls:
        if call.idempotency_digest is not None:
            reused = call.cause == "idempotency_key_reused"
            what = f"{call.operation} sent another body with a used idempotency key"
            yield Finding(what, (call.number,)) if reused else None


def refunded_twice(evidence: Evidence) -> Iterator[Finding | None]:
    given: list[ClientCall] = []
    for call in evidence.named("refunds.create"):
        earlier = [one for one in given if one.about == call.about and not call.is_repeat_of(one)]
        same = [one for one in earlier if _amount(one) == _amount(call)]
        lost = [
            one
            for one in same
            if one.is_unheard and call.has_effect and not evidence.was_informed(one.about, one.ended_us, call.began_us)
        ]
        if call.cause == "refund_over_captured" and same:
            what = f"{call.about} was refunded again, with nothing left to refund"
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


def webhook_acted_twice(evidence: Evidence) -> Iterator[Finding | None]:
    for event, attempts in evidence.attempts:
        taken = [one for one in attempts if is_accepted(one) and not is_forged(one)]
        if len(taken) < 2 or not event["payment_id"]:
            continue
        calls = evidence.of_payment[event["payment_id"]]
        moving = [call for call in calls if call.operation in MOVING and call.has_effect]
        acts = [(one, call) for one in taken for call in moving if _is_within(call, one)]
        twice = [
            (call.number, again.number)
            for (one, call), (other, again) in combinations(acts, 2)
            if one is not other and again is not call
            if again.operation == call.operation and not again.is_repeat_of(call)
        ]
        what = f"{event['event_type']} was delivered {len(taken)} times, and each delivery led to the same call"
        yield Finding(what, twice[0], (event["number"],)) if twice else None


def _is_within(call: ClientCall, attempt: Json) -> bool:
    """Whether a call was made during a delivery, as by a receiver that acts immediately."""
    ended_us = attempt["began_us"] + (attempt["took_ms"] + 1) * 1_000
    return bool(attempt["began_us"] <= call.began_us <= ended_us)


# what a status forbids


def refused_in(evidence: Evidence, operation: str, statuses: frozenset[S], what: str) -> Iterator[Finding | None]:
    """Calls of an operation that were refused because of the payment's status; accepted ones are right."""
    for call in evidence.named(operation):
        before = evidence.status_before(call)
        if not call.is_refused:
            yield None
        elif before and before.status in statuses and _is_known(evidence, call, before):
            yield Finding(f"{call.about} was {what}", (call.number,))


def _is_known(evidence: Evidence, call: ClientCall, before: StatusSince) -> bool:
    """Whether the client could know the payment's status: it learned of it, or of the end of the authorization."""
    heard = [one.answer for one in evidence.of_payment[call.about] if not one.is_unheard]
    bounds = [bound for answer in heard if (bound := answer.get("capture_before"))]
    is_over = before.status == S.EXPIRED and bool(bounds) and ms_of(bounds[-1]) <= ms_of(call.at)
    return is_over or evidence.was_informed(call.about, before.since_us, call.began_us)


def captured_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named("payments.capture"):
        if call.cause == "amount_over_capturable":
            what = f"{call.sent.get('amount_to_capture')} was to be captured, which is more than the authorized amount"
            yield Finding(what, (call.number,))
        elif not call.is_refused:
            yield None


def refunded_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    given: set[tuple[object, object]] = set()
    for call in evidence.named("refunds.create"):
        if call.cause == "refund_over_captured" and (call.about, _amount(call)) not in given:
            what = f"{_amount(call)} of {call.about} was to be refunded, which is more than the captured amount"
            yield Finding(what, (call.number,))
        elif call.has_effect:
            given.add((call.about, _amount(call)))
            yield None


# what is never followed up


def pending_never_looked(evidence: Evidence) -> Iterator[Finding | None]:
    for call, moved_us in _moved_on(evidence, S.PENDING):
        heard = evidence.was_informed(call.payment_id, moved_us)
        what = f"{call.payment_id} was pending and then settled; the client neither retrieved it nor accepted a webhook"
        yield None if heard else Finding(what, (call.number,))


def challenge_not_followed(evidence: Evidence) -> Iterator[Finding | None]:
    for call, _ in _moved_on(evidence, S.REQUIRES_ACTION):
        visited = any(page.payment_id == call.payment_id for page in evidence.pages)
        is_over = evidence.history(call.payment_id)[-1].status == S.EXPIRED
        what = f"{call.payment_id} needed action by the customer, but its page was not opened before it expired"
        yield Finding(what, (call.number,)) if is_over and not visited else None


def _moved_on(evidence: Evidence, status: S) -> Iterator[tuple[ClientCall, float]]:
    """For each payment, the call that showed the client a status, and when the payment left it by itself."""
    shown: set[str] = set()
    for call in evidence.calls:
        if call.payment_status == status and not call.is_unheard and call.payment_id not in shown:
            history = [one for one in evidence.history(call.payment_id) if one.since_us >= call.ended_us]
            moved = [one for one in history if one.status != status]
            if moved:
                shown.add(call.payment_id)
                yield call, moved[0].since_us


def left_too_early(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.kept("connection"):
        if call.delay_ms and call.fault is None and call.has_effect:
            after = evidence.after(call)
            asked = any(other.is_repeat_of(call) or other.payment_id == call.payment_id for other in after)
            asked = asked or evidence.took_event(call.payment_id, call.ended_us)
            due = f"{call.operation} was delayed by {call.delay_ms} ms"
            what = f"{due}; the client disconnected and never retrieved the result"
            yield Finding(what, (call.number,)) if call.left_first and not asked else None


def authorization_open(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named("payments.create", "payments.confirm"):
        if call.payment_status == S.REQUIRES_CAPTURE:
            last = [one for one in evidence.of_payment[call.payment_id] if one.payment_status][-1]
            is_open = last.payment_status == S.REQUIRES_CAPTURE == evidence.history(call.payment_id)[-1].status
            yield Finding(f"{call.payment_id} was neither captured nor cancelled", (call.number,)) if is_open else None
