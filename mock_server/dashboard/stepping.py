"""A payment's changes, one after the other: how long each state lasted, and the payment after one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from mock_server.contract.answers import payment as answers
from mock_server.dashboard.folding import differences, folded
from mock_server.dashboard.visit import Visit
from mock_server.domain.instants import iso
from mock_server.jsontext import dump
from mock_server.story import words
from mock_server.story.changes import PaymentChange, changes_of
from mock_server.story.payment_history import PaymentHistory
from mock_server.story.timeline import STANDING
from mock_server.story.words import TimelineRow, Tone

T = TypeVar("T")
SHOWN: Final = 25
"""How many changes, and how many rows of the story, are shown at once: those around the change asked for (ours)."""
SHORT: Final = 32
"""A story of at most so many rows is shown whole (ours)."""
WIDTHS: Final = (1_000, 60_000, 600_000, 3_600_000, 86_400_000)
"""A state that lasted at least this long (ms) is drawn wider (ours)."""


class Stretch(NamedTuple):
    """The time from one change to the next, on the line of a payment's life."""

    number: int
    attempt: int
    says: str
    tone: Tone
    lasted: str
    width: int
    kind: str


class ShownRow(NamedTuple):
    """One row of the timeline, with the status and the day if they are new, the time since the first row, its step."""

    row: TimelineRow
    status: str
    since: str = ""
    day: str = ""
    step: int = 0


def stepping(visit: Visit, kept: PaymentHistory, rows: Sequence[TimelineRow], now: int) -> dict[str, Any]:
    """The line of changes, and the one that is asked for; without a number, the last, and the end of the story."""
    changes = changes_of(kept, rows)
    step = visit.number("step", len(changes))
    asked = step or len(changes)
    change = changes[asked - 1]
    before = next((one for one in changes[asked - 2 :: -1] if one.copy), None) if asked > 1 else None
    whole = whole_of(visit, change)
    found = differences(whole_of(visit, before), whole) if before and whole else None
    new = [one for one in found.rows if not one.is_mark and {one.old, one.new} != {"null", None}] if found else []
    events = events_of(rows, {id(one.row): number for number, one in enumerate(changes, 1)})
    at = next((at for at, one in enumerate(events) if one.step == step), len(events)) if step else len(events)
    events = dated(near(events, at, len(events) if visit.wanted("all") or len(events) <= SHORT else SHOWN), rows[0].at)
    return {
        "line": near(list(_stretches(changes, now)), asked, SHOWN),
        "step": asked,
        "steps": len(changes),
        "change": change,
        "left": {name: whole[name] for name in STANDING if name in whole},
        "is_after_gap": found is not None and changes[asked - 2] is not before,
        "new": new,
        "tree": folded(whole, "The payment after this change", {one.path for one in new}) if whole else "",
        "events": events,
    }


def near(some: list[T], at: int, most: int) -> list[T]:
    """At most so many, around a position."""
    first = max(0, min(at - most // 2, len(some) - most))
    return some[first : first + most]


def events_of(rows: Sequence[TimelineRow], steps: dict[int, int]) -> list[ShownRow]:
    """The rows of a timeline, each with its status if that is new, and the change that it made."""
    for row, after in pairwise(rows):  # a call, and the event of what it changed
        if row.is_call and id(after) in steps and row.fields["payment"] == after.fields.get("payment"):
            steps[id(row)] = steps.pop(id(after))
    found, status = [], ""
    for row in rows:
        now = row.status or status
        found.append(ShownRow(row, now if now != status else "", step=steps.get(id(row), 0)))
        status = now
    return found


def dated(events: Iterable[ShownRow], first: int) -> list[ShownRow]:
    """The rows as the page shows them: each with the time since the first of all, the first of a day with the day."""
    found, before = [], ""
    for one in events:
        day = iso(one.row.at)[:10]
        since = f"+{words.span(one.row.at - first)}" if one.row.at > first else ""
        found.append(one._replace(since=since, day=day if day != before else ""))
        before = day
    return found


def whole_of(visit: Visit, change: PaymentChange) -> dict[str, Any]:
    """The payment as the API showed it after a change; empty without a copy."""
    if change.copy is None:
        return {}
    payment, inside = change.copy()
    shown = answers.ShownPayment(payment, inside.refunds, inside.disputes)
    return msgspec.json.decode(dump(answers.payment(shown, visit.workspace.dialect)), type=dict[str, Any])


def _stretches(changes: Sequence[PaymentChange], now: int) -> Iterator[Stretch]:
    attempt, at = 1, 0
    for number, (one, after) in enumerate(zip(changes, (*changes[1:], None), strict=True), 1):
        attempt = one.left["attempt_count"] if one.left else attempt
        at = one.row.at if one.row else at
        until = after.row.at if after and after.row else at if after else now
        lasted = max(0, until - at)
        width = sum(lasted >= least for least in WIDTHS) + 1
        kind = "gap" if one.missing else "" if one.copy else "part"
        yield Stretch(number, attempt, *_said(one), words.span(lasted) if lasted else "", width, kind)


def _said(change: PaymentChange) -> tuple[str, Tone]:
    if change.missing:
        return f"{change.missing} without a copy", Tone.PLAIN
    if change.own:
        name = "refund" if hasattr(change.own, "refund_id") else "dispute"
        return f"{name} {words.plain(change.own.status).removeprefix('dispute ')}", words.tone_of(change.own.status)
    status = change.left["status"] if change.left else ""
    says = words.plain(str(status))
    return says if change.row else f"now: {says}", words.tone_of(str(status))
