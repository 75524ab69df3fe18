"""The journal: every call and page of a workspace, redacted, with the reasons of decisions. It can be a long poll."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from threading import Lock
from typing import Any

from mock_server.contract.answers.writing import write
from mock_server.contract.dialect import Dialect
from mock_server.control.answers import answer
from mock_server.control.answers.scenarios import FORGOTTEN
from mock_server.control.answers.story import JOURNAL as FOUND
from mock_server.control.answers.story import JOURNAL_LINE
from mock_server.control.requests import LookAtJournal
from mock_server.control.stages import view, when_enough
from mock_server.dialects.interface import INTERFACE
from mock_server.http.context import Answer, Call
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import JOURNAL, Workspace
from mock_server.store.protocol import LogEntry
from mock_server.story.payment_history import BY_HAND, LineHead, last_of, lines_of


@view("control.journal")
def journal(call: Call, command: LookAtJournal) -> Answer:
    found = Matching(call.home, command)
    return when_enough(call, JOURNAL, command, found.look, found.page)


@view("control.forget_journal")
def forget(call: Call) -> Answer:
    return answer(FORGOTTEN, forgotten=call.home.space.transact(lambda tx: tx.forget(JOURNAL)))


class Matching:
    """The lines that match a query; each line is read once, also with several writers of new ones."""

    def __init__(self, workspace: Workspace, command: LookAtJournal) -> None:
        self._space = workspace.space
        self._dialect = workspace.dialect
        self._limit = command.limit
        self._wanted = wanted(command)
        self._read_to = command.after
        self._found: list[LogEntry] = []
        self._lock = Lock()

    def look(self) -> int:
        """Reads new lines, and returns how many match so far."""
        with self._lock:
            last = last_of(self._space, JOURNAL, self._read_to)
            for entry in lines_of(self._space, self._read_to, LineHead, self._wanted):
                last = max(last, entry.sequence)
                self._found.append(entry)
            self._read_to = last
            return len(self._found)

    def page(self) -> Answer:
        """The last matching lines, oldest first."""
        with self._lock:
            lines = [line_of(entry, self._dialect) for entry in self._found[-self._limit :]]
            total = len(self._found)
        return answer(FOUND, data=lines, total_count=total, dropped=self._space.dropped(JOURNAL))


def wanted(command: LookAtJournal) -> Callable[[LineHead], bool]:
    """Whether a line matches a query. Calls of the control API match only `control.*`."""
    by_hand = (command.operation or "").startswith(BY_HAND)
    status = None if command.status is None else command.status.replace("x", "?")

    def matches(line: LineHead) -> bool:
        return (
            line.operation.startswith(BY_HAND) is by_hand
            and (command.operation is None or fnmatchcase(line.operation, command.operation))
            and (command.payment_id is None or line.payment_id == command.payment_id)
            and (status is None or fnmatchcase(str(line.status), status))
        )

    return matches


def line_of(entry: LogEntry, dialect: Dialect) -> dict[str, Any]:
    """A line of the journal, by the names of its rows."""
    return {**whole(entry, dialect), "number": entry.sequence}


def line_shown(entry: LogEntry, dialect: Dialect) -> dict[str, Any]:
    """One line of the journal as an object."""
    return write(JOURNAL_LINE, line_of(entry, dialect), INTERFACE)
