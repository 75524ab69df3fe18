"""The journal: every call and page of a workspace, redacted, with the reasons of decisions. It can be a long poll."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from threading import Lock
from typing import Any

from mock_server.contract.answers.writing import write
from mock_server.contract.dialect import Dialect
from mock_server.control.answers import answer
from mock_server.control.answers.scenarios import FORGOTTEN
from mock_server.control.answers.story import JOURNAL as FOUND
from mock_server.control.answers.story import JOURNAL_LINE
from mock_server.control.stages import view, when_enough
from mock_server.dialects.interface import INTERFACE
from mock_server.http.running import Answer, Call
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import JOURNAL, Workspace
from mock_server.store.protocol import LogEntry
from mock_server.story.payment_history import BY_HAND, LineHead, last_of, lines_of


@view("control.journal")
def journal(
    call: Call, *, after: int = 0, limit: int = 100, wait_ms: int = 0, enough: int = 1, **filters: str
) -> Answer:
    found = Matching(call.home, after, limit, wanted(**filters))
    return when_enough(call, JOURNAL, found.look, found.page, enough=enough, wait_ms=wait_ms)


@view("control.forget_journal")
def forget(call: Call) -> Answer:
    return answer(FORGOTTEN, forgotten=call.home.space.transact(lambda tx: tx.forget(JOURNAL)))


class Matching:
    """The lines that match a query; each line is read once, also with several writers of new ones."""

    def __init__(self, workspace: Workspace, after: int, limit: int, wanted: Callable[[LineHead], bool]) -> None:
        self._space = workspace.space
        self._dialect = workspace.dialect
        self._limit = limit
        self._wanted = wanted
        self._read_to = after
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


def wanted(operation: str = "*", payment_id: str | None = None, status: str = "*") -> Callable[[LineHead], bool]:
    """Whether a line matches a query. Calls of the control API match only `control.*`."""
    by_hand, status = operation.startswith(BY_HAND), status.replace("x", "?")

    @cache  # a journal has ten thousand lines, but few operations and statuses
    def fits(name: str, code: int) -> bool:
        return name.startswith(BY_HAND) is by_hand and fnmatchcase(name, operation) and fnmatchcase(str(code), status)

    return lambda line: (payment_id is None or line.payment_id == payment_id) and fits(line.operation, line.status)


def line_of(entry: LogEntry, dialect: Dialect) -> dict[str, Any]:
    """A line of the journal, by the names of its rows."""
    return {**whole(entry, dialect), "number": entry.sequence}


def line_shown(entry: LogEntry, dialect: Dialect) -> dict[str, Any]:
    """One line of the journal as an object."""
    return write(JOURNAL_LINE, line_of(entry, dialect), INTERFACE)
