"""Rules about money: what moves twice, also if a lost answer's call is repeated; what a status forbids; loose ends."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import inf
from operator import attrgetter
from typing import Any, Final

from mock_server.domain.instants import DAY_MS
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.statuses import RefundStatus
from mock_server.verdict.calls import CAPTURE, CREATE, CUT, PARTLY, REFUND, SALES, ClientCall, Json, is_forged, ms_of
from mock_server.verdict.evidence import RESERVED, SINCE, Evidence, Finding, StatusSince
from mock_server.verdict.indexes import Calls, during, front, grouped, last_end, next_alike, next_in, once, others, text

CAPTURED: Final = frozenset({S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.CANCELLED_POST_CAPTURE})
UNDONE: Final = frozenset({S.FAILED, S.CANCELLED, S.CANCELLED_POST_CAPTURE, S.EXPIRED})
"""Statuses in which money was released or given back."""
TOOK: Final = RESERVED | {S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE}
UNAUTHORIZED: Final = frozenset(S) - TOOK - UNDONE
UNCAPTURED: Final = UNAUTHORIZED | RESERVED
BEYOND_MANDATE: Final = {f"mandate_{one}" for one in ("used", "status_forbids", "out_of_period", "exceeded")}
ENDED: Final = "a mandate was not revoked by the client; whether it knew of the end is not visible"
DOUBTFUL: Final = "money moved again after an answer that was lost or pending; whether it was meant is not visible"


def key_for_another_body(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.calls:
        if call.idempotency_digest:
            what = f"{call.operation} sent another body with a used idempotency key"
            yield Finding(what, (call.number,)) if call.cause == "idempotency_key_reused" else None


# money that moves twice


def refunded_twice(evidence: Evidence) -> Iterator[Finding | str | None]:
    given, unheard = defaultdict[object, Calls](list), defaultdict[object, list[ClientCall]](list)
    totals = Counter[object]()
    for call in evidence.named(REFUND):
        alike = (call.about, _amount(evidence, call))
        same, lost = next(others(given[alike], call), None), unheard[alike]
        may_know = False
        while lost and evidence.may_have_seen(lost[-1], call.began_us):
            may_know |= lost.pop().same != call.same  # in later calls, too, the client knows of it
        unknown = others(reversed(lost) if call.has_effect else (), call)
        first = next((one for one in unknown if not evidence.may_have_seen(one, call.began_us)), None)
        if call.cause == "refund_over_captured" and same and _is_over(evidence, call, totals[call.about]):
            what = f"{alike[1]} of {call.about} was to be refunded again, which is more than is left of it"
            yield Finding(what, (same.number, call.number))
        elif first:
            what = f"{call.about} was refunded twice: the call was repeated after its answer was lost"
            is_named = call.sent.get("refund_id")  # by the client: it can be another refund
            yield DOUBTFUL if is_named or evidence.answered[first.same] else Finding(what, (first.number, call.number))
        elif call.has_effect:
            yield DOUBTFUL if may_know else None
        if _is_given(call):
            given[alike] = front([call, *given[alike]])
            totals[call.about] += alike[1]
            lost += [call] if call.is_unheard else []


def _is_given(refund: ClientCall) -> bool:
    """Whether money is given back, or will be."""
    return refund.has_effect and refund.answer.get("status") != RefundStatus.FAILED


def _amount(evidence: Evidence, refund: ClientCall) -> int:
    """The amount of a refund: without one, the whole payment; 0 if that is not known."""
    said = refund.sent.get("amount") or refund.answer.get("amount") or _received(evidence, refund.about or "")
    return said if isinstance(said, int) else 0


def webhook_acted_twice(evidence: Evidence) -> Iterator[Finding | str | None]:
    for event, attempts in evidence.attempts:
        genuine = [attempt for attempt in attempts if not is_forged(attempt)]
        if len(genuine) < 2 or not event["payment_id"]:
            continue
        rows = _moving(evidence, event["payment_id"])
        acts = [[call for row in rows.values() for call in front(row[during(row, attempt)])] for attempt in genuine]
        if not any(acts):
            yield "no delivery of a duplicate led to a call about its payment that moves money; the rest is not visible"
            continue
        twice, first = tuple[int, ...](), dict[str, ClientCall]()
        for act in acts:
            again = ((first[call.operation], call) for call in act if call.operation in first)
            twice = twice or next(((one.number, call.number) for one, call in again if one.same != call.same), ())
            first = {**{call.operation: call for call in reversed(act)}, **first}
        what = f"{event['event_type']} was delivered {len(genuine)} times, and each delivery led to the same call"
        since = {name: front(row[during(row, {**genuine[0], "took_ms": inf})]) for name, row in rows.items()}
        repeats = any(len(since[call.operation]) > 1 for act in acts for call in act)
        doubt = "a call that moves money was made again later; whether for the delivery is not visible"
        yield Finding(what, twice, (event["number"],)) if twice else doubt if repeats else None


@once
def _moving(evidence: Evidence, payment_id: str) -> Mapping[str, Calls]:
    calls = (call for call in evidence.of_payment[payment_id] if call.operation in OWN_ID and call.has_effect)
    return grouped(calls, attrgetter("operation"))


# what a status forbids


def refused_in(evidence: Evidence, operation: str, statuses: frozenset[S], what: str) -> Iterator[Finding | str | None]:
    """Calls of an operation that were refused because of the payment's status; accepted ones are right."""
    waiting = set[str | None]()  # payments whose capture is pending: they count as captured
    for call in evidence.named(operation):
        before = evidence.status_before(call)
        if not call.is_refused:
            if call.payment_status == S.PENDING:
                waiting.add(call.about)
            yield None
        elif before and not _may_not_know(evidence, call):
            status = S.SUCCEEDED if before.status == S.PENDING and call.about in waiting else before.status
            is_put_right = statuses == UNCAPTURED and _moved(evidence, call.about or "")[2] > call.began_us
            if status not in statuses or is_put_right:
                continue
            if _is_known(evidence, call, before):
                yield Finding(f"{call.about} was to be {what} although its status was {before.status}", (call.number,))
            elif _capturable_until_ms(evidence, call.about) == UNKNOWN:
                yield PARTLY


