"""Payments: the list with the API's filters, one payment with its timeline, and its export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from mock_server import __version__
from mock_server.contract.requests.payments.calls import LIST as PAYMENT_LIST
from mock_server.control.export import as_pytest, as_yaml, rehearse, scenario_of
from mock_server.dashboard import calls, commands
from mock_server.dashboard.doing import forms_of
from mock_server.dashboard.stepping import stepping, whole_of
from mock_server.dashboard.visit import PAGE, PageContent, Visit, content
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.instants import iso
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.domain.unseen import visible
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.payments.due import page_path
from mock_server.pages.showing import amount_of
from mock_server.store.transaction import Transaction
from mock_server.story import words
from mock_server.story.payment_history import OWNED, history_of
from mock_server.story.renderings import as_mermaid, as_svg, as_text
from mock_server.story.rows import row_of
from mock_server.story.standing import Standing, standing_kept, standing_of
from mock_server.story.timeline import rows_of
from mock_server.story.words import TimelineRow, as_json

MENUS: Final = (("currency", "Currency"), ("payment_method", "Method"), ("card_network", "Card brand"))
"""Filters with a menu of the present values; `status` has buttons."""
FIELDS: Final = (
    ("customer_id", "Customer", "cus_…"),
    ("customer_email", "Email", "ada@example.com"),
    ("merchant_order_reference_id", "Order reference", ""),
)
DATES: Final = (("created_gte", "From"), ("created_lte", "Until"))
NAMES: Final = frozenset({"status", *(row[0] for row in (*MENUS, *FIELDS, *DATES))})


class ListedPayment(NamedTuple):
    """One payment in the list."""

    record: Payment
    stands: Standing


def listed(tx: Transaction, records: Iterable[Payment], now: int) -> list[ListedPayment]:
    """Payments with their present states."""
    return [ListedPayment(one, standing_of(tx, one, now)) for one in records]


def payments(visit: Visit) -> PageContent:
    """The list, newest first, with the number in each status; or what is wrong with the filter."""
    asked = [(name, value) for name, value in dict(visit.query).items() if name in NAMES]
    query, problems = visit.unless_refused(lambda: _query(visit, asked), Query())
    now = visit.workspace.now()

    def looked(tx: Transaction) -> tuple[list[Any], Page[Payment], list[ListedPayment], dict[str, list[str]]]:
        page = tx.find(PAYMENTS, query) if not problems else Page[Payment]((), 0, 0)
        menus = {name: sorted(map(str, tx.tally(PAYMENTS, name))) for name, _ in MENUS}
        rest = {name: values for name, values in query.filters.items() if name != "status"}
        whole = Query(filters=rest, created_gte=query.created_gte, created_lte=query.created_lte)
        tally = words.by_status(tx.tally(PAYMENTS, "status", whole))
        return tally, page, listed(tx, page.items, now), menus

    tally, page, lines, menus = visit.workspace.space.transact(looked)
    return content(
        status=400 if problems else 200,
        lines=lines,
        listed=page,
        is_empty=not tally and not asked,
        tally=tally,
        asked=dict(asked),
        problems=problems,
        without_status=urlencode([pair for pair in asked if pair[0] != "status"]),
        menus=[(name, label, menus[name]) for name, label in MENUS],
        fields=FIELDS,
        dates=DATES,
        in_full=dict(_in_full(asked)),
        size=PAGE,
    )


def _query(visit: Visit, asked: list[tuple[str, str]]) -> Query:
    """The requested page; a filter includes its last day. Refused as the API refuses a list's parameters."""
    offset = visit.number("offset")
    if not asked:
        return Query(limit=PAGE, offset=offset)
    pairs = [*_in_full(asked), ("limit", str(PAGE)), ("offset", str(offset))]
    query: Query = PAYMENT_LIST.of(INTERFACE).load_query(pairs, visit.workspace.now())
    return query


def _in_full(asked: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (name, f"{text}T23:59:59.999Z" if name == "created_lte" and len(text) == 10 else text) for name, text in asked
    ]


def payment(visit: Visit, payment_id: str) -> PageContent:
    """One payment: its state and the reason, its timeline as list and picture, and what can be done to it."""
    now = visit.workspace.now()
    kept = history_of(visit.workspace.space, payment_id, now)
    one = kept.payment
    rows = rows_of(kept)
    stands = standing_kept(kept, now)
    shown = stepping(visit, kept, rows, now)
    if visit.wanted("as") == "json":
        file = f"{one.payment_id}-{shown['step']}.json"
        return PageContent({}, file=(file, json.dumps(whole_of(visit, shown["change"]), indent=2, ensure_ascii=False)))
    forms = list(forms_of(visit.workspace, kept))
    main = next((form for form in forms if form.look == "main"), None)
    return content(
        f"{amount_of(one)} {stands.badge}",
        **shown,
        payment=one,
        stands=stands,
        due=kept.due[:OWNED],
        rows=len(rows),
        refunds=[row_of(REFUNDS, one) for one in kept.refunds],
        disputes=[row_of(DISPUTES, one) for one in kept.disputes],
        main=main,
        forms=sorted(
            (form for form in forms if form is not main and form.operation != "control.clock_advance"),
            key=lambda form: bool(form.says),  # its own acts before those on a refund or dispute
        ),
        advance=next((form for form in forms if form.operation == "control.clock_advance"), None),
        page_link=page_path(one) if one.status is P.REQUIRES_ACTION else None,
        kinds=list(dict.fromkeys(row.kind.value for row in rows)),
    )


