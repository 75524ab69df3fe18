"""The journal, every call and page of a workspace, redacted, with a long poll; and why a payment has its status."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from operator import itemgetter
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

from mock_server import jsontext
from mock_server.contract.answers.writing import write
from mock_server.contract.control_operations import DASHBOARD
from mock_server.contract.dialect import Dialect
from mock_server.control.answers import answer
from mock_server.control.answers.scenarios import FORGOTTEN
from mock_server.control.answers.story import JOURNAL_LINE, TIMELINE
from mock_server.control.answers.story import WHY_IT_STANDS as WHY
from mock_server.control.stages import view, when_enough
from mock_server.dialects.interface import INTERFACE
from mock_server.http.binding import show
from mock_server.http.running import TEXT, Answer, Call, link_base
from mock_server.sandbox.kept_answers import LATER, whole
from mock_server.sandbox.workspace import Workspace
from mock_server.store import logs
from mock_server.store.protocol import JOURNAL, LogEntry
from mock_server.story.payment_history import BY_HAND, LineHead, PaymentHistory, history_of, lines_of
from mock_server.story.renderings import as_mermaid, as_svg, as_text
from mock_server.story.standing import standing_kept
from mock_server.story.timeline import done_by_hand, rows_of


@view("control.journal")
def journal(
    call: Call, *, after: int = 0, limit: int = 100, wait_ms: int = 0, enough: int = 1, **filters: str
) -> Answer:
    found = Matching(call.workspace, after, limit, wanted(**filters))
    return when_enough(call, JOURNAL, found.look, found.page, enough=enough, wait_ms=wait_ms)


@view("control.forget_journal")
def forget(call: Call) -> Answer:
    return answer(FORGOTTEN, forgotten=call.workspace.space.transact(lambda tx: tx.forget(JOURNAL)))


class Matching:
    """The lines that match a query; each line is read once, also with several writers of new ones."""

    def __init__(self, workspace: Workspace, after: int, limit: int, wanted: Callable[[LineHead], bool]) -> None:
        self._space = workspace.space
        self._dialect = workspace.dialect
        self._wanted = wanted
        self._read_to = after
        self._found: deque[logs.NumberedLine] = deque(maxlen=limit)
        self._total = 0
        self._lock = Lock()

    def look(self) -> int:
        """Reads new lines, and returns how many match so far."""
        with self._lock:
            last = self._space.last(JOURNAL)
            for line in lines_of(self._space, self._read_to, LineHead, self._wanted):
                last = max(last, line[0])
                self._found.append(line)
                self._total += 1
            self._read_to = last
            return self._total

    def page(self) -> Answer:
        """The last matching lines, oldest first; each is written by itself, as thousands are large as objects."""
        with self._lock:  # for which writers wait
            found, total = tuple(self._found), self._total
            missing = {"dropped": self._space.dropped(JOURNAL), "gaps_until": self._space.gaps_until(JOURNAL)}
        data = [jsontext.Raw(jsontext.dump(line_shown(logs.entry(*line), self._dialect))) for line in found]
        return show({"data": data, "total_count": total, **missing})


def wanted(operation: str = "*", payment_id: str | None = None, status: str = "*") -> Callable[[LineHead], bool]:
    """Whether a line matches a query. Calls of the control API match only `control.*`."""
    by_hand, status = operation.startswith(BY_HAND), status.replace("x", "?")

    @cache  # a journal has ten thousand lines, but few operations and statuses
    def fits(name: str, code: int) -> bool:
        return name.startswith(BY_HAND) is by_hand and fnmatchcase(name, operation) and fnmatchcase(str(code), status)

    return lambda head: (payment_id is None or head.payment_id == payment_id) and fits(head.operation, head.status)


def line_shown(entry: LogEntry, dialect: Dialect) -> object:
    """One line of the journal as an object."""
    return write(JOURNAL_LINE, {**LATER, "headers": None, **whole(entry, dialect), "number": entry.sequence}, INTERFACE)


PICTURE: Final = (
    ("Content-Type", "image/svg+xml"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
)
"""An SVG with styles, and without scripts."""


@view("control.timeline")
def timeline(call: Call, payment_id: str, *, format: str = "json", colour: bool = False) -> Answer:
    history = history_of(call.workspace.space, payment_id, call.now)
    rows, stands = rows_of(history), standing_kept(history, call.now)
    match format:
        case "text":
            return Answer(200, as_text(rows, colour, stands).encode(), (TEXT,))
        case "mermaid":
            return Answer(200, as_mermaid(rows).encode(), (TEXT,))
        case "svg":
            return Answer(200, as_svg(rows).encode(), PICTURE)
        case _:
            payment = history.payment
            head = {"payment_id": payment.payment_id, "status": payment.status, "headline": stands.headline}
            return answer(TIMELINE, **head, data=rows)


def _decisions(history: PaymentHistory) -> Iterator[dict[str, Any]]:
    """What calls decided, what was done by hand, and why events of the clock happened."""
    caused = {number for entry in history.lines for number in entry.value.get("events") or ()}
    for entry in history.lines:
        for note in (*entry.value["notes"], *done_by_hand(entry, history.payment.currency)):
            yield {**note, **{name: entry.value[name] for name in ("at", "operation", "request_id")}}
    for event in history.events:
        about = {"at": event.created_at, "operation": event.type, "request_id": None, "by": "event"}
        for text in event.because if event.number not in caused else ():
            yield {**about, "text": text, "rule": None, "inputs": {}, "near_misses": ()}


@view("control.why")
def why(call: Call, payment_id: str) -> Answer:
    history = history_of(call.workspace.space, payment_id, call.now)
    payment, stands = history.payment, standing_kept(history, call.now)
    return answer(
        WHY,
        payment_id=payment.payment_id,
        status=payment.status,
        headline=stands.headline,
        tone=stands.tone,
        failure=payment.failure,
        waits_for=payment.waiting,
        due=history.due,
        calls_since=history.calls_since,
        decisions=sorted(_decisions(history), key=itemgetter("at")),
        page=f"{link_base(call)}{DASHBOARD}/{quote(call.workspace.space.name)}/payments/{quote(payment.payment_id)}",
    )
