"""One server for all tests of the dashboard, a fresh workspace for each, and a visitor without a browser."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.dashboard.visitor import Visitor, passes
from tests.wire import Wire, wire


@pytest.fixture(scope="session")
def server() -> Wire:
    return wire()


@pytest.fixture
def api(server: Wire) -> Iterator[Wire]:
    """A client with a workspace of its own, whose clock stands; snapshots, which are the server's, go with it.

    Tests name things by the workspace: one whose digits a page takes for a card's number is for `test_own_digits`.
    """
    clients = iter(lambda: server.as_key(f"snd_{uuid.uuid4().hex}"), None)
    made = next(one for one in clients if not passes(Visitor(one).place))
    made.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
    yield made
    for snapshot in made.get("/_sandbox/snapshots")["data"]:
        made.delete(f"/_sandbox/snapshots/{snapshot['name']}")
    made.sandbox.store.close(Visitor(made).place)


@pytest.fixture
def visitor(api: Wire) -> Visitor:
    return Visitor(api)