def export(visit: Visit, payment_id: str) -> PageContent:
    """The scenario and the test, which come after the page with what a trial run says, and each form as a file."""
    title = f"Export of {payment_id}"
    if not visit.is_later and visit.workspace.find_payment(payment_id):
        return content(title, payment_id=payment_id, files=FILES, is_left=True)
    kept, wanted = history_of(visit.workspace.space, payment_id, visit.workspace.now()), visit.wanted("as")
    if wanted in STORIES:
        return PageContent({}, file=(f"story.{wanted}", STORIES[wanted](rows_of(kept))))
    document = scenario_of(visit.workspace, payment_id)
    shown = [calls.shown_line(visit, str(entry.sequence)) for entry in kept.lines]
    lines = [line for line in shown if not line["operation"].startswith(("page.", "control."))]
    if wanted in ("curl", "har"):
        lost = f"left out: calls before {iso(kept.calls_since)}, no longer in the journal" if kept.calls_since else ""
        commands_of = [commands.of_line(visit.base, line, calls.card_of(line)) for line in lines]
        written = [*([f"# {lost}"] if lost else ()), *commands_of, ""]
        text = "\n".join(written) if wanted == "curl" else _har_of(visit, lines, lost)
        return PageContent({}, file=(FILES[wanted], text))
    said = rehearse(visit.sandbox, document)
    texts = {"scenario": f"# {said}\n{as_yaml(document)}", "pytest": as_pytest(document, said, visit.workspace)}
    if wanted in texts:
        return PageContent({}, file=(FILES[wanted], texts[wanted]))
    good = said.startswith("verified")
    return content(title, payment_id=payment_id, said=said, is_good=good, texts=texts, files=FILES)


FILES: Final = {"scenario": "replay.yaml", "pytest": "test_replay.py", "curl": "replay.sh", "har": "calls.har"}
STORIES: Final[Mapping[str, Callable[[Sequence[TimelineRow]], str]]] = {
    "svg": as_svg,
    "mermaid": as_mermaid,
    "json": lambda rows: json.dumps(as_json(rows), indent=2, ensure_ascii=False),
    "text": as_text,
}
"""The forms of the timeline alone."""


def _har_of(visit: Visit, lines: list[dict[str, Any]], lost: str) -> str:
    """The calls as an HTTP archive (HAR 1.2), redacted as the journal is; `_card` is the name of a test card."""
    creator = {"name": "payment-sandbox", "version": __version__}
    log = {"version": "1.2", "creator": creator, "comment": lost, "entries": [_entry(visit, line) for line in lines]}
    return visible(json.dumps({"log": log}, indent=1, ensure_ascii=False))


def _entry(visit: Visit, line: dict[str, Any]) -> dict[str, Any]:
    key = {"api-key": line["key"]} if line["key"].startswith("pk_") else {}  # its kind, of which it shows no more
    made = {**(line["headers"] or {}), **commands.own_headers(line), **key}
    pairs = (made.items(), parse_qsl(line["query"], keep_blank_values=True))
    headers, asked = ([{"name": name, "value": value} for name, value in some] for some in pairs)
    url = visit.base + line["path"] + (f"?{line['query']}" if line["query"] else "")
    sent, received = calls.pretty(line["request"]), calls.pretty(line["response"])
    kind = "application/json"
    common = {"httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1}
    request = {"method": line["method"], "url": url, "headers": headers, "queryString": asked}
    posted = {"postData": {"mimeType": kind, "text": sent}, "_card": calls.card_of(line)} if sent else {}
    content = {"size": len(received.encode()), "mimeType": kind, "text": received}
    status: dict[str, Any] = {"status": line["status"] or 0, "statusText": "", "redirectURL": ""}
    return {
        "startedDateTime": line["at"],
        "time": line["took_ms"],
        "request": {**request, **common, **posted, "bodySize": len(sent.encode())},
        "response": {**status, **common, "headers": [], "content": content, "bodySize": len(received.encode())},
        "cache": {},
        "timings": {"send": 0, "wait": line["took_ms"], "receive": 0},
    }
