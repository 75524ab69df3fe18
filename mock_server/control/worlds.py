"""The worlds there are, and new ones in their place."""

from __future__ import annotations

from typing import Any

from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.requests.commands import ResetWorld
from mock_server.domain.instants import iso
from mock_server.domain.paging import Query
from mock_server.engine.kinds import CUSTOMERS, EVENTS, PAYMENTS
from mock_server.http.context import Answer, Call
from mock_server.http.show import show
from mock_server.sandbox import World
from mock_server.store.protocol import Kind, Transaction

views = Control()
_ALL = Query()
_COUNTED: tuple[tuple[str, Kind[Any]], ...] = (("payments", PAYMENTS), ("customers", CUSTOMERS), ("events", EVENTS))


@views.view("control.worlds")
def list_worlds(call: Call) -> Answer:
    found = [shown(world) for world in call.sandbox.worlds()]
    return show({"data": found, "total_count": len(found)})


@views.view("control.reset", requests.RESET)
def reset(call: Call, command: ResetWorld) -> Answer:
    if call.world is not None:
        return _new(call.sandbox.reset_at(call.world.space.name, command.seed, command.name))
    if call.key is None:
        return show({"reset": call.sandbox.reset_all()})
    return _new(call.sandbox.reset(call.key, command.seed, command.name))


def _new(world: World) -> Answer:
    return show({"reset": 1, "world": shown(world)})


def shown(world: World) -> dict[str, Any]:
    """A world with its counts; its key cannot be read from it."""
    counts = world.space.transact(_counts)
    clock = world.clock
    return {
        "name": world.identity.name,
        "merchant_id": world.merchant_id,
        "seed": world.identity.seed,
        "created": iso(world.identity.created_at),
        "now": iso(world.now()),
        "frozen": clock.frozen_at is not None,
        **counts,
    }


def _counts(tx: Transaction) -> dict[str, int]:
    return {name: tx.count(kind, _ALL) for name, kind in _COUNTED}
