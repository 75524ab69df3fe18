"""What the rows of causes share: the sort of a row, and small steps that many of them begin with."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from mock_server.domain.errors import Cause
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, wire

Raise = Callable[[Wire, ManualClock], Reply]
Rows = tuple[tuple[Cause, Raise], ...]

BARE: dict[str, Any] = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}
ADMIN = "an_admin"


def payment(api: Wire, **fields: Any) -> Reply:
    """A payment without a method."""
    return fine(api.post("/payments", {**BARE, **fields}))


def fine(reply: Reply) -> Reply:
    assert reply.status == 200, reply.raw
    return reply


def by_client(api: Wire) -> Wire:
    """The browser of the same merchant."""
    return api.page()


def seen(api: Wire, clock: ManualClock, **settings: Any) -> Wire:
    """A client of another server, for what a setting brings about."""
    return wire(clock=clock, dialect=api.sandbox.dialect, **settings)


def meanwhile(waiting: Callable[[], Reply], act: Callable[[], object]) -> Reply:
    """What a call answers that waits in a thread of its own until something is done."""
    found: list[Reply] = []
    thread = threading.Thread(target=lambda: found.append(waiting()))
    thread.start()
    while thread.is_alive():
        act()
        thread.join(0.05)
    return found[0]
