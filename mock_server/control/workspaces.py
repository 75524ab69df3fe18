"""The workspaces there are, and new ones in their place."""

from __future__ import annotations

from typing import Any

from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.requests import ResetWorkspace
from mock_server.domain.instants import iso
from mock_server.domain.paging import Query
from mock_server.engine.kinds import CUSTOMERS, EVENTS, PAYMENTS
from mock_server.http.context import Answer, Call
from mock_server.http.show import show
from mock_server.sandbox import Workspace
from mock_server.store.protocol import Kind, Transaction

views = Control()
_ALL = Query()
_COUNTED: tuple[tuple[str, Kind[Any]], ...] = (("payments", PAYMENTS), ("customers", CUSTOMERS), ("events", EVENTS))


@views.view("control.workspaces")
def list_workspaces(call: Call) -> Answer:
    found = [shown(workspace) for workspace in call.sandbox.workspaces()]
    return show({"data": found, "total_count": len(found)})


@views.view("control.reset", requests.RESET)
def reset(call: Call, command: ResetWorkspace) -> Answer:
    if call.workspace is not None:
        return _new(call.sandbox.reset_at(call.workspace.space.name, command.seed, command.name))
    if call.key is None:
        return show({"reset": call.sandbox.reset_all()})
    return _new(call.sandbox.reset(call.key, command.seed, command.name))


def _new(workspace: Workspace) -> Answer:
    return show({"reset": 1, "workspace": shown(workspace)})


def shown(workspace: Workspace) -> dict[str, Any]:
    """A workspace with its counts; its key cannot be read from it."""
    counts = workspace.space.transact(_counts)
    clock = workspace.clock
    return {
        "name": workspace.identity.name,
        "merchant_id": workspace.merchant_id,
        "seed": workspace.identity.seed,
        "created": iso(workspace.identity.created_at),
        "now": iso(workspace.now()),
        "frozen": clock.frozen_at is not None,
        **counts,
    }


def _counts(tx: Transaction) -> dict[str, int]:
    return {name: tx.count(kind, _ALL) for name, kind in _COUNTED}
