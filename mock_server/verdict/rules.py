"""The rules: one row and one small function each.

A function walks through the occasions on which a client could do wrong. It yields `None` for one that went well and a
`Seen` for one that did not; where it yields nothing, nothing was judged. It tells only of what is certain.
"""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, NamedTuple

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.evidence import Call, Evidence, is_forged, is_taken

ERROR: Final = "error"
ADVICE: Final = "advice"

FINAL: Final = frozenset(
    {S.SUCCEEDED, S.FAILED, S.CANCELLED, S.CANCELLED_POST_CAPTURE, S.PARTIALLY_CAPTURED, S.EXPIRED}
)
CAPTURED: Final = frozenset({S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.CANCELLED_POST_CAPTURE})
NO_MONEY: Final = frozenset({S.FAILED, S.CANCELLED, S.EXPIRED})
CHARGES: Final = ("payments.create", "payments.confirm", "payments.capture")
LOOKS: Final = ("payments.retrieve", "payments.sync")
MANY_CALLS: Final = 20
MANY_LOOKS: Final = 5
SECOND_US: Final = 1_000_000
LATE_MS: Final = 10_000
"""How long a receiver may take (ours), and from how many calls on style is judged."""


class Seen(NamedTuple):
    """One thing that was done wrong: what, and the numbers of the calls in the journal (of events, where it says so)."""

    what: str
    calls: Sequence[int] = ()
    events: Sequence[int] = ()


Find = Callable[[Evidence], Iterator[Seen | None]]


class Rule(NamedTuple):
    """One rule; `occasion` is what must have happened so that it can be judged."""

    id: str
    severity: str
    title: str
    occasion: str
    why: str
    do: str
    source: str
    find: Find


# money that moves twice


def double_charge(evidence: Evidence) -> Iterator[Seen | None]:
    for lost in evidence.named(*CHARGES):
        if lost.has_effect and lost.is_unheard and _took_money(evidence, lost):
            yield next((_charged_again(lost, other) for other in _tries(evidence, lost) if other.has_effect), None)


def _tries(evidence: Evidence, lost: Call) -> Iterator[Call]:
    """The calls that ask once more for what a lost call did, under another key or none, and never gave it back."""
    for other in evidence.after(lost):
        if other.payment_id == lost.payment_id and other.operation in ("payments.cancel", "refunds.create"):
            return
        same_order = lost.order is not None and other.order == lost.order
        same_payment = lost.operation != "payments.create" and other.payment_id == lost.payment_id
        is_same = other.operation == lost.operation and (same_order or same_payment)
        if is_same and not other.replayed and not other.is_repeat_of(lost):
            yield other


def _took_money(evidence: Evidence, call: Call) -> bool:
    stands = [one for one in evidence.stands(call.payment_id) if one.since_us <= call.ended_us]
    return bool(stands) and stands[-1].status not in NO_MONEY


def _charged_again(lost: Call, other: Call) -> Seen:
    amount = other.request.get("amount_to_capture") or other.request.get("amount") or other.response.get("amount")
    currency = other.request.get("currency") or other.response.get("currency") or ""
    key = "another idempotency key" if other.idempotency_digest else "no idempotency key"
    what = f"{other.operation} again with {key} after its answer was lost, though it had been done: {amount} {currency} twice"
    return Seen(what.strip(), (lost.number, other.number))