def _may_not_know(evidence: Evidence, call: ClientCall) -> bool:
    """Whether an answer to the same operation was lost before, and the client has not looked since."""
    last_us = _lost(evidence, call.operation).get(call.about)
    return last_us is not None and not evidence.looked(call.about, last_us(call.began_us), call.began_us)


@once
def _lost(evidence: Evidence, operation: str) -> dict[Any, Any]:
    lost = [call for call in evidence.named(operation) if call.is_unheard and call.has_effect]
    return {about: last_end(row) for about, row in grouped(lost, attrgetter("about")).items()}


def _is_known(evidence: Evidence, call: ClientCall, before: StatusSince) -> bool:
    """Whether the client could know the payment's status: it learned of it, or of the end of the authorization."""
    is_over = before.status == S.EXPIRED and UNKNOWN < _capturable_until_ms(evidence, call.about) <= ms_of(call.at)
    return is_over or evidence.was_informed(call.about, before.since_us, call.began_us)


@once
def _capturable_until_ms(evidence: Evidence, payment_id: str | None) -> float:
    """The end of a payment's authorization, as the client heard it last; UNKNOWN if that is not recorded."""
    heard = [other.answer for other in reversed(evidence.of_payment[payment_id]) if not other.is_unheard]
    ends = (one.get("capture_before", UNKNOWN if CUT in one else None) for one in heard)
    try:
        return next((ms_of(end) for end in ends if end), inf)
    except (TypeError, ValueError, OverflowError):  # a scenario's own answer says anything
        return inf


def captured_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.named(CAPTURE):
        if call.cause == "amount_over_capturable" and not _may_not_know(evidence, call):
            what = f"{call.sent.get(PART)} was to be captured, which is more than was still to be captured"
            yield Finding(what, (call.number,))
        elif not call.is_refused:
            yield None


