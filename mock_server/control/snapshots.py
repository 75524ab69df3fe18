"""Snapshots by name: keeping a workspace, showing it, and putting it in another one's place."""

from __future__ import annotations

from typing import Any, Final

from mock_server.clock import Slices
from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.requests.commands import TakeSnapshot
from mock_server.control.workspaces import shown as workspace_shown
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.http.journal import JOURNAL, Line
from mock_server.http.show import show
from mock_server.sandbox import Workspace, snapshots
from mock_server.sandbox.snapshots import Snapshot

views = Control()
LOGS: Final = {JOURNAL: Line}
NOTHING: Final = (b"", b"{}", b"null")
"""Bodies of whoever sends no snapshot."""
MOST_OF_NOTHING: Final = 64


@views.view("control.snapshots")
def list_snapshots(call: Call) -> Answer:
    found = [_shown(kept) for kept in snapshots.kept(call.sandbox.server)]
    return show({"data": found, "total_count": len(found)})


@views.view("control.take_snapshot", query=requests.SNAPSHOT)
def take(call: Call, command: TakeSnapshot, name: str) -> Answer:
    """Without a body the key's workspace is kept; a body is a snapshot that was taken elsewhere."""
    snapshots.check_name(name)
    if len(call.raw) > MOST_OF_NOTHING or call.raw.strip() not in NOTHING:
        return _put(call, name, call.raw, snapshots.read(call.raw, Slices()).get("made_by"))
    if call.key is None:
        raise Refusal(Cause.KEY_MISSING)
    workspace = call.workspace or call.sandbox.workspace(call.key)
    text = snapshots.take(workspace, with_journal=command.journal)
    limit = call.sandbox.settings.max_snapshot
    if len(text) > limit:
        raise Refusal(Cause.SNAPSHOT_TOO_LARGE, size=len(text), limit=limit)
    return _put(call, name, text)


def _put(call: Call, name: str, text: bytes, made_by: object = snapshots.MADE_BY) -> Answer:
    kept = snapshots.keep(call.sandbox.server, name, text, made_by)
    call.sandbox.shelf.ring()
    return show(_shown(kept))


@views.view("control.snapshot")
def get_snapshot(call: Call, name: str) -> Answer:
    return Answer(200, snapshots.find(call.sandbox.server, name).document, (JSON,))


@views.view("control.drop_snapshot")
def drop(call: Call, name: str) -> Answer:
    dropped = snapshots.drop(call.sandbox.server, name)
    call.sandbox.shelf.ring()
    return show(_shown(dropped))


@views.view("control.restore_snapshot", requests.NOTHING)
def restore(call: Call, command: None, name: str) -> Answer:
    text = snapshots.find(call.sandbox.server, name).document
    return show({"restored": name, "workspace": workspace_shown(_restored(call, text))})


def _restored(call: Call, text: bytes) -> Workspace:
    if call.workspace is not None:
        return call.sandbox.restore_at(call.workspace.space.name, text, LOGS)
    assert call.key is not None
    return call.sandbox.restore(call.key, text, LOGS)


def _shown(kept: Snapshot) -> dict[str, Any]:
    return {"name": kept.name, "format": kept.format, "made_by": kept.made_by, "bytes": len(kept.document)}
