"""The journal: every call and page of a workspace, redacted, with the reasons of what was decided; as a long poll
too. And what the store keeps of calls and decisions, as the control API shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from threading import Lock
from typing import Any, Final

import msgspec

from mock_server import jsontext
from mock_server.contract.dialect import Dialect
from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.requests.commands import LookAtJournal
from mock_server.control.stages import when_enough
from mock_server.domain.instants import iso
from mock_server.http.context import Answer, Call
from mock_server.http.show import show
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import JOURNAL, Workspace
from mock_server.store.protocol import Entry
from mock_server.story.payment_history import BY_HAND, lines_of

views = Control()
CUT: Final = ("request_bytes", "response_bytes", "response_sha256")
"""What an answer says besides where a body is kept in part."""


@views.view("control.journal", query=requests.JOURNAL)
def journal(call: Call, command: LookAtJournal) -> Answer:
    found = Matching(call.home, command)

    def so_far() -> Answer:
        return found.page()

    def look() -> Answer | None:
        return found.page() if found.look() >= command.enough else None

    return when_enough(call, JOURNAL, look, so_far, command.wait_ms / 1000)


@views.view("control.forget_journal")
def forget(call: Call) -> Answer:
    return show({"forgotten": call.home.space.transact(lambda tx: tx.forget(JOURNAL))})


class Matching:
    """The lines that a look asks for; each line is looked at once, also while several writers tell of new ones."""

    def __init__(self, workspace: Workspace, command: LookAtJournal) -> None:
        self._space = workspace.space
        self._dialect = workspace.host.dialect
        self._limit = command.limit
        self._wanted = wanted(command)
        self._read_to = command.after
        self._found: list[Entry] = []
        self._lock = Lock()

    def look(self) -> int:
        """Reads what is new and gives how many lines match by now."""
        with self._lock:
            for entry in lines_of(self._space, JOURNAL, self._read_to):
                self._read_to = entry.sequence
                if self._wanted(entry.value):
                    self._found.append(entry)
            return len(self._found)

    def page(self) -> Answer:
        """The last lines that match, the oldest first."""
        with self._lock:
            lines = [line_shown(entry, self._dialect) for entry in self._found[-self._limit :]]
            total = len(self._found)
        return show({"data": lines, "total_count": total, "dropped": self._space.dropped(JOURNAL)})


def wanted(command: LookAtJournal) -> Callable[[dict[str, Any]], bool]:
    """Whether a line is one that was asked for. What was done by hand is told only to who asks for `control.*`."""
    by_hand = (command.operation or "").startswith(BY_HAND)

    def matches(line: dict[str, Any]) -> bool:
        return (
            line["operation"].startswith(BY_HAND) is by_hand
            and (command.operation is None or fnmatchcase(line["operation"], command.operation))
            and (command.payment_id is None or line["payment_id"] == command.payment_id)
            and (command.status is None or _is_status(line["status"], command.status))
        )

    return matches


def _is_status(status: int, asked: str) -> bool:
    return str(status) == asked or (asked.endswith("xx") and str(status)[0] == asked[0])


def line_shown(entry: Entry, dialect: Dialect) -> dict[str, Any]:
    """One line of the journal; a body that is JSON stands as JSON."""
    line = whole(entry, dialect)
    return {
        "number": entry.sequence,
        "at": iso(line["at"]),
        "request_id": line["request_id"],
        "operation": line["operation"],
        "method": line["method"],
        "path": line["path"],
        "query": line["query"],
        "status": line["status"],
        "cause": line["cause"],
        "key": line["key"],
        "payment_id": line["payment_id"],
        "replayed": line["replayed"],
        "idempotent": line["idempotent"],
        "fault": line["fault"],
        "took_ms": round(line["took_ms"], 3),
        "began_us": line.get("began_us", 0),
        "events": [number + 1 for number in line.get("events") or ()],
        "because": [because_shown(note) for note in line["notes"]],
        "request": body_shown(line["request"]),
        "response": body_shown(line["response"]),
        **dict(zip(CUT, line.get("cut") or (), strict=False)),
    }


def because_shown(note: dict[str, Any]) -> dict[str, Any]:
    """One reason: what decided, in which words, and what nearly did."""
    return {
        "by": note["by"],
        "text": note["text"],
        "rule": note["rule"],
        "inputs": note["inputs"],
        "near_misses": note["near_misses"],
    }


def body_shown(body: bytes) -> object:
    """A body: JSON as it stands, anything else as text, nothing as null."""
    if not body:
        return None
    text = body.decode("utf-8", "replace")
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return text
    return jsontext.raw(text)