def refunded_too_much(evidence: Evidence) -> Iterator[Finding | None]:
    given, totals = set[object](), Counter[str | None]()
    for call in evidence.named(REFUND):
        amount, is_refused = _amount(evidence, call), call.cause == "refund_over_captured"
        alike = (call.about, amount)
        if is_refused and alike not in given and _is_over(evidence, call, totals[call.about]):
            what = "was to be refunded, which is more than was captured and not refunded yet"
            yield Finding(f"{amount} of {call.about} {what}", (call.number,))
        elif _is_given(call):
            given.add(alike)
            totals[call.about] += amount
            yield None


def _is_over(evidence: Evidence, call: ClientCall, earlier: int) -> bool:
    """Whether more is refunded than is left. A refund can also be refused because the money is disputed."""
    return earlier + _amount(evidence, call) > _received(evidence, call.about or "")


@once
def _received(evidence: Evidence, payment_id: str) -> float:
    shown = [since.payment.get("amount_received") for since in evidence.history(payment_id)]
    return max((amount for amount in shown if isinstance(amount, int)), default=inf)


def mandate_overstepped(evidence: Evidence) -> Iterator[Finding | str | None]:
    """Charges that a mandate does not allow; other rules judge those that repeat a charge whose answer was lost."""
    revoked, lost = set[str](), dict[str, ClientCall]()
    for call in evidence.named("mandates.revoke", *SALES, CAPTURE, "payments.incremental_authorization"):
        mandate = _mandate(evidence, call)
        may_know = mandate not in lost or evidence.may_have_seen(lost[mandate], call.began_us)
        if call.operation == "mandates.revoke":
            revoked.add(call.path.rpartition("/")[2])
        elif call.cause in BEYOND_MANDATE and may_know:
            what = f"{call.operation} was to charge mandate {mandate}, which its limits or its end forbid"
            if not mandate:
                yield PARTLY
            elif call.cause == "mandate_status_forbids" and mandate not in revoked:
                yield ENDED
            else:
                yield Finding(what, (call.number,))
        elif call.has_effect and mandate:
            yield None
            if call.is_unheard:
                lost[mandate] = call


def _mandate(evidence: Evidence, call: ClientCall) -> str:
    """The mandate by which a call charges, as it or the call that created its payment says; empty without one."""
    asked = {**_order(evidence, call.about or ""), **call.sent}
    stored = asked.get("recurring_details")
    stored = stored if isinstance(stored, dict) and stored.get("type") == "mandate_id" else {}
    return str(asked.get("mandate_id") or stored.get("data") or "")


# what is never followed up


def pending_never_looked(evidence: Evidence) -> Iterator[Finding | None]:
    for call, moved in _moved_on(evidence, S.PENDING):
        heard = evidence.was_informed(call.payment_id, moved.since_us)
        what = f"{call.payment_id} was pending and then settled; the client neither retrieved it nor accepted a webhook"
        yield None if heard else Finding(what, (call.number,))


def challenge_never_read(evidence: Evidence) -> Iterator[Finding | str | None]:
    for call, moved in _moved_on(evidence, S.REQUIRES_ACTION):
        if moved.status == S.EXPIRED or evidence.looked(call.payment_id, moved.since_us):
            yield None
        elif evidence.took_event(call.payment_id, moved.since_us):
            yield "only webhooks told the result of a challenge; whether the client waited for it is not visible"
        else:
            what = f"{call.payment_id} was {moved.status} after the challenge; the client did not retrieve it"
            yield Finding(f"{what} or accept a webhook", (call.number,))


def challenge_not_followed(evidence: Evidence) -> Iterator[Finding | str | None]:
    for call, _ in _moved_on(evidence, S.REQUIRES_ACTION):
        is_over = evidence.history(call.payment_id)[-1].status == S.EXPIRED
        what = f"{call.payment_id} needed action by the customer, but its page was not opened before it expired"
        is_whole = evidence.of_payment[call.payment_id][0].operation == CREATE
        missed = Finding(what, (call.number,)) if is_whole else "the first calls about it are not in the journal"
        yield missed if is_over and call.payment_id not in evidence.visited else None


