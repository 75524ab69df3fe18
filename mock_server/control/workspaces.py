"""The workspaces there are, and new ones in their place."""

from __future__ import annotations

from typing import Any

from mock_server.contract.answers.writing import write
from mock_server.control.answers import answer
from mock_server.control.answers.server import RESET, WORKSPACE, WORKSPACES
from mock_server.control.binding import view
from mock_server.control.requests import ResetWorkspace
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.paging import Query
from mock_server.engine.kinds import CUSTOMERS, EVENTS, PAYMENTS
from mock_server.http.context import Answer, Call
from mock_server.sandbox import Workspace
from mock_server.store.protocol import Kind, Transaction

_ALL = Query()
_COUNTED: tuple[tuple[str, Kind[Any]], ...] = (("payments", PAYMENTS), ("customers", CUSTOMERS), ("events", EVENTS))


@view("control.workspaces")
def list_workspaces(call: Call) -> Answer:
    found = [values_of(workspace) for workspace in call.sandbox.workspaces()]
    return answer(WORKSPACES, data=found)


@view("control.reset")
def reset(call: Call, command: ResetWorkspace) -> Answer:
    if call.workspace is not None:
        return _new(call.sandbox.reset_at(call.workspace.space.name, command.seed, command.name))
    if call.key is None:
        return answer(RESET, reset=call.sandbox.reset_all())
    return _new(call.sandbox.reset(call.key, command.seed, command.name))


def _new(workspace: Workspace) -> Answer:
    return answer(RESET, reset=1, workspace=values_of(workspace))


def shown(workspace: Workspace) -> dict[str, Any]:
    """A workspace with its counts; its key cannot be read from it."""
    return write(WORKSPACE, values_of(workspace), INTERFACE)


def values_of(workspace: Workspace) -> dict[str, Any]:
    """What is shown of a workspace, by the names of its rows."""
    counts = workspace.space.transact(_counts)
    clock = workspace.clock
    return {
        "name": workspace.identity.name,
        "merchant_id": workspace.merchant_id,
        "seed": workspace.identity.seed,
        "created": workspace.identity.created_at,
        "now": workspace.now(),
        "frozen": clock.frozen_at is not None,
        **counts,
    }


def _counts(tx: Transaction) -> dict[str, int]:
    return {name: tx.count(kind, _ALL) for name, kind in _COUNTED}
