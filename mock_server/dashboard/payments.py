"""Payments: the list with the API's own filters, and one payment with its story."""

from __future__ import annotations

import json
from typing import Final, NamedTuple
from urllib.parse import urlencode

from mock_server.contract.requests.payments import LIST as PAYMENT_LIST
from mock_server.control.why import why_of
from mock_server.dashboard import commands
from mock_server.dashboard.doing import forms_of
from mock_server.dashboard.visit import PageContent, Visit
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.instants import iso
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.pages.showing import amount_of, method_words
from mock_server.store.protocol import Transaction
from mock_server.story import as_json, as_mermaid, as_svg, as_text, words
from mock_server.story.payment_history import history_of
from mock_server.story.rows import customer_of, row_of
from mock_server.story.standing import Standing, standing_kept, standing_of
from mock_server.story.timeline import rows_of
from mock_server.story.words import TimelineRow

PAGE: Final = 50
MENUS: Final = (("currency", "Currency"), ("payment_method", "Method"), ("card_network", "Card brand"))
"""Filters of the API's list that are chosen from what there is; `status` has buttons."""
FIELDS: Final = (
    ("customer_id", "Customer", "cus_…"),
    ("customer_email", "Email", "ada@example.com"),
    ("merchant_order_reference_id", "Order reference", ""),
)
DATES: Final = (("created_gte", "From"), ("created_lte", "Until"))
NAMES: Final = frozenset({"status", *(row[0] for row in (*MENUS, *FIELDS, *DATES))})


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
    now = visit.workspace.now()

    def looked(tx: Transaction) -> tuple[dict[str, int], Page[Payment], list[PaymentRow], dict[str, list[str]]]:
        page = tx.find(PAYMENTS, query) if not problems else Page[Payment]((), 0, 0)
        menus = {name: sorted(map(str, tx.tally(PAYMENTS, name))) for name, _ in MENUS}
        return _tally(tx, query), page, [line_of(item, standing_of(tx, item, now)) for item in page.items], menus

    counted, page, lines, menus = visit.workspace.space.transact(looked)
    path = "/payments/list" + (f"?{urlencode(asked)}" if asked else "")
    return PageContent(
        {
            "lines": lines,
            "listed": page,
            "is_empty": not counted and not asked,
            "tally": [(status, count, words.tone_of(status)) for status, count in counted.items()],
            "asked": dict(asked),
            "problems": problems,
            "without_status": urlencode([pair for pair in asked if pair[0] != "status"]),
            "menus": [(name, label, menus[name]) for name, label in MENUS],
            "fields": FIELDS,
            "dates": DATES,
            "curl_list": commands.curl("GET", visit.base + path),
            "size": PAGE,
            "first": first_payment(visit.base),
        },
        status=400 if problems else 200,
    )


def _query(visit: Visit, asked: list[tuple[str, str]]) -> Query:
    """The page that is asked for; the last day of a filter is in it. Refused as the API refuses a list's parameters."""
    offset = visit.number("offset", 10_000_000)
    if not asked:
        return Query(limit=PAGE, offset=offset)
    pairs = [
        (name, f"{text}T23:59:59.999Z" if name == "created_lte" and len(text) == 10 else text) for name, text in asked
    ]
    pairs += [("limit", str(PAGE)), ("offset", str(offset))]
    query: Query = PAYMENT_LIST.of(INTERFACE).load_query(pairs, visit.workspace.now())
    return query


def _tally(tx: Transaction, query: Query) -> dict[str, int]:
    """How many payments each status has under the other filters, in the order of the table of statuses."""
    rest = {name: values for name, values in query.filters.items() if name != "status"}
    whole = Query(filters=rest, created_gte=query.created_gte, created_lte=query.created_lte)
    counts = tx.tally(PAYMENTS, "status", whole)
    return {status.value: counts[status.value] for status in P if counts.get(status.value)}


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
    since: str
    day: str
    begins: int | None


def events_of(rows: tuple[TimelineRow, ...]) -> list[ShownRow]:
    """The rows of a timeline, each with its status where that is new."""
    found: list[ShownRow] = []
    status, first = "", rows[0].at
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
                f"+{words.span(row.at - first)}" if row.at > first else "",
                iso(row.at)[:10] if found and found[-1].at[:10] != iso(row.at)[:10] else "",
                row.fields.get("number") if row.kind is words.RowKind.ATTEMPT else None,
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
            "refunds": [row_of(REFUNDS, one) for one in kept.refunds],
            "disputes": [row_of(DISPUTES, one) for one in kept.disputes],
            "forms": list(forms_of(kept)),
            "page_link": _page_of(kept.payment),
            "kinds": list(dict.fromkeys(row.kind.value for row in rows)),
        },
        f"{amount_of(kept.payment)} {stands.badge}",
    )


def _page_of(payment: Payment) -> str | None:
    """Where the customer's page is, while the payment waits for its customer."""
    if payment.status is not P.REQUIRES_ACTION:
        return None
    return (
        f"/payments/redirect/{payment.payment_id}/{payment.merchant_id}/{payment.payment_id}_{payment.attempt_number}"
    )
