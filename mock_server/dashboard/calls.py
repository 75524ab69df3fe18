"""The journal: calls with their reasons, one call with its request and answer, and the verdict on all calls."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec import Struct

from mock_server import jsontext
from mock_server.control import requests
from mock_server.control.export import as_pytest, rehearse, scenario_of
from mock_server.control.journal import line_shown, wanted
from mock_server.control.replaying import card_sent
from mock_server.dashboard import commands
from mock_server.dashboard.folding import folded
from mock_server.dashboard.visit import PAGE, PageContent, Visit, content
from mock_server.domain.errors import ObjectKind, unknown
from mock_server.domain.outcomes import LEFT_ALONE
from mock_server.http.asked import whole
from mock_server.http.redaction import HIDDEN
from mock_server.store.protocol import JOURNAL, LogEntry
from mock_server.story import words
from mock_server.story.payment_history import LineHead, lines_of, newest_first
from mock_server.verdict.evidence import of_workspace
from mock_server.verdict.reporting import GUIDE, UNKNOWN, summary
from mock_server.verdict.rules import State, judge

NAMES: Final = frozenset({"operation", "status", "payment_id"})


def journal(visit: Visit) -> PageContent:
    """The last calls that match, newest first; or what is wrong with the filter."""
    asked = [(name, value) for name, value in dict(visit.query).items() if name in NAMES]
    filters, problems = visit.unless_refused(lambda: requests.JOURNAL.load_query(asked, visit.workspace.now()), None)
    offset = visit.number("offset")
    entries = () if filters is None else newest_first(visit.workspace.space, LineHead, wanted(**filters))
    found = list(map(_line, islice(entries, offset, offset + PAGE + 1)))
    return content(
        status=400 if problems else 200,
        lines=found[:PAGE],
        offset=offset,
        has_more=len(found) > PAGE,
        asked=dict(asked),
        problems=problems,
        is_empty=not found and not asked and not offset,
        dropped=visit.workspace.space.dropped(JOURNAL),
        most=PAGE,
    )


def _line(entry: LogEntry) -> dict[str, Any]:
    call = entry.value
    decided = (note["text"] for note in call["notes"] if note["by"] != LEFT_ALONE)
    says = next(decided, words.refused(call["cause"]) if call["cause"] else "")
    return {**call, "number": entry.sequence, "says": says, "tone": _tone(call)}


def _tone(call: dict[str, Any]) -> str:
    return "bad" if call["status"] >= 400 or call["fault"] else "good"


def shown_line(visit: Visit, number: str) -> dict[str, Any]:
    """One journal entry as the control API shows it. Refused as `object_unknown`."""
    sequence = whole(number)
    entries = visit.workspace.space.transact(lambda tx: tx.entries(JOURNAL, sequence - 1, 1)) if sequence else ()
    if not entries or entries[0].sequence != sequence:
        raise unknown(ObjectKind.CALL, number)
    # Bodies are JSON text inside the entry; written and parsed, they become values.
    written = jsontext.dump(line_shown(entries[0], visit.workspace.dialect))
    return msgspec.json.decode(written, type=dict[str, Any])


def line(visit: Visit, number: str) -> PageContent:
    """One call: its request, answer and reasons; also as a command and, later, as a test; or one of its texts."""
    shown = shown_line(visit, number)
    card = card_of(shown)
    has_key = shown["idempotency"] is not None
    texts = {
        "request": pretty(shown["request"]),
        "response": pretty(shown["response"]),
        "curl": commands.of_line(visit.base, shown, card),
        "pytest": _test(visit, shown, card) if visit.is_later else "",
    }
    if text := texts.get(visit.wanted("as")):
        return PageContent({}, file=(f"call-{number}.txt", text))
    return content(
        f"{shown['method']} {shown['path']}",
        line=shown,
        tone=_tone(shown),
        request=folded(shown["request"], "The request's body") if shown["request"] is not None else "",
        response=folded(shown["response"], "The answer's body") if shown["response"] is not None else "",
        text=texts,
        first=_first_of(visit, shown) if shown["replayed"] and has_key else None,
        is_api=not shown["operation"].startswith(("page.", "control.")),
        has_hidden=HIDDEN in texts["request"] and card is None,
    )


def _first_of(visit: Visit, shown: dict[str, Any]) -> int | None:
    """The number of the call whose stored answer this one got: the first with the same idempotency key."""
    key = tuple(shown["idempotency"])

    def is_first(head: _KeyHead) -> bool:
        return head.idempotency == key and not head.replayed and head.path == shown["path"]

    first = next(lines_of(visit.workspace.space, 0, _KeyHead, is_first), None)
    return first[0] if first is not None and first[0] < shown["number"] else None


class _KeyHead(Struct):
    path: str
    replayed: bool
    idempotency: tuple[str, str] | None = None


def _test(visit: Visit, call: dict[str, Any], card: str | None) -> str:
    """The call as a test; about a payment and not refused, with the calls before it, and tried before it is shown."""
    if call["cause"] or call["payment_id"] is None or visit.workspace.find_payment(call["payment_id"]) is None:
        return commands.as_test(call, card, visit.workspace)
    document = scenario_of(visit.workspace, call["payment_id"], call["number"])
    if not any(one["do"] == call["operation"] for one in document.get("story", ())):
        return commands.as_test(call, card, visit.workspace)
    return as_pytest(document, rehearse(visit.sandbox, document), visit.workspace, str(call["operation"]))


def card_of(call: dict[str, Any]) -> str | None:
    """The name of the test card whose number a call sent, if it is known."""
    return card_sent(call["because"], call["response"]) if HIDDEN in str(call["request"]) else None


def pretty(body: object) -> str:
    """A body, indented."""
    return "" if body is None else body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)


JUDGED: Final = 500
"""How many of the last calls and events the page checks, as it is often refreshed (ours); the command checks all."""


def verdict(visit: Visit) -> PageContent:
    """What was found, and what was not checked; it comes after the page."""
    last = visit.workspace.space.last(JOURNAL)
    if last and not visit.is_later:
        return content(is_left=True, last=JUDGED)
    found = judge(of_workspace(visit.workspace, max(0, last - JUDGED), JUDGED))
    return content(
        summary=summary(found),
        is_judged=found.is_judged,
        found=found.of(State.FOUND),
        missing=found.of(*UNKNOWN),
        guide=GUIDE,
        last=JUDGED,
    )
