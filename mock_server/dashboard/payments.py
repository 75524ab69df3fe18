"""Payments: the list with the API's own filters, and one payment with its story."""

from __future__ import annotations

import json
from typing import Final, NamedTuple
from urllib.parse import urlencode

from mock_server.contract.requests.of_dialect import PAYMENTS as PAYMENT_LIST
from mock_server.control.requests import DECLINE_NAMES, SETTLE_WORDS
from mock_server.control.requests.money import ENDS
from mock_server.control.why import why_of
from mock_server.dashboard import commands
from mock_server.dashboard.visit import PageContent, Visit
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.dispute import DISPUTE_MACHINE, DISPUTE_REASONS, Dispute, stages_after
from mock_server.domain.instants import iso
from mock_server.domain.outcomes import Challenge
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Payment
from mock_server.domain.refund import REFUND_MACHINE, Refund
from mock_server.domain.statuses import DisputeStage, DisputeStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.engine.disputes.ending import HAPPENINGS
from mock_server.engine.kinds import PAYMENTS
from mock_server.pages.showing import amount_of, customer_of, method_words
from mock_server.store.protocol import Transaction
from mock_server.story import as_json, as_mermaid, as_svg, as_text, words
from mock_server.story.payment_history import history_of
from mock_server.story.standing import Standing, standing_kept, standing_of
from mock_server.story.timeline import rows_of
from mock_server.story.words import TimelineRow, Tone

PAGE: Final = 50
FILTERS: Final = (
    ("currency", "Currency", "USD"),
    ("payment_method", "Method", "card"),
    ("customer_id", "Customer", "cus_…"),
    ("customer_email", "E-mail", "ada@example.com"),
    ("merchant_order_reference_id", "Order reference", ""),
    ("card_network", "Card brand", "Visa"),
    ("created_gte", "Made at or after", "2026-01-31"),
    ("created_lte", "Made at or before", "2026-02-01"),
)
"""The filters of the API's list that stand in fields; `status` has buttons."""
NAMES: Final = frozenset({"status", *(name for name, _, _ in FILTERS)})


class PaymentRow(NamedTuple):
    """One payment in the list."""

    payment_id: str
    at: str
    amount: str
    status: str
    tone: str
    method: str
    customer: str
    says: str
    badge: str
    headline: str


def line_of(payment: Payment, stands: Standing) -> PaymentRow:
    """What the list says of a payment."""
    return PaymentRow(
        payment_id=payment.payment_id,
        at=iso(payment.created_at),
        amount=amount_of(payment),
        status=payment.status,
        tone=stands.tone,
        method=method_words(payment) if payment.payment_method else "no method yet",
        customer=customer_of(payment),
        says=stands.note,
        badge=stands.badge,
        headline=stands.headline,
    )


def lines_of(tx: Transaction, query: Query, now: int) -> list[PaymentRow]:
    """A page of the list."""
    return [line_of(payment, standing_of(tx, payment, now)) for payment in tx.find(PAYMENTS, query).items]


def payments(visit: Visit) -> PageContent:
    """The list, newest first, with how many there are in each status; a filter that makes no sense says so."""
    asked = [(name, value) for name, value in visit.query if name in NAMES]
    query, problems = visit.unless_refused(lambda: _query(visit, asked), Query())
    now, found = visit.workspace.now(), visit.wanted("find")

    def looked(tx: Transaction) -> tuple[dict[str, int], Page[Payment], list[PaymentRow]]:
        page = tx.find(PAYMENTS, query) if not problems else Page[Payment]((), 0, 0)
        one = tx.get(PAYMENTS, found) if found else None
        items = page.items if not found else (one,) if one else ()
        return _tally(tx, query), page, [line_of(item, standing_of(tx, item, now)) for item in items]

    counted, page, lines = visit.workspace.space.transact(looked)
    path = "/payments/list" + (f"?{_encoded(asked)}" if asked else "")
    return PageContent(
        {
            "lines": lines,
            "listed": page,
            "is_empty": not counted and not asked,
            "tally": [(status, count, words.tone_of(status)) for status, count in counted.items()],
            "asked": dict(asked),
            "problems": problems,
            "without_status": _encoded([pair for pair in asked if pair[0] != "status"]),
            "whole": _encoded(asked),
            "filters": FILTERS,
            "find": found,
            "curl_list": commands.curl("GET", visit.base + path),
            "size": PAGE,
            "first": first_payment(visit.base),
        },
        status=400 if problems else 200,
    )


def _query(visit: Visit, asked: list[tuple[str, str]]) -> Query:
    """The page that is asked for. Refused as the API refuses a list's parameters."""
    offset = visit.number("offset", 10_000_000)
    if not asked:
        return Query(limit=PAGE, offset=offset)
    pairs = [*asked, ("limit", str(PAGE)), ("offset", str(offset))]
    query: Query = PAYMENT_LIST.of(INTERFACE).load_query(pairs, visit.workspace.now())
    return query


def _tally(tx: Transaction, query: Query) -> dict[str, int]:
    """How many payments each status has under the other filters, in the order of the table of statuses."""
    rest = {name: values for name, values in query.filters.items() if name != "status"}
    whole = Query(filters=rest, created_gte=query.created_gte, created_lte=query.created_lte)
    counts = tx.tally(PAYMENTS, "status", whole)
    return {status.value: counts[status.value] for status in P if counts.get(status.value)}


