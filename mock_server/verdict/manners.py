"""Rules about waiting, receiving, and the content of calls."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Final
from urllib.parse import parse_qsl

from mock_server.domain.declines import Origin
from mock_server.domain.limits import LIST_MAX
from mock_server.domain.nouns import noun
from mock_server.domain.paging import DEFAULT_LIMIT
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import TERMINAL
from mock_server.jsontext import leaves
from mock_server.verdict.calls import HUNG, SALES, ClientCall, as_object, is_accepted, is_forged, ms_of
from mock_server.verdict.evidence import BROWSER, LISTS, LOOKS, MANY_CALLS, MANY_LOOKS, Evidence, Finding, decline_in
from mock_server.verdict.indexes import BEGAN, grouped, next_in, text

LATE_MS: Final = 5_000
"""The longest time for a receiver's answer (ours)."""
UNTIMELY: Final = "no answer came within the time that a setting gives; after five seconds, webhook-late finds it"
REFUSALS: Final = frozenset({*range(400, 500)} - {408, 425, 429})
"""Answers after which a retry is useless."""
FORWARDED: Final = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""Headers of a proxy, which may have added the key to a call from a page."""
SECOND_US: Final = 1_000_000
MANY_RETRIES: Final = 10
"""The number of calls that get a 5xx in a row from which pauses are judged (ours)."""
UNKNOWN: Final = "is not a known"
"""How an error says that a field is not known."""

# waiting


def retried_too_soon(evidence: Evidence) -> Iterator[Finding | str | None]:
    told = [call for call in evidence.calls if re.fullmatch("[0-9]{1,9}", str(call.retry_after or ""))]
    calls = evidence.calls if told else []
    rows = [grouped(calls, alike) for alike in (_request, attrgetter("path"))]
    none, ended = list[ClientCall](), attrgetter("ended_us")
    two_to = [*accumulate(calls, lambda two, one: nlargest(2, (*two, one), ended), initial=none)]  # that ended last
    for call in told:
        again, other = (_following(row, call) for row in (rows[0][_request(call)], rows[1][call.path]))
        before = two_to[bisect_left(calls, again.began_us, key=BEGAN)] if again else ()
        knows = not any(one.ended_us > call.began_us and one is not call for one in before)  # or is another thread
        wait_us = int(call.retry_after) * SECOND_US * 0.95
        early = [one for one in (again, other, next_in(told, call)) if one and _pause_us(call, one) < wait_us]
        what = f"{call.operation} was repeated before the {call.retry_after} s of Retry-After had passed"
        doubt = "others were made before Retry-After had passed; what they repeat is not visible" if early else None
        yield Finding(what, (call.number, again.number)) if again and knows and again in early else doubt


def _following(row: Sequence[ClientCall], call: ClientCall) -> ClientCall | None:
    """The first that began after a call's end; one that took no time is among them itself."""
    first = bisect_left(row, call.ended_us, key=BEGAN)
    return next((other for other in row[first : first + 2] if other is not call), None)


def _request(call: ClientCall) -> object:
    """What a call and its repetition have in common. Of those over the limit the body is not read."""
    said = call.number if not call.request and "content-type" in call.headers else call.sent
    return text([call.path, call.query, call.idempotency_digest or said])


def retried_without_end(evidence: Evidence) -> Iterator[Finding | None]:
    """A call that is repeated after each 5xx, without growing pauses. A call that is answered begins a new row."""
    rows: dict[tuple[str, str], list[ClientCall]] = defaultdict(list)
    for call in evidence.calls:
        if call.status < 500:
            rows.pop((call.operation, call.path), None)
            continue
        row = rows[call.operation, call.path]
        if row and row[-1].sent != call.sent:
            row.clear()
        row.append(call)
        if len(row) == MANY_RETRIES:
            pauses = [_pause_us(first, second) for first, second in pairwise(row)]
            what = f"{call.operation} was repeated {len(row) - 1} times after 5xx, without growing pauses"
            yield Finding(what, _ends(row)) if pauses[-1] < 2 * max(pauses[0], SECOND_US) else None
        elif len(row) == 2:
            yield None


