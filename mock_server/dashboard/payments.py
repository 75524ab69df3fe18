"""Payments: the list with the API's own filters, and one payment with its story."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from mock_server.api.payments import LIST
from mock_server.control.requests.bodies import DECLINE_NAMES, SETTLE_WORDS
from mock_server.control.why import why_of
from mock_server.dashboard import commands
from mock_server.dashboard.visit import Shown, Visit
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.dispute_reasons import DISPUTE_REASONS
from mock_server.domain.instants import iso
from mock_server.domain.outcomes import Challenge
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.pages.showing import amount_of, customer_of, method_words
from mock_server.store.protocol import Transaction
from mock_server.story import as_json, as_mermaid, as_svg, as_text, words
from mock_server.story.kept import kept_of
from mock_server.story.rows import Row
from mock_server.story.timeline import told

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


class Line(NamedTuple):
    """One payment in the list."""

    payment_id: str
    at: str
    amount: str
    status: str
    tone: str
    method: str
    customer: str
    says: str


def line_of(payment: Payment) -> Line:
    """What the list says of a payment."""
    return Line(
        payment_id=payment.payment_id,
        at=iso(payment.created_at),
        amount=amount_of(payment),
        status=payment.status,
        tone=words.tone_of(payment.status),
        method=method_words(payment) if payment.payment_method else "no method yet",
        customer=customer_of(payment),
        says=words.plain(payment.failure.decline) if payment.failure else "",
    )


def payments(visit: Visit) -> Shown:
    """The list, newest first, with how many there are in each status."""
    asked = [(name, value) for name, value in visit.query if name in NAMES]
    query = _query(visit, asked)
    counted, page = visit.world.space.transact(lambda tx: (_tally(tx, query), tx.find(PAYMENTS, query)))
    found = visit.wanted("find")
    named = [one for one in (visit.world.find_payment(found),) if one] if found else None
    items = page.items if named is None else tuple(named)
    path = "/payments/list" + (f"?{_encoded(asked)}" if asked else "")
    return Shown(
        {
            "lines": [line_of(payment) for payment in items],
            "listed": page,
            "is_empty": not counted and not asked,
            "tally": [(status, count, words.tone_of(status)) for status, count in counted.items()],
            "asked": dict(asked),
            "without_status": _encoded([pair for pair in asked if pair[0] != "status"]),
            "whole": _encoded(asked),
            "filters": FILTERS,
            "find": found,
            "curl_list": commands.curl("GET", visit.base + path),
            "size": PAGE,
            "first": first_payment(visit.base),
        }
    )


def _query(visit: Visit, asked: list[tuple[str, str]]) -> Query:
    """The page that is asked for. Refused as the API refuses a list's parameters."""
    offset = visit.number("offset", 10_000_000)
    if not asked:
        return Query(limit=PAGE, offset=offset)
    pairs = [*asked, ("limit", str(PAGE)), ("offset", str(offset))]
    query: Query = LIST.of(INTERFACE).load_query(pairs, visit.world.now())
    return query


def _tally(tx: Transaction, query: Query) -> dict[str, int]:
    """How many payments each status has under the other filters, in the order of the table of statuses."""
    rest = {name: values for name, values in query.filters.items() if name != "status"}
    whole = Query(filters=rest, created_gte=query.created_gte, created_lte=query.created_lte)
    counts = tx.tally(PAYMENTS, "status", whole)
    return {status.value: counts[status.value] for status in P if counts.get(status.value)}


def _encoded(pairs: list[tuple[str, str]]) -> str:
    from urllib.parse import urlencode

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


class Event(NamedTuple):
    """One row of the timeline, as the page shows it."""

    at: str
    kind: str
    title: str
    outcome: str
    tone: str
    status: str
    reasons: tuple[words.Reason, ...]
    line: int | None
    event_id: str | None


