"""Rules about money: what moves twice, what a status forbids, what nobody looked after."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.evidence import ClientCall, Evidence, Finding, Json, is_forged, is_taken

CAPTURED: Final = frozenset({S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.CANCELLED_POST_CAPTURE})
NO_MONEY: Final = frozenset({S.FAILED, S.CANCELLED, S.EXPIRED})
CHARGES: Final = ("payments.create", "payments.confirm", "payments.capture")

# money that moves twice


def double_charge(evidence: Evidence) -> Iterator[Finding | None]:
    for lost in evidence.named(*CHARGES):
        if lost.has_effect and lost.is_unheard and _took_money(evidence, lost):
            yield next((_charged_again(lost, other) for other in _tries(evidence, lost) if other.has_effect), None)


def _tries(evidence: Evidence, lost: ClientCall) -> Iterator[ClientCall]:
    """The calls that ask once more for what a lost call did, under another key or none.

    Until its payment is looked at, cancelled or refunded: after that a second one may be wanted.
    """
    for other in evidence.after(lost):
        same_order = lost.order is not None and other.order == lost.order
        same_payment = lost.operation != "payments.create" and other.about == lost.payment_id
        is_same = other.operation == lost.operation and (same_order or same_payment) and _sum(other) == _sum(lost)
        if is_same and not other.replayed and not other.is_repeat_of(lost):
            yield other
        elif other.about == lost.payment_id and not other.is_unheard:
            return


def _sum(call: ClientCall) -> object:
    """How much a call moves, as far as it says so."""
    return call.request.get("amount_to_capture") or call.request.get("amount")


def _took_money(evidence: Evidence, call: ClientCall) -> bool:
    stands = [one for one in evidence.stands(call.payment_id) if one.since_us <= call.ended_us]
    return bool(stands) and stands[-1].status not in NO_MONEY


def _charged_again(lost: ClientCall, other: ClientCall) -> Finding:
    amount = _sum(other) or other.response.get("amount")
    currency = other.request.get("currency") or other.response.get("currency") or ""
    key = "another idempotency key" if other.idempotency_digest else "no idempotency key"
    what = f"{other.operation} was repeated with {key} after its answer was lost, although it had succeeded"
    return Finding(f"{what}: {amount} {currency} twice", (lost.number, other.number))


def key_for_another_body(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.calls:
        if call.idempotency_digest is not None:
            reused = call.cause == "idempotency_key_reused"
            what = f"{call.operation} sent another body with a used idempotency key"
            yield Finding(what, (call.number,)) if reused else None


def captured_twice(evidence: Evidence) -> Iterator[Finding | None]:
    yield from _refused_in(evidence, "payments.capture", CAPTURED, "captured although it had been captured in full")


def refunded_twice(evidence: Evidence) -> Iterator[Finding | None]:
    given: list[ClientCall] = []
    for call in evidence.named("refunds.create"):
        earlier = [one for one in given if one.about == call.about and not call.is_repeat_of(one)]
        same = [one for one in earlier if _amount(one) == _amount(call)]
        lost = [one for one in same if one.is_unheard and call.has_effect]
        if call.cause == "refund_over_captured" and same:
            yield Finding(
                f"{call.about} was refunded again, with nothing left to refund", (same[-1].number, call.number)
            )
        elif lost:
            yield Finding(
                f"{call.about} was refunded twice: the call was repeated after its answer was lost",
                (lost[-1].number, call.number),
            )
        elif call.has_effect:
            yield None
        if call.has_effect:
            given.append(call)


def _amount(call: ClientCall) -> object:
    return call.request.get("amount") or call.response.get("amount")


def webhook_acted_twice(evidence: Evidence) -> Iterator[Finding | None]:
    for event in evidence.events:
        taken = [one for one in event["deliveries"] if is_taken(one) and not is_forged(one)]
        if len(taken) < 2 or not event["payment_id"]:
            continue
        calls = evidence.of_payment(event["payment_id"])
        acts = [(one, call) for one in taken for call in calls if call.has_effect and _is_within(call, one)]
        twice = [
            (call.number, again.number)
            for (one, call), (other, again) in combinations(acts, 2)
            if one is not other and _is_again(again, call)
        ]
        what = f"{event['event_type']} was delivered {len(taken)} times, and each delivery led to the same call"
        yield Finding(what, twice[0], (event["number"],)) if twice else None


def _is_within(call: ClientCall, attempt: Json) -> bool:
    """Whether a call was made while a delivery was being answered, as a receiver that acts at once does."""
    ended_us = attempt["began_us"] + (attempt["took_ms"] + 1) * 1_000
    return bool(attempt["began_us"] <= call.began_us <= ended_us)


def _is_again(again: ClientCall, call: ClientCall) -> bool:
    return again.number != call.number and again.operation == call.operation and not again.is_repeat_of(call)


# what a status forbids


def _refused_in(evidence: Evidence, operation: str, statuses: frozenset[S], what: str) -> Iterator[Finding | None]:
    """Calls of an operation that were refused because of how the payment stood; those that were taken went well."""
    for call in evidence.named(operation):
        stood = evidence.stood_before(call)
        if stood is None:
            continue
        if call.is_refused and stood.status in statuses:
            yield Finding(f"{call.about} was {what}", (call.number,))
        elif not call.is_refused:
            yield None


def failed_captured(evidence: Evidence) -> Iterator[Finding | None]:
    yield from _refused_in(evidence, "payments.capture", frozenset({S.FAILED}), "captured although it had failed")


def failed_refunded(evidence: Evidence) -> Iterator[Finding | None]:
    yield from _refused_in(evidence, "refunds.create", frozenset({S.FAILED}), "refunded although it had failed")


def captured_after_expiry(evidence: Evidence) -> Iterator[Finding | None]:
    what = "captured after its authorization had expired"
    yield from _refused_in(evidence, "payments.capture", frozenset({S.EXPIRED}), what)


def captured_after_cancel(evidence: Evidence) -> Iterator[Finding | None]:
    what = "captured after it had been cancelled"
    yield from _refused_in(evidence, "payments.capture", frozenset({S.CANCELLED}), what)


def captured_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named("payments.capture"):
        if call.cause == "amount_over_capturable":
            what = (
                f"{call.request.get('amount_to_capture')} was to be captured, which is more than the authorized amount"
            )
            yield Finding(what, (call.number,))
        elif not call.is_refused:
            yield None


def refunded_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    given: set[tuple[object, object]] = set()
    for call in evidence.named("refunds.create"):
        if call.cause == "refund_over_captured" and (call.about, _amount(call)) not in given:
            yield Finding(
                f"{_amount(call)} of {call.about} was to be refunded, which is more than the captured amount",
                (call.number,),
            )
        elif call.has_effect:
            given.add((call.about, _amount(call)))
            yield None


# what was never asked again


def pending_never_looked(evidence: Evidence) -> Iterator[Finding | None]:
    for call, moved_us in _moved_on(evidence, S.PENDING):
        heard = evidence.was_informed(call.payment_id, moved_us)
        what = f"{call.payment_id} was pending and then settled; the client neither retrieved it nor accepted a webhook"
        yield None if heard else Finding(what, (call.number,))


def challenge_not_followed(evidence: Evidence) -> Iterator[Finding | None]:
    for call, _ in _moved_on(evidence, S.REQUIRES_ACTION):
        visited = any(page.payment_id == call.payment_id for page in evidence.pages)
        is_over = evidence.stands(call.payment_id)[-1].status == S.EXPIRED
        what = f"{call.payment_id} needed action by the customer, but its page was not opened before it expired"
        yield Finding(what, (call.number,)) if is_over and not visited else None


def _moved_on(evidence: Evidence, status: S) -> Iterator[tuple[ClientCall, float]]:
    """Of each payment the call that showed the client a status, and when the payment left it by itself."""
    shown: set[str] = set()
    for call in evidence.calls:
        if call.operation.startswith("payments.") and call.response.get("payment_id") and not call.is_unheard:
            stands = [one for one in evidence.stands(call.payment_id) if one.since_us >= call.ended_us]
            moved = [one for one in stands if one.status != status]
            if stands and stands[0].status == status and moved and call.payment_id not in shown:
                shown.add(call.payment_id)
                yield call, moved[0].since_us


def left_too_early(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.kept("connection"):
        if call.delay_ms and call.fault is None and call.has_effect:
            after = evidence.after(call)
            asked = any(other.is_repeat_of(call) or other.payment_id == call.payment_id for other in after)
            due = f"{call.operation} was delayed by {call.delay_ms} ms"
            what = f"{due}; the client disconnected and never retrieved the result"
            yield Finding(what, (call.number,)) if call.left_first and not asked else None


def authorization_open(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named("payments.create", "payments.confirm"):
        stands = evidence.stands(call.payment_id) if call.payment_id else ()
        if stands and any(one.status == S.REQUIRES_CAPTURE and one.call is call for one in stands):
            is_open = stands[-1].status == S.REQUIRES_CAPTURE
            yield Finding(f"{call.payment_id} was neither captured nor cancelled", (call.number,)) if is_open else None