def retried_decline(evidence: Evidence) -> Iterator[Finding | str | None]:
    declined: dict[tuple[str, str], ClientCall] = {}
    for call in evidence.named(*SALES):
        if not call.payment_status:
            continue
        shown = call.answer
        card = as_object(as_object(shown.get("payment_method_data")).get("card")).get("last4")
        order = str(shown.get("merchant_order_reference_id") or call.payment_id)
        if card and (first := declined.get((order, str(card)))):
            what = f"the card ending in {card} was charged again for {order} after it had been declined for good"
            yield Finding(f"{what}: {first.answer.get('error_message')}", (first.number, call.number))
            continue
        if card and ("", str(card)) in declined:
            yield f"the card ending in {card} was charged again after a final decline; for which order is not visible"
        is_failed, row = call.payment_status == PaymentStatus.FAILED, decline_in(shown)
        if is_failed and call.partly:
            yield call.partly
        elif is_failed and not call.is_unheard and row and row.origin is Origin.ISSUER and row.is_final:
            declined[order, str(card)] = declined["", str(card)] = call
            yield None if card else "what was declined for good is no card whose digits show that it is charged again"


def _pause_us(first: ClientCall, second: ClientCall) -> float:
    """The pause between two calls: in real time, or by the workspace's clock if a test advanced that."""
    by_clock = (ms_of(second.at) - ms_of(first.at)) * 1_000
    return max(float(second.began_us) - first.ended_us, by_clock)


def _polls(evidence: Evidence) -> Iterator[list[ClientCall]]:
    """Retrievals of a payment within an hour of each other, no other calls about it between; not those for events."""
    rows: dict[str, list[ClientCall]] = {}
    read: set[str] = set()
    for call in evidence.calls:
        if call.operation in LOOKS and not call.is_refused:
            delivery = evidence.delivery_of.get(call)
            if delivery is not None and text(delivery) not in read:
                read.add(text(delivery))
                continue
            if _pause_us(rows.get(call.payment_id, [call])[-1], call) > 3_600 * SECOND_US:  # that is no polling (ours)
                yield rows.pop(call.payment_id)
            rows.setdefault(call.payment_id, []).append(call)
        elif payment_id := call.about:
            yield rows.pop(str(payment_id), [])
    yield from rows.values()


def polled_too_fast(evidence: Evidence) -> Iterator[Finding | None]:
    for row in _polls(evidence):
        if len(row) >= MANY_LOOKS:
            pauses = [_pause_us(first, second) for first, second in pairwise(row) if not _is_final(first)]
            fast = sum(pause < SECOND_US for pause in pauses)
            what = f"{row[0].payment_id} was retrieved {fast + 1} times, less than a second apart"
            yield Finding(what, _ends(row)) if fast + 1 >= MANY_LOOKS else None


def polled_steadily(evidence: Evidence) -> Iterator[Finding | str | None]:
    for row in _polls(evidence):
        pauses = [_pause_us(first, second) for first, second in pairwise(row) if not _is_final(first)]
        if len(pauses) >= MANY_LOOKS and min(pauses) >= SECOND_US:
            what = f"{row[0].payment_id} was retrieved {len(row)} times, always at the same interval"
            doubt = None if pauses[-1] >= 1.5 * pauses[0] else "whether the intervals grow is not visible"
            yield Finding(what, _ends(row)) if max(pauses) < 1.25 * min(pauses) else doubt


def polled_past_end(evidence: Evidence) -> Iterator[Finding | None]:
    for row in _polls(evidence):
        last = row[-1].payment_status if row else None
        final = [call for call in row if _is_final(call) and call.payment_status == last]
        if final:
            what = f"{final[0].payment_id} was retrieved {len(final)} times although it was already {last}"
            yield Finding(what, _ends(final)) if len(final) >= MANY_LOOKS else None


def _is_final(call: ClientCall) -> bool:
    return call.payment_status in TERMINAL


def _ends(row: Sequence[ClientCall]) -> tuple[int, int]:
    return row[0].number, row[-1].number


def connection_for_each(evidence: Evidence) -> Iterator[Finding | None]:
    for agent, calls in grouped(evidence.kept("connection"), lambda call: call.headers.get("user-agent", "")).items():
        if len(calls) >= MANY_CALLS:
            number = len({call.connection for call in calls})
            what = f"{agent or 'a client'} opened {number} connections for {len(calls)} calls"
            yield Finding(what, _ends(calls)) if number >= 0.9 * len(calls) else None


# receiving


def webhook_refused(evidence: Evidence) -> Iterator[Finding | str | None]:
    for event, attempts in evidence.attempts:
        genuine = [attempt for attempt in attempts if not is_forged(attempt)]
        said = genuine[-1]["error"] or f"answered {genuine[-1]['status']}" if genuine else ""
        if genuine:
            tried = f"{len(genuine)} {noun(len(genuine), 'attempt')}"
            what = f"{event['event_type']} was never accepted after {tried}; the receiver: {said}"
            if any(map(is_accepted, genuine)):
                yield None
            elif event["fate"] or genuine[-1]["status"] in REFUSALS:  # otherwise a retry may be accepted
                has_hung = all(str(one["error"]).startswith(HUNG) for one in genuine)
                yield UNTIMELY if has_hung else Finding(what, (), (event["number"],))


