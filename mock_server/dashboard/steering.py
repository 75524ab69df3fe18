"""The pages of clock, scenarios, one-shot queue and snapshots, and of the tables of cards and declines."""

from __future__ import annotations

import re
from typing import Any, Final

from mock_server.dashboard.studio import RUN, SAVE, vocabulary
from mock_server.dashboard.visit import PAGE, PUT_SCENARIO, PageContent, Visit, content
from mock_server.domain import declines
from mock_server.domain.errors import Refusal
from mock_server.domain.instants import iso
from mock_server.domain.outcomes import Challenge
from mock_server.domain.paging import Query
from mock_server.engine.kinds import PAYMENTS
from mock_server.story.payment_history import backwards


def clock(visit: Visit) -> PageContent:
    """The workspace's time, and its scheduled events."""
    due = visit.workspace.space.transact(lambda tx: tx.all_due())
    now = visit.workspace.now()
    rows = [{"at": iso(one.at), "in": one.at - now, "what": one.what, "subject": one.subject} for one in due[:PAGE]]
    return content(time=visit.ask("control.clock"), due=rows, more=max(0, len(due) - PAGE))


def scenarios(visit: Visit) -> PageContent:
    """The scenarios that the workspace can use, and which are active."""
    found = visit.ask("control.scenarios")
    for row in found["scenarios"]:
        one = _found(visit, row["name"])
        row["summary"] = one["summary"] if one else "broken"
        row["hits"] = sum(counted(one).values()) if one else 0
    rows = sorted(found["scenarios"], key=lambda row: (not row["active"], row["origin"] != "workspace", row["name"]))
    return content(rows=rows, active=found["active"])


def scenario(visit: Visit, name: str) -> PageContent:
    """One scenario: its text, counters and assertions; and the mistakes of a text that was not accepted."""
    found = _found(visit, name)
    counters = counted(found) if found else {}
    own = name in visit.own_names()
    written = _written(visit, found["text"], found["digest"]) if found else _written(visit, TEMPLATE)
    return content(name, found=found, counters=counters, name=name, is_own=own, is_new=False, **written)


def new_scenario(visit: Visit) -> PageContent:
    """A scenario without a name."""
    name = visit.notice.sent.get("name", "") if visit.notice is not None else ""
    begins = _found(visit, visit.wanted("from")) if visit.wanted("from") else None
    written = _written(visit, begins["text"] if begins else TEMPLATE)
    shipped = [row["name"] for row in visit.ask("control.scenarios")["scenarios"]]
    chosen: dict[str, Any] = {"from": visit.wanted("from"), "templates": sorted(shipped)}
    return content(found=None, name=name, is_own=False, is_new=True, **chosen, **written)


def _written(visit: Visit, text: str, seen: str = "") -> dict[str, Any]:
    """The form's values: the text as it is stored, or as it was sent, with its mistakes and those of other fields.

    `seen` is the digest of the stored text; if the file was changed meanwhile, the answer has the new one.
    """
    notice = visit.notice
    words: dict[str, Any] = {"vocabulary": vocabulary(), "steps": (), "seen": seen, "now": None}
    words["is_writable"] = visit.sandbox.scenarios.writable is not None
    if notice is None or "text" not in notice.sent or (notice.operation in (PUT_SCENARIO, SAVE) and notice.is_good):
        return {"text": text, "is_unsaved": False, "mistakes": [], "problems": {}, **words}
    if notice.operation == RUN and notice.answer:
        words["steps"] = notice.answer["steps"]
    words["seen"] = notice.sent.get("seen", seen)
    if notice.operation == SAVE and notice.answer:
        words |= notice.answer
    if notice.operation == PUT_SCENARIO and notice.problem("text"):
        words |= {"seen": seen, "now": text}
    text = notice.sent.get("text", text)
    placed = tuple(one for one in notice.fields if one[0][:1].isdigit())
    problems = {field: message for field, message in notice.fields if (field, message) not in placed}
    return {"text": text, "is_unsaved": True, "mistakes": mistakes_in(text, placed), "problems": problems, **words}


def _found(visit: Visit, name: str) -> Any:
    try:
        return visit.ask("control.scenario", name=name)
    except Refusal:
        # The page of a name that does not exist is for writing it.
        return None


def counted(found: Any) -> dict[str, int]:
    """The counters of a scenario, by the rule and the counted key."""
    return {_COUNTER.sub(r"rule \1, \2, \3", name).strip(" ,/"): count for name, count in found["counters"].items()}


_COUNTER: Final = re.compile(r"(?:[0-9a-f]+/\d+/)?rule/(\d+)/(\w+)/(.*)")


def mistakes_in(text: str, fields: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    """Each mistake with its line."""
    lines, found = dict(enumerate(text.splitlines(), 1)), []
    for field, message in fields:
        line, _, column = field.partition(":")
        at = int(line) if line.isascii() and line.isdigit() else 0
        found.append({"line": at, "column": column, "message": message, "excerpt": lines.get(at, "")})
    return found


TEMPLATE: Final = """\
version: 1
summary: What this scenario is for.
rules:
  - on: charge
    when: {body.amount: 6540}
    then: {decline: insufficient_funds}
"""


def queue(visit: Visit) -> PageContent:
    """The outcomes of the next calls."""
    challenges = [str(one) for one in Challenge]
    return content(rows=visit.ask("control.next")["next"], declines=declines.names(), challenges=challenges)


def cards(visit: Visit) -> PageContent:
    """The test cards and the declines, filtered by `find`."""
    find = visit.wanted("find").lower()
    rows, reasons = visit.ask("control.cards")["data"], visit.ask("control.errors")["declines"]
    return content(cards=_with(rows, find), declines=_with(reasons, find), find=visit.wanted("find"))


def _with(rows: list[dict[str, Any]], find: str) -> list[dict[str, Any]]:
    texts = ((row, " ".join(row[name] for name in row if name != "source").lower()) for row in rows)
    return [row for row, text in texts if all(word in text for word in find.split())]


def snapshots(visit: Visit) -> PageContent:
    """The snapshots, by name."""
    space = visit.workspace.space
    return content(
        rows=visit.ask("control.snapshots")["data"],
        offset=visit.number("offset"),
        own_dialect=visit.ask("control.dialect"),
        payments=space.transact(lambda tx: tx.count(PAYMENTS, Query())),
        entries=sum(map(len, backwards(space))),
    )
