"""The evidence of a workspace in this process: bodies are converted to JSON only if a rule reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from msgspec import structs

from mock_server.domain.events import EVENTS as TABLE
from mock_server.domain.events import Event
from mock_server.domain.paging import Query
from mock_server.engine.kinds import ATTEMPTS, EVENTS
from mock_server.sandbox import Workspace
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import JOURNAL
from mock_server.store.protocol import LogEntry
from mock_server.store.transaction import Transaction
from mock_server.verdict.calls import Json
from mock_server.verdict.evidence import Evidence
from mock_server.webhooks.body import body

AT_ONCE: Final = 500
"""The number of lines that are read at a time under the workspace's lock."""
ASCENDING: Final = Query(ascending=True)


def of_workspace(workspace: Workspace, after: int = 0, most: int | None = None) -> Evidence:
    """The evidence in a workspace: the calls after a number, and the newest events, at most `most` of them."""
    workspace.catch_up()
    return Evidence(_lines(workspace, after), partial(_events, workspace, most), workspace.space.dropped(JOURNAL))


def _lines(workspace: Workspace, after: int | None) -> Iterator[Json]:
    while after is not None:
        part = workspace.space.transact(partial(_part, after))
        yield from (_line(workspace, entry) for entry in part)
        after = part[-1].sequence if len(part) == AT_ONCE else None


def _part(after: int, tx: Transaction) -> Sequence[LogEntry]:
    return tx.entries(JOURNAL, after, AT_ONCE)


def _line(workspace: Workspace, entry: LogEntry) -> Json:
    line: dict[str, Any] = entry.value
    line["number"] = entry.sequence
    line["payment_status"] = line["left"][0] if line.get("left") else None
    line["events"] = [number + 1 for number in line.get("events") or ()]
    if entry.beside is not None:
        line["response"] = lambda: whole(entry, workspace.dialect)["response"]
    return line


def _events(workspace: Workspace, most: int | None, sent: bool) -> list[Json]:
    if sent and not any(workspace.space.keys(ATTEMPTS)):
        return []
    attempts: dict[str, list[Json]] = {}
    for one in workspace.space.scan(ATTEMPTS, ASCENDING):
        attempts.setdefault(one.event_id, []).append(structs.asdict(one))
    newest_first = islice(workspace.space.scan(EVENTS, Query()), most)
    return [_event(workspace, event, attempts.get(event.event_id, ())) for event in newest_first][::-1]


def _event(workspace: Workspace, event: Event, attempts: Sequence[Json]) -> Json:
    return {
        "number": event.number + 1,
        "event_type": event.type,
        "event_class": TABLE[event.type].about,
        "payment_id": event.payment_id,
        "created": event.created_at,
        "because": event.because,
        "fate": event.fate,
        "deliveries": attempts,
        "body": lambda: body(event, workspace.dialect, stale=any(one["stale"] for one in attempts)),
    }