def webhook_late(evidence: Evidence) -> Iterator[Finding | str | None]:
    for event, attempts in evidence.attempts:
        late = next((attempt for attempt in attempts if attempt["took_ms"] >= LATE_MS), None)
        said = (late["error"] or f"{late['took_ms']} ms") if late else ""
        what = f"{event['event_type']} was not answered in time: {said}"
        short = UNTIMELY if any(str(one["error"]).startswith(HUNG) for one in attempts) else None
        yield Finding(what, (), (event["number"],)) if late else short


def forged_webhook_taken(evidence: Evidence) -> Iterator[Finding | None]:
    for event, attempts in evidence.attempts:
        for attempt in filter(is_forged, attempts):
            what = f"{event['event_type']} was answered {attempt['status']} though it was not signed with the secret"
            yield Finding(what, (), (event["number"],)) if is_accepted(attempt) else None


# the content of calls


def first_page_only(evidence: Evidence) -> Iterator[Finding | str | None]:
    """Lists that are read without a filter but a period, and with no limit or the largest one: all of it is wanted."""
    read = evidence.named(*LISTS)
    added = {name: [call for call in evidence.named(name) if call.has_effect] for name in LISTS.values() if read}
    last = {call.operation: call.began_us for call in read}
    for call in read:
        asked = {**dict(parse_qsl(call.query)), **call.sent}
        limit = str(asked.pop("limit", DEFAULT_LIMIT))
        count = bisect_left(added[LISTS[call.operation]], call.began_us, key=BEGAN)
        wants_all = all(name.startswith(("created", "time_range")) for name in asked)
        if not wants_all or limit not in {str(DEFAULT_LIMIT), str(LIST_MAX)} or count <= int(limit):
            continue
        goes_on = last[call.operation] > call.began_us
        what = f"{call.operation} returned the first {limit} of {count}, and no other page was requested"
        doubt = "only one page of a period was read, and more had been made; how many in the period is not visible"
        yield None if goes_on else doubt if asked else Finding(what, (call.number,))


def misplaced(evidence: Evidence, *sorts: str) -> Iterator[Finding | None]:
    for call in evidence.kept("misplaced"):
        found = [f"a {what} in {where}" for what, where in call.misplaced if what in sorts]
        yield Finding(f"{call.operation}: {', '.join(found)}", (call.number,)) if found else None


def secret_key_in_browser(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.kept("headers"):
        if call.key.startswith("snd_"):
            browser = BROWSER & call.headers.keys() and not FORWARDED & call.headers.keys()
            what = f"{call.operation} was called from a web page with a secret key"
            yield Finding(what, (call.number,)) if browser else None


def _wrong_fields(call: ClientCall) -> Mapping[str, str]:
    """The wrong fields in an error, with what is wrong; the dialect of the public API names one, in its message."""
    error = as_object(call.answer.get("error")) if call.is_refused else {}
    if isinstance(fields := error.get("fields"), list):
        return {str(row.get("field")): str(row.get("message")) for row in map(as_object, fields)}
    told = str(error.get("message"))
    if unknown := re.search(r"unknown field `([^`]+)`", told):
        return {unknown[1]: UNKNOWN}
    wrong = re.search(r"error: ([\w.]+) must be", told)
    return {wrong[1]: told} if wrong else {}


def amount_not_whole(evidence: Evidence) -> Iterator[Finding | str | None]:
    for call in evidence.calls:
        amounts = {path: value for path, value in leaves(call.sent) if re.search(r"(amount|cost)[^.]*$", path)}
        wrong = {path: value for path, value in amounts.items() if isinstance(value, str | float)}
        refused = _wrong_fields(call) if wrong else ()
        found = [f"{path} = {value!r}" for path, value in wrong.items() if path in refused]
        if amounts:
            yield Finding(f"{call.operation} with {', '.join(found)}", (call.number,)) if found else None
        elif call.is_refused and call.partly:
            yield call.partly


def unknown_fields(evidence: Evidence) -> Iterator[Finding | None]:
    for call in evidence.calls:
        unknown = [name for name, wrong in _wrong_fields(call).items() if UNKNOWN in wrong]
        if call.sent:
            yield Finding(f"{call.operation} with {', '.join(unknown)}", (call.number,)) if unknown else None