def _moved_on(evidence: Evidence, status: S) -> Iterator[tuple[ClientCall, StatusSince]]:
    """For each payment, the call that showed the client a status, and what the payment became by itself."""
    shown = [call for call in evidence.calls if call.payment_status == status and not call.is_unheard]
    payments = {call.payment_id for call in shown}
    rows = {one: [since for since in evidence.history(one) if since.status != status] for one in payments}
    for call in shown:
        row = rows[call.payment_id]
        place = bisect_left(row, call.ended_us, key=SINCE)
        if place < len(row):
            yield call, row[place]
            row.clear()


def left_too_early(evidence: Evidence) -> Iterator[Finding | None]:
    calls = evidence.calls if any(call.delay_ms for call in evidence.calls) else ()
    groups = [(grouped(calls, name), name) for name in (attrgetter("same"), attrgetter("payment_id"))]
    for call in evidence.kept("connection"):
        if call.delay_ms and call.fault is None and call.has_effect:
            last = (other for group, name in groups for other in group[name(call)][-2:] if other is not call)
            asked = any(other.began_us >= call.ended_us for other in last)
            asked = asked or evidence.took_event(call.payment_id, evidence.known_us(call))
            due = f"{call.operation} was delayed by {call.delay_ms} ms"
            what = f"{due}; the client disconnected and never retrieved the result"
            yield Finding(what, (call.number,)) if call.left_first and not asked else None


def authorization_open(evidence: Evidence) -> Iterator[Finding | None]:
    shown = [call for call in evidence.calls if call.payment_status]
    last = {call.about: call.payment_status for call in shown}
    for call in {call.about: call for call in reversed(shown) if call.payment_status in RESERVED}.values():
        is_open = {last[call.about], evidence.history(call.payment_id)[-1].status} <= RESERVED
        yield Finding(f"{call.payment_id} was neither captured nor cancelled", (call.number,)) if is_open else None


PART: Final = "amount_to_capture"
UNKNOWN: Final = -1
REFERENCE: Final = "merchant_order_reference_id"
OWN_ID: Final = {**dict.fromkeys(SALES, "payment_id"), CAPTURE: "", REFUND: "refund_id"}
"""Calls that are safe to repeat with an idempotency key, or with an ID of the client's own in this field."""


def double_charge(evidence: Evidence) -> Iterator[Finding | str | None]:
    """Calls that took money again: what certainly moved twice.

    It may be intended if the client got the answer by repeating the call, or if the money was given back before.
    """
    took = [call for call in evidence.named(*SALES, CAPTURE) if _took_money(evidence, call)]
    next_alike_one = next_alike(took, lambda call: _sale(evidence, call), attrgetter("same"))
    next_sale = next_alike((call for call in took if call.operation != CAPTURE), lambda _: "", attrgetter("same"))
    for call in took:
        if not call.is_unheard:
            if call.payment_status == S.PENDING and next_alike_one(call):
                yield DOUBTFUL
            continue
        again, answer = next_alike_one(call), next_in(evidence.answered[call.same], call)
        other = again or next_sale(call)
        known_us = min(answer.began_us if answer else inf, _moved(evidence, call.payment_id)[1])
        if other is None or known_us < other.began_us:
            yield None
            continue
        name = {**_asked(evidence, call), **call.sent}.get(REFERENCE)  # without one, two orders may look the same
        may_know = evidence.may_have_seen(call, other.began_us if name or call.operation == CAPTURE else inf)
        has_new_key = (other.idempotency_digest or other) != call.idempotency_digest
        # Perhaps a subscription: its receiver had time to tell of the first charge.
        if has_new_key and ms_of(other.at) - ms_of(call.at) > DAY_MS:
            may_know |= evidence.took_event(call.payment_id, call.began_us, other.began_us)
        yield _twice(call, other, "") if again and not may_know and (name or not answer) else DOUBTFUL


def _sale(evidence: Evidence, call: ClientCall) -> object:
    """What is captured, or sold: the shop's name for it, the customer and the amount; without a name, all of it."""
    if call.operation == CAPTURE:
        return text([CAPTURE, call.payment_id, call.sent.get(PART)])
    shown = {**(_asked(evidence, call) or call.answer), **call.sent}
    if name := shown.get(REFERENCE):
        return text([name, *map(shown.get, ("profile_id", "customer_id", "email", "amount", "currency", CUT))])
    return text(shown) if shown.get("metadata") and CUT not in shown else call