def events_of(rows: tuple[Row, ...]) -> list[Event]:
    """The rows of a timeline, each with its status where that is new."""
    found, status = [], ""
    for row in rows:
        news = row.status if row.status and row.status != status else ""
        status = news or status
        found.append(
            Event(
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


def payment(visit: Visit, payment_id: str) -> Shown:
    """One payment: why it stands where it stands, its story as list and picture, and what can be done to it."""
    kept = kept_of(visit.world.space, payment_id)
    rows = told(kept)
    why = why_of(kept)
    mine = Query(filters={"payment_id": (payment_id,)}, limit=20)
    refunds, disputes = visit.world.space.transact(lambda tx: (tx.find(REFUNDS, mine), tx.find(DISPUTES, mine)))
    return Shown(
        {
            "payment": line_of(kept.payment),
            "record": kept.payment,
            "why": why,
            "headline": _headline(why),
            "events": events_of(rows),
            "svg": as_svg(rows),
            "mermaid": as_mermaid(rows),
            "json": json.dumps(as_json(rows), indent=2, ensure_ascii=False),
            "text": as_text(rows),
            "actions": ACTIONS_BY_STATUS.get(kept.payment.status, ("expire",)),
            "refunds": _records(refunds),
            "disputes": _records(disputes),
            "dispute_reasons": tuple(row.name for row in DISPUTE_REASONS),
            "results": [str(one) for one in Challenge],
            "settles": SETTLE_WORDS,
            "expires": OVER.get(kept.payment.status, ("session",)),
            "curl_call": lambda what: commands.curl("POST", f"{visit.base}/payments/{payment_id}/{what}", {}),
            "declines": DECLINE_NAMES,
        },
        f"{amount_of(kept.payment)} {words.plain(kept.payment.status)}",
    )


def _records(page: Page[Any]) -> list[tuple[str, str, str, str]]:
    """Refunds and disputes: id, amount, status, tone."""
    return [
        (
            getattr(one, "refund_id", None) or one.dispute_id,
            words.amount(one.amount, one.currency),
            str(one.status),
            words.tone_of("failed" if one.status == "dispute_lost" else str(one.status)),
        )
        for one in page.items
    ]


def _headline(why: dict[str, Any]) -> str:
    """Why it stands where it stands, in a sentence."""
    failure, waits = why["failure"], why["waits_for"]
    if failure:
        return f"It failed: {failure['error_message']} ({failure['error_code']})."
    if waits:
        ends = f", which ends {words.plain(waits['ends'])}" if waits["ends"] else ""
        return f"It waits for the {words.plain(waits['kind'])}{ends}."
    return _SAYS.get(why["status"], f"It is {words.plain(why['status'])}.")


_SAYS: Final = {
    "succeeded": "It succeeded: the money is yours.",
    "requires_capture": "It is authorized: capture it, or cancel it.",
    "requires_payment_method": "It waits for a method to pay with.",
    "requires_confirmation": "It waits to be confirmed.",
    "requires_action": "It waits for the customer.",
    "requires_merchant_action": "It waits for your review: approve or reject it.",
}

ACTIONS_BY_STATUS: Final[dict[str, tuple[str, ...]]] = {
    P.REQUIRES_ACTION: ("authenticate", "settle", "fail", "hold", "expire"),
    P.PENDING: ("settle", "fail", "hold"),
    P.REQUIRES_MERCHANT_ACTION: ("review", "expire"),
    P.REQUIRES_CAPTURE: ("capture", "expire", "hold"),
    P.SUCCEEDED: ("dispute",),
    P.PARTIALLY_CAPTURED: ("dispute",),
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: ("dispute", "expire"),
}
"""What can be done by hand to a payment of a status; elsewhere its session can end. `review`, `capture`: calls."""

OVER: Final[dict[str, tuple[str, ...]]] = {
    P.REQUIRES_ACTION: ("customer", "session"),
    P.REQUIRES_CAPTURE: ("authorization", "session"),
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: ("authorization", "session"),
}
"""What can be over for a payment of a status; elsewhere its session."""