def _encoded(pairs: list[tuple[str, str]]) -> str:
    return urlencode(pairs)


def first_payment(base: str, key: str = "$PAYMENT_SANDBOX_API_KEY") -> str:
    """The command that makes a first payment."""
    card = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
    body = {
        "amount": 6540,
        "currency": "USD",
        "confirm": True,
        "profile_id": "pro_shop",
        "payment_method": "card",
        "payment_method_type": "credit",
        "payment_method_data": {"card": card},
    }
    text = json.dumps(body, indent=2)
    return (
        f'curl -X POST {base}/payments \\\n  -H "api-key: {key}" \\\n'
        f"  -H 'content-type: application/json' \\\n  -d '{text}'"
    )


# one payment


class ShownRow(NamedTuple):
    """One row of the timeline, as the page shows it."""

    at: str
    kind: str
    title: str
    outcome: str
    tone: str
    status: str
    reasons: tuple[words.Explanation, ...]
    line: int | None
    event_id: str | None


def events_of(rows: tuple[TimelineRow, ...]) -> list[ShownRow]:
    """The rows of a timeline, each with its status where that is new."""
    found, status = [], ""
    for row in rows:
        news = row.status if row.status and row.status != status else ""
        status = news or status
        found.append(
            ShownRow(
                iso(row.at),
                words.plain(row.kind),
                words.title(row),
                words.outcome(row),
                words.tone(row),
                news,
                tuple(words.reasons(row)),
                row.fields.get("line"),
                row.fields.get("event_id"),
            )
        )
    return found


def payment(visit: Visit, payment_id: str) -> PageContent:
    """One payment: why it stands where it stands, its story as list and picture, and what can be done to it."""
    kept = history_of(visit.workspace.space, payment_id)
    rows = rows_of(kept)
    now = visit.workspace.now()
    why, stands = why_of(kept, now), standing_kept(kept, now)
    return PageContent(
        {
            "payment": line_of(kept.payment, stands),
            "record": kept.payment,
            "why": why,
            "headline": stands.headline,
            "events": events_of(rows),
            "svg": as_svg(rows),
            "mermaid": as_mermaid(rows),
            "json": json.dumps(as_json(rows), indent=2, ensure_ascii=False),
            "text": as_text(rows, stands=stands),
            "actions": ACTIONS_BY_STATUS.get(kept.payment.status, ("expire",)),
            "refunds": [_refund(one) for one in kept.refunds],
            "disputes": [_dispute(one) for one in kept.disputes],
            "dispute_reasons": tuple(row.name for row in DISPUTE_REASONS),
            "stages": [str(stage) for stage in DisputeStage],
            "results": [str(one) for one in Challenge],
            "settles": SETTLE_WORDS,
            "expires": OVER.get(kept.payment.status, ("session",)),
            "curl_call": lambda what: commands.curl("POST", f"{visit.base}/payments/{payment_id}/{what}", {}),
            "declines": DECLINE_NAMES,
        },
        f"{amount_of(kept.payment)} {stands.badge}",
    )


class Owned(NamedTuple):
    """A refund or a dispute of a payment, and where it can be brought by hand."""

    id: str
    amount: str
    status: str
    tone: str
    ends: tuple[str, ...]


def _refund(one: Refund) -> Owned:
    ends = tuple(end for end in ENDS if REFUND_MACHINE.between(one.status, RefundStatus(end)))
    return Owned(one.refund_id, words.amount(one.amount, one.currency), one.status, words.tone_of(one.status), ends)


def _dispute(one: Dispute) -> Owned:
    ends = tuple(word for word, what in HAPPENINGS.items() if one.status in DISPUTE_MACHINE.sources(what))
    tone = Tone.GOOD if one.status is DisputeStatus.WON else Tone.BAD if one.held_amount else Tone.PLAIN
    stages = tuple(map(str, stages_after(one.stage)))
    return Owned(one.dispute_id, words.amount(one.amount, one.currency), one.status, tone, (*ends, *stages))


ACTIONS_BY_STATUS: Final[dict[str, tuple[str, ...]]] = {
    P.REQUIRES_ACTION: ("authenticate", "settle", "fail", "hold", "expire"),
    P.PENDING: ("settle", "fail", "hold", "expire"),
    P.REQUIRES_MERCHANT_ACTION: ("review", "expire"),
    P.REQUIRES_CONFIRMATION: ("hold", "expire"),
    P.REQUIRES_CAPTURE: ("capture", "expire", "hold"),
    P.PARTIALLY_AUTHORIZED: ("capture", "expire"),
    P.SUCCEEDED: ("dispute", "expire"),
    P.PARTIALLY_CAPTURED: ("dispute", "expire"),
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: ("dispute", "expire"),
}
"""What can be done by hand to a payment of a status; elsewhere its session can end. `review`, `capture`: calls."""

OVER: Final[dict[str, tuple[str, ...]]] = {
    P.REQUIRES_ACTION: ("customer", "session"),
    P.REQUIRES_CAPTURE: ("authorization", "session"),
    P.PARTIALLY_AUTHORIZED: ("authorization", "session"),
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: ("authorization", "session"),
}
"""What can be over for a payment of a status; elsewhere its session."""