def _asked(evidence: Evidence, call: ClientCall) -> Json:
    """What a call asked for: its body; of a later call of a sale the body with which its payment was created."""
    return _order(evidence, call.about) if call.operation in SALES[1:] else call.sent


@once
def _order(evidence: Evidence, payment_id: str | None) -> Json:
    return next((other.sent for other in evidence.of_payment[payment_id] if other.operation == CREATE), {})


def _took_money(evidence: Evidence, call: ClientCall) -> bool:
    """Whether a call took or reserved money, at once or when the payment settled."""
    is_later = call.payment_status == S.PENDING and _moved(evidence, call.payment_id)[0]
    return call.has_effect and bool(is_later or call.payment_status in TOOK)


@once
def _moved(evidence: Evidence, payment_id: str) -> tuple[bool, float, float]:
    """Whether a payment ever took money, when all of it was given back first, and when any of it was last."""
    history, given, total = evidence.history(payment_id), [-inf], 0
    ended = [since.since_us for since in history if since.status in UNDONE]
    for call in evidence.of_payment[payment_id]:
        if call.operation == REFUND and _is_given(call):
            given.append(call.began_us)
            total += _amount(evidence, call)
            if total >= _received(evidence, payment_id):
                ended.append(call.began_us)
    return any(since.status in TOOK for since in history), min(ended, default=inf), max(ended + given)


def _twice(lost: ClientCall, other: ClientCall, possibly: str) -> Finding:
    told = (other.sent.get(PART), other.sent.get("amount"), other.answer.get("amount"), lost.answer.get("amount"))
    amount = next(filter(None, told), "the amount")
    currency = other.sent.get("currency") or other.answer.get("currency") or ""
    keys = {lost.idempotency_digest: "its key, but a day later or to another path,", None: "no idempotency key"}
    key = keys.get(other.idempotency_digest, "another idempotency key")
    again = other.operation == lost.operation
    did, whose = ("was repeated", "its answer") if again else ("charged again", f"the answer to {lost.operation}")
    what = f"{other.operation} {did} with {key} after {whose} was lost"
    return Finding(f"{what}: {possibly}{amount} {currency}".rstrip() + " twice", (lost.number, other.number))


def repeated_without_key(evidence: Evidence) -> Iterator[Finding | str | None]:
    """Calls that may move money twice. Where they certainly did, another rule says so."""
    lost = [call for call in evidence.named(*OWN_ID) if call.is_unheard and not call.replayed]
    repeated = grouped(evidence.calls if lost else (), attrgetter("same"))
    sales = evidence.named(*SALES)
    charges = (one for one in sales if one.operation != CREATE or one.sent.get("confirm", CUT in one.sent))
    next_charge = next_alike(charges, lambda call: text(_asked(evidence, call)), attrgetter("payment_id"))
    next_same = next_alike(evidence.calls, lambda call: text([call.path, _asked(evidence, call)]), lambda call: call)
    for call in lost:
        if call.payment_status == S.FAILED or _asked(evidence, call).get(OWN_ID[call.operation]):
            continue
        if next_in(repeated[call.same], call):
            yield None
            continue
        again = next_charge(call) if call.operation in SALES else next_same(call)  # of an order without a name, too
        if again and (evidence.may_have_seen(call, again.began_us) or CUT in _asked(evidence, call)):
            yield DOUBTFUL
        elif again and not _is_certain(evidence, call, again):
            yield _twice(call, again, "possibly ")


def _is_certain(evidence: Evidence, lost: ClientCall, other: ClientCall) -> bool:
    """Whether the rules about money that certainly moved twice have judged it."""
    if lost.operation in SALES:
        took = _took_money(evidence, lost) and _took_money(evidence, other)
        return took and _sale(evidence, lost) == _sale(evidence, other)
    return lost.has_effect and other.has_effect
