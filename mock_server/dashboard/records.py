"""Lists of records other than payments, the page of one record, and the search."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, get_type_hints

from mock_server.control.requests import LONG_ENOUGH, LONGEST
from mock_server.dashboard.doing import owned_forms
from mock_server.dashboard.folding import folded
from mock_server.dashboard.places import BY_LIST, LISTINGS
from mock_server.dashboard.visit import PAGE, PageContent, Visit, content
from mock_server.domain.paging import Page, Query
from mock_server.guesses import hint
from mock_server.store.protocol import RecordKind
from mock_server.story.rows import row_of


def listed(visit: Visit, page: str) -> PageContent:
    """One list, newest first."""
    row = BY_LIST[page]
    names = {one.name for one in row.kind.indexes} & {"payment_id", "customer_id", "status"}
    asked = {name: value for name, value in visit.query if name in names}
    query = Query(filters={name: (value,) for name, value in asked.items()}, limit=PAGE, offset=visit.number("offset"))
    problems = _problems(row.kind, asked)
    found = visit.workspace.space.transact(lambda tx: tx.find(row.kind, query) if not problems else Page((), 0, 0))
    rows = [row_of(row.kind, one) for one in found.items]
    return content(
        status=400 if problems else 200,
        listing=row,
        rows=rows,
        listed=found,
        asked=asked,
        names=sorted(names),
        size=PAGE,
        is_empty=not found.total and not asked,
        problems=problems,
    )


def _problems(kind: RecordKind[Any], asked: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with a filter: only a status can be."""
    words = [str(one) for one in get_type_hints(kind.type)["status"]] if "status" in asked else []
    if not words or asked["status"] in words:
        return {}
    return {"status": f"must be one of {', '.join(words)}{hint(asked['status'], words)}"}


def record(visit: Visit, page: str, id: str) -> PageContent:
    """One record: its row, what can be done to it, and its object in the API."""
    row = BY_LIST[page]
    shown = visit.ask(row.operation, (), **{row.part: id})
    found = visit.workspace.space.transact(lambda tx: tx.get(row.kind, id))
    forms, tree = [form._replace(says="") for form in owned_forms(found)], folded(shown, "The record")
    return content(f"{row.title} {id}", listing=row, one=row_of(row.kind, found), forms=forms, shown=tree)


FOUND: Final = {"payment": ("Payments", "payments"), "event": ("Events", "webhooks"), "call": ("Calls", "journal")} | {
    row.kind.name: (row.title, row.page) for row in LISTINGS
}
"""The titles of kinds in the search, and the lists of their pages."""
NOTHING: Final[Mapping[str, Any]] = {"data": [], "kinds": [], "total_count": 0, "looked_at": 0, "is_cut": False}


def find(visit: Visit) -> PageContent:
    """The results of the search."""
    text = visit.wanted("q")[:LONGEST]
    found = visit.ask("control.search", [("text", text)]) if LONG_ENOUGH(text) else NOTHING
    counts = {one["kind"]: one for one in found["kinds"]}
    kinds = [(*FOUND[kind], counts[kind], list(hits)) for kind, hits in groupby(found["data"], lambda hit: hit["kind"])]
    return content("Search", q=text, found=found, kinds=kinds, is_short=not LONG_ENOUGH(text))