def key_for_another_body(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.calls:
        if call.idempotency_digest is not None:
            reused = call.cause == "idempotency_key_reused"
            yield (
                Seen(f"{call.operation} sent another body under a key that was used", (call.number,))
                if reused
                else None
            )


def captured_twice(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _refused_in(evidence, "payments.capture", CAPTURED, "captured though all of it had been captured")


def refunded_twice(evidence: Evidence) -> Iterator[Seen | None]:
    given: list[Call] = []
    for call in evidence.named("refunds.create"):
        earlier = [one for one in given if _payment(one) == _payment(call) and not call.is_repeat_of(one)]
        same = [one for one in earlier if _amount(one) == _amount(call)]
        lost = [one for one in same if one.is_unheard and call.has_effect]
        if call.cause == "refund_over_captured" and same:
            yield Seen(
                f"refund of {_payment(call)} again, and nothing of that sum is left", (same[-1].number, call.number)
            )
        elif lost:
            yield Seen(
                f"refund of {_payment(call)} again after its answer was lost: twice", (lost[-1].number, call.number)
            )
        elif call.has_effect:
            yield None
        if call.has_effect:
            given.append(call)


def _payment(call: Call) -> object:
    return call.payment_id or call.request.get("payment_id")


def _amount(call: Call) -> object:
    return call.request.get("amount") or call.response.get("amount")


def webhook_acted_twice(evidence: Evidence) -> Iterator[Seen | None]:
    for event in evidence.events:
        began = sorted(one["began_us"] for one in event["deliveries"] if is_taken(one) and not is_forged(one))
        if len(began) < 2 or not event["payment_id"]:
            continue
        after = [
            call for call in evidence.of_payment(event["payment_id"]) if call.began_us > began[0] and call.has_effect
        ]
        first = [call for call in after if call.began_us <= began[-1]] or after[:1]
        doubled = [
            (one, two) for one in first for two in after
            if two.began_us > max(began[1], one.began_us) and two.operation == one.operation and not two.is_repeat_of(one)
        ]  # fmt: skip
        pair = doubled[0] if doubled else None
        numbers = [one.number for one in pair] if pair else []
        what = f"{event['event_type']} came {len(began)} times, and each time led to a call"
        yield Seen(f"{what}: {pair[0].operation}", numbers, (event["number"],)) if pair else None


# what a status forbids


def _refused_in(evidence: Evidence, operation: str, statuses: frozenset[S], what: str) -> Iterator[Seen | None]:
    """Calls of an operation that were refused because of how the payment stood; those that were taken went well."""
    for call in evidence.named(operation):
        stood = evidence.stood_before(call)
        if stood is None:
            continue
        if call.is_refused and stood.status in statuses:
            yield Seen(f"{_payment(call)} was {what}", (call.number,))
        elif not call.is_refused:
            yield None


def failed_captured(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _refused_in(evidence, "payments.capture", frozenset({S.FAILED}), "captured though it had failed")


def failed_refunded(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _refused_in(evidence, "refunds.create", frozenset({S.FAILED}), "refunded though it had failed")


def captured_after_expiry(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _refused_in(
        evidence, "payments.capture", frozenset({S.EXPIRED}), "captured after its authorization had expired"
    )


def captured_after_cancel(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _refused_in(
        evidence, "payments.capture", frozenset({S.CANCELLED}), "captured after it had been cancelled"
    )


def captured_too_much(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.named("payments.capture"):
        if call.cause == "amount_over_capturable":
            yield Seen(
                f"{call.request.get('amount_to_capture')} was to be captured, more than is authorized", (call.number,)
            )
        elif not call.is_refused:
            yield None


def refunded_too_much(evidence: Evidence) -> Iterator[Seen | None]:
    given: set[tuple[object, object]] = set()
    for call in evidence.named("refunds.create"):
        if call.cause == "refund_over_captured" and (_payment(call), _amount(call)) not in given:
            yield Seen(
                f"{_amount(call)} of {_payment(call)} was to be refunded, more than was captured", (call.number,)
            )
        elif call.has_effect:
            given.add((_payment(call), _amount(call)))
            yield None


# what was never asked again


def pending_never_looked(evidence: Evidence) -> Iterator[Seen | None]:
    for call, moved_us in _moved_on(evidence, S.PENDING):
        heard = evidence.was_told(call.payment_id, moved_us)
        what = f"{call.payment_id} was pending and then came to its end; the client never asked, nor took a webhook"
        yield None if heard else Seen(what, (call.number,))


def challenge_not_followed(evidence: Evidence) -> Iterator[Seen | None]:
    for call, _ in _moved_on(evidence, S.REQUIRES_ACTION):
        visited = any(page.payment_id == call.payment_id for page in evidence.pages)
        is_over = evidence.stands(call.payment_id)[-1].status == S.EXPIRED
        what = f"{call.payment_id} wanted the customer to act until their time was over; nobody opened its page"
        yield Seen(what, (call.number,)) if is_over and not visited else None


def _moved_on(evidence: Evidence, status: S) -> Iterator[tuple[Call, float]]:
    """Of each payment the call that told the client of a status, and when the payment left it by itself."""
    told: set[str] = set()
    for call in evidence.calls:
        if call.operation.startswith("payments.") and call.response.get("payment_id") and not call.is_unheard:
            stands = [one for one in evidence.stands(call.payment_id) if one.since_us >= call.ended_us]
            moved = [one for one in stands if one.status != status]
            if stands and stands[0].status == status and moved and call.payment_id not in told:
                told.add(call.payment_id)
                yield call, moved[0].since_us


def left_too_early(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.kept("connection"):
        if call.delay_ms and call.fault is None and call.has_effect:
            later = [
                other
                for other in evidence.after(call)
                if other.is_repeat_of(call) or other.payment_id == call.payment_id
            ]
            what = f"{call.operation} would have been answered after {call.delay_ms} ms; the client left, and never asked what became of it"
            yield Seen(what, (call.number,)) if call.left_first and not later else None


def authorization_open(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.named("payments.create", "payments.confirm"):
        stands = evidence.stands(call.payment_id) if call.payment_id else ()
        if stands and any(one.status == S.REQUIRES_CAPTURE and one.call is call for one in stands):
            is_open = stands[-1].status == S.REQUIRES_CAPTURE
            yield Seen(f"{call.payment_id} was neither captured nor cancelled", (call.number,)) if is_open else None


# waiting


def retried_too_soon(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.calls:
        wait = call.line.get("retry_after")
        if wait and str(wait).isdigit():
            again = next((other for other in evidence.after(call) if _is_retry(other, call)), None)
            early = again is not None and _pause_us(call, again) < int(wait) * SECOND_US * 0.95
            what = f"{call.operation} came again although the answer asked for {wait} s"
            yield Seen(what, (call.number, again.number)) if again and early else None


def _is_retry(other: Call, call: Call) -> bool:
    return other.operation == call.operation and other.path == call.path and other.request == call.request


def _pause_us(one: Call, two: Call) -> float:
    """How long was waited: by the world's time, or by the workspace's where a test moved that on."""
    by_clock = (datetime.fromisoformat(two.at) - datetime.fromisoformat(one.at)).total_seconds() * SECOND_US
    return max(float(two.began_us) - one.ended_us, by_clock)


def _polls(evidence: Evidence) -> Iterator[list[Call]]:
    """Looks at one payment in a row, with nothing else done to it in between."""
    rows: dict[str, list[Call]] = {}
    for call in evidence.calls:
        if call.operation in LOOKS and not call.is_refused:
            rows.setdefault(call.payment_id, []).append(call)
        elif payment_id := _payment(call):
            yield rows.pop(str(payment_id), [])
    yield from rows.values()


def polled_too_fast(evidence: Evidence) -> Iterator[Seen | None]:
    for row in _polls(evidence):
        if len(row) >= MANY_LOOKS:
            pauses = [_pause_us(one, two) for one, two in pairwise(row) if not _is_final(one)]
            fast = sum(pause < SECOND_US for pause in pauses)
            what = f"{row[0].payment_id} was asked for {fast + 1} times with less than a second in between"
            yield Seen(what, _ends(row)) if fast + 1 >= MANY_LOOKS else None


def polled_steadily(evidence: Evidence) -> Iterator[Seen | None]:
    for row in _polls(evidence):
        pauses = [_pause_us(one, two) for one, two in pairwise(row) if not _is_final(one)]
        if len(pauses) >= MANY_LOOKS and min(pauses) >= SECOND_US:
            what = f"{row[0].payment_id} was asked for {len(row)} times, always after the same pause"
            yield Seen(what, _ends(row)) if max(pauses) < 1.25 * min(pauses) else None


def polled_past_end(evidence: Evidence) -> Iterator[Seen | None]:
    for row in _polls(evidence):
        final = [
            call for call in row if _is_final(call) and call.response.get("status") == row[-1].response.get("status")
        ]
        if final:
            what = (
                f"{final[0].payment_id} was asked for {len(final)} times although it was {final[0].response['status']}"
            )
            yield Seen(what, _ends(final)) if len(final) >= MANY_LOOKS else None


def _is_final(call: Call) -> bool:
    return call.response.get("status") in FINAL


def _ends(row: Sequence[Call]) -> tuple[int, int]:
    return row[0].number, row[-1].number


def connection_for_each(evidence: Evidence) -> Iterator[Seen | None]:
    agents: dict[str, list[Call]] = {}
    for call in evidence.kept("connection"):
        agents.setdefault((call.line.get("headers") or {}).get("user-agent", ""), []).append(call)
    for agent, calls in agents.items():
        if len(calls) >= MANY_CALLS:
            number = len({call.connection for call in calls})
            what = f"{agent or 'a client'} opened {number} connections for {len(calls)} calls"
            yield Seen(what, _ends(calls)) if number >= 0.9 * len(calls) else None


# receiving


def webhook_refused(evidence: Evidence) -> Iterator[Seen | None]:
    for event in evidence.events:
        genuine = [one for one in event["deliveries"] if not is_forged(one) and not _is_late(one)]
        said = genuine[-1]["error"] or f"answered {genuine[-1]['status']}" if genuine else ""
        if genuine:
            what = f"{event['event_type']} was never taken, attempts: {len(genuine)}; the receiver: {said}"
            yield None if any(map(is_taken, event["deliveries"])) else Seen(what, (), (event["number"],))


def webhook_late(evidence: Evidence) -> Iterator[Seen | None]:
    for event in evidence.events:
        if event["deliveries"]:
            late = [one for one in event["deliveries"] if _is_late(one)]
            what = (
                f"{event['event_type']} was not answered in time: {late[0]['error'] or late[0]['took_ms']}"
                if late
                else ""
            )
            yield Seen(what, (), (event["number"],)) if late else None


def _is_late(attempt: dict[str, object]) -> bool:
    took = attempt["took_ms"]
    return str(attempt["error"] or "").startswith("no answer within") or (isinstance(took, int) and took >= LATE_MS)


def forged_webhook_taken(evidence: Evidence) -> Iterator[Seen | None]:
    for event in evidence.events:
        for one in event["deliveries"]:
            if is_forged(one):
                what = f"{event['event_type']} was answered {one['status']} though it was not signed with the secret"
                yield Seen(what, (), (event["number"],)) if is_taken(one) else None


# what was sent


def card_data_misplaced(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _misplaced(evidence, ("card number", "security code"))


def key_misplaced(evidence: Evidence) -> Iterator[Seen | None]:
    yield from _misplaced(evidence, ("key",))


def _misplaced(evidence: Evidence, sorts: tuple[str, ...]) -> Iterator[Seen | None]:
    for call in evidence.kept("misplaced"):
        found = [f"a {what} in {where}" for what, where in call.misplaced if what in sorts]
        yield Seen(f"{call.operation}: {', '.join(found)}", (call.number,)) if found else None


def secret_key_in_browser(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.kept("headers"):
        if call.key.startswith("snd_"):
            browser = {"origin", "sec-fetch-site"} & call.headers.keys()
            yield Seen(f"{call.operation} came from a page with a secret key", (call.number,)) if browser else None


def amount_not_whole(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.calls:
        wrong = [name for name, value in call.request.items() if "amount" in name and isinstance(value, str | float)]
        refused = {one.get("field") for one in (call.response.get("error") or {}).get("fields") or ()}
        found = [f"{name} = {call.request[name]!r}" for name in wrong if name in refused]
        if any("amount" in name for name in call.request):
            yield Seen(f"{call.operation} with {', '.join(found)}", (call.number,)) if found else None


def unknown_fields(evidence: Evidence) -> Iterator[Seen | None]:
    for call in evidence.calls:
        fields = (call.response.get("error") or {}).get("fields") or ()
        unknown = [str(one.get("field")) for one in fields if "is not a known" in str(one.get("message"))]
        if call.request:
            yield Seen(f"{call.operation} with {', '.join(unknown)}", (call.number,)) if unknown else None


RULES: Final = (
    Rule("double-charge", ERROR, "An order is charged again after an answer was lost", "an answer that was lost after the charge", "The first call took the money. The second takes it again, and the customer pays twice.", "Send the same call with the same idempotency key until it is answered.", "interface §8.3", double_charge),
    Rule("key-for-another-body", ERROR, "One idempotency key is used for two bodies", "a call with an idempotency key", "The second operation is refused and never takes place.", "Make a key for each operation, and keep it together with that operation's body.", "interface §8.3", key_for_another_body),
    Rule("captured-twice", ERROR, "A payment is captured that had been captured", "a capture", "It works by luck: with several captures allowed the customer pays twice.", "Keep with the order that it was captured, and look before a second try.", "facts §3.5", captured_twice),
    Rule("refunded-twice", ERROR, "A refund is given again", "a refund", "The customer gets the money twice, or the second call fails where nobody looks.", "Give each refund a refund_id or an idempotency key of its own, and keep it.", "facts §8", refunded_twice),
    Rule("webhook-acted-twice", ERROR, "An event that came twice is acted on twice", "an event that was delivered more than once", "Every webhook comes twice some day: goods leave twice, money moves twice.", "Keep the event_ids that were handled, and answer 200 to one that was.", "facts §6.2", webhook_acted_twice),
    Rule("failed-captured", ERROR, "A failed payment is captured", "a capture", "No money comes, and the order is handed over as paid.", "Read the status of each answer; capture what is requires_capture.", "facts §3.5", failed_captured),
    Rule("failed-refunded", ERROR, "A failed payment is refunded", "a refund", "There is nothing to give back; the books say that there was.", "Refund what was captured, by the payment's status.", "facts §8", failed_refunded),
    Rule("captured-after-expiry", ERROR, "An authorization is captured after it expired", "a capture", "The money was set free: the goods are gone and nothing comes for them.", "Capture before capture_before, or authorize anew.", "ours: decisions, Clock", captured_after_expiry),
    Rule("captured-after-cancel", ERROR, "A cancelled payment is captured", "a capture", "The customer was told that nothing is taken.", "Keep with the order that it was cancelled.", "facts §3.5", captured_after_cancel),
    Rule("captured-too-much", ERROR, "More is captured than is authorized", "a capture", "The capture is refused, and nothing of it comes.", "Capture at most amount_capturable; raise the authorization first.", "facts §3.5", captured_too_much),
    Rule("refunded-too-much", ERROR, "More is refunded than was captured", "a refund", "The refund is refused, and the customer waits for it.", "Refund at most what was captured and not refunded yet.", "facts §8", refunded_too_much),
    Rule("pending-never-looked", ERROR, "Nobody looks after a pending payment", "a pending payment that came to its end", "Money that came is never booked, or goods leave for money that never came.", "Take the webhook, or ask again with growing pauses until the status is final.", "facts §3.1", pending_never_looked),
    Rule("challenge-not-followed", ADVICE, "The customer is never led to the challenge", "a payment that the customer had to act on", "Every payment with 3-D Secure is lost.", "Send the customer to next_action.redirect_to_url.", "facts §3.4", challenge_not_followed),
    Rule("left-too-early", ERROR, "The client leaves before a slow answer and never asks again", "an answer that a scenario held back", "The payment was made, and nobody knows of it.", "Wait longer, and after a time-out send the same call with the same key.", "interface §8.3", left_too_early),
    Rule("authorization-open", ADVICE, "An authorization is left open", "an authorization", "The customer's money stays blocked until it expires.", "Capture it, or cancel it.", "facts §3.5", authorization_open),
    Rule("retried-too-soon", ERROR, "A call comes again before Retry-After is over", "an answer with Retry-After", "The limit stays used up, and nothing gets through.", "Wait as long as Retry-After says.", "interface §8.4", retried_too_soon),
    Rule("polled-past-end", ADVICE, "A payment is asked for after its final status", "a payment whose final status was read", "It costs calls of the rate limit and brings nothing.", "Stop at a final status.", "facts §3.1", polled_past_end),
    Rule("polled-too-fast", ADVICE, "A payment is asked for more than once a second", "five looks in a row at one payment", "It uses up the rate limit when it matters.", "Wait a second and more, or take the webhook.", "ours", polled_too_fast),
    Rule("polled-steadily", ADVICE, "The pauses between looks do not grow", "six looks in a row at one payment", "All customers wait together when the processor is slow.", "Let each pause be longer than the last.", "ours", polled_steadily),
    Rule("connection-for-each-call", ADVICE, "Each call opens a connection", "20 calls of one client", "Each call pays for a TCP and a TLS handshake.", "Keep one client and its connections.", "ours", connection_for_each),
    Rule("webhook-refused", ERROR, "A genuine event is never taken", "an event that was delivered", "After the last retry nobody tells the shop any more.", "Answer 2xx once the event is kept, also to events that are not known.", "facts §6.2", webhook_refused),
    Rule("webhook-late", ERROR, "A receiver answers too late", "an event that was delivered", "It counts as refused, comes again, and the queue behind it grows.", "Keep the event, answer, and work afterwards.", "facts §6.2", webhook_late),
    Rule("forged-webhook-taken", ERROR, "A forged event is taken", "a delivery that a scenario signed wrongly", "Anybody can mark orders as paid.", "Compare X-Webhook-Signature-512 with the HMAC of the raw bytes, in constant time.", "facts §6.2", forged_webhook_taken),
    Rule("card-data-misplaced", ERROR, "Card data stands in free text or in an address", "a call", "It is stored and logged on both sides, in the open: a breach of PCI DSS.", "Send card data in payment_method_data alone.", "ours: PCI DSS 3.3", card_data_misplaced),
    Rule("key-misplaced", ERROR, "A key stands in free text or in an address", "a call", "Whoever reads a log can move money.", "Send keys in the api-key header alone.", "interface §5", key_misplaced),
    Rule("secret-key-in-browser", ERROR, "A page calls with a secret key", "a call with a secret key", "Every visitor can read the key, and refund to themselves.", "Call from the server, or with the publishable key and the client_secret.", "interface §5", secret_key_in_browser),
    Rule("amount-not-whole", ERROR, "An amount is sent as text or as a decimal", "a call with an amount", "Decimals lose cents, and the call is refused.", "Count in minor units, as integers, everywhere.", "interface §4.2", amount_not_whole),
    Rule("unknown-fields", ERROR, "Fields are sent that the API does not know", "a call with a body", "What they were to bring about does not happen.", "Mend their names: the answer names the nearest known one.", "facts §8", unknown_fields),
)  # fmt: skip
