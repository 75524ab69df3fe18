"""A card number or a live key at any place of a request: no view shows it, and a store keeps what the API returns."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

import pytest

from mock_server.cli.logs import JsonFormatter, TextFormatter
from mock_server.clock import SystemClock
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects import get
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.facts import SharedSpace
from mock_server.lasting.postgres import Lease, PostgresRows
from mock_server.lasting.replicas import ReplicaStore
from mock_server.lasting.store import LastingStore
from mock_server.sandbox.timekeeping import KINDS
from tests.api.canaries import Canary, Sent, everywhere, in_fields, new, noted, of_tools, shown, views
from tests.counts import SOAK, times
from tests.lasting.clusters import Cluster
from tests.lasting.shop import call
from tests.running import RunningSandbox
from tests.webhooks.shops import mall
from tests.wire import KEY, Wire, card_payment

PAGES: Final = times(60, soak=2_000)
"""How many pages of the dashboard are looked at."""
SHARE: Final = times(3, soak=1)
"""A view shows one in so many payments: of the three that a place of a request has, one."""
ROWS: Final = OPERATIONS if SOAK else OPERATIONS[::24]
"""The operations whose every field is tried, besides those that always are."""
FIELDS: Final = times(4, soak=1_000)
DIALECTS: Final = ("interface", "hyperswitch")
FILED, SHARED = (DIALECTS, DIALECTS) if SOAK else (DIALECTS[:1], DIALECTS[1:])
"""The dialects in which a file, and a database, keeps what was sent: each has one, as all views have both."""
Store = TypeVar("Store", bound=LastingStore)
pytestmark = pytest.mark.timeout(1800 if SOAK else 300)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The server's own log at debug, in both of its formats."""
    kept = io.StringIO()
    root = logging.getLogger()
    level, handlers = root.level, [logging.StreamHandler(kept), logging.StreamHandler(kept)]
    for handler, formatter in zip(handlers, (JsonFormatter(), TextFormatter()), strict=True):
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield kept
    for handler in handlers:
        root.removeHandler(handler)
    root.setLevel(level)


class Put:
    """What was sent, and what of it is a record's."""

    def __init__(self, calls: Sent) -> None:
        self.every: list[Canary] = []
        self.own: set[Canary] = set()
        """Texts of records: what the API gives back, or took in a field that it has."""
        self.repeated: list[str] = []
        """The places whose numbers errors repeat."""
        for canary, reply in calls:
            self.every.append(canary)
            is_shown = bool(shown([canary], reply.raw.decode()))
            is_taken = canary.place == "evidence" or (" ." in canary.place and "unheard_of" not in canary.place)
            if reply.status < 400 and (is_shown or is_taken):
                self.own.add(canary)
            elif is_shown and canary.text.isdigit():
                self.repeated.append(canary.place)

    def found(self, texts: Iterable[tuple[str, bool, str]]) -> list[str]:
        """Where a view shows one that it should not: the view's name, the place, and what."""
        return [
            f"{name} shows {one.text} of {one.place}"
            for name, as_sent, text in texts
            if not as_sent
            for one in shown(self.every, text)
        ]

    def kept(self, text: str) -> list[str]:
        """The places of what stands in a store, and is no text of a record."""
        return [f"{one.place}: {one.text}" for one in shown(self.every, text) if one not in self.own]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_view_shows_one(dialect: str, log: io.StringIO) -> None:
    shops = mall(dialect=get(dialect))
    turns: dict[str, int] = {}
    put = Put(noted(shops.api, everywhere(shops), turns))
    assert len(put.own) > 50
    assert not put.repeated
    assert put.found([*views(shops.api, PAGES, SHARE, turns), ("the log", False, log.getvalue())]) == []
    assert put.kept(in_memory(shops.api)) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_no_view_shows_one_of_any_field(row: Operation, log: io.StringIO) -> None:
    shops = mall()
    turns: dict[str, int] = {}
    calls = in_fields(shops.api, row, lambda bodies: bodies[:: max(1, len(bodies) // FIELDS)])
    put = Put(noted(shops.api, calls, turns))
    assert not put.repeated
    assert put.found([*views(shops.api, PAGES, SHARE, turns), ("the log", False, log.getvalue())]) == []


def in_memory(api: Wire) -> str:
    """What the server holds, and would write into a snapshot."""
    space = api.sandbox.workspaces()[0].space
    return "".join(map(repr, (space.dump(), space.dump_log("journal", repr), api.sandbox.server.dump())))


# stores


@pytest.mark.parametrize("dialect", FILED)
def test_a_file_keeps_only_texts_of_records(tmp_path: Path, dialect: str) -> None:
    with closing_of(LastingStore(DataFile(str(tmp_path / "canary.sqlite")), KINDS, SystemClock())) as store:
        put = Put(everywhere(mall(store=store, dialect=get(dialect))))
        assert store.saver.save()
        text = b"".join(path.read_bytes() for path in tmp_path.iterdir()).decode("utf-8", "replace")
    assert len(shown(list(put.own), text)) > 50
    assert put.kept(text) == []


@pytest.mark.parametrize("dialect", SHARED)
def test_a_database_keeps_only_texts_of_records(cluster: Cluster, dialect: str) -> None:
    url, clock = cluster.database(), SystemClock()
    database = PostgresRows(url)
    lease = Lease(database, None, clock)
    made = ReplicaStore(database, lease, KINDS, clock, lambda state: SharedSpace(url, state, clock))
    with closing_of(made) as store:
        put = Put(everywhere(mall(store=store, dialect=get(dialect))))
        store.saver.save()  # what its own thread has not saved yet
    schema = url.rpartition("%3D")[2]
    tables = cluster.ask(f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'")
    rows = [row for (name,) in tables for row in cluster.ask(f"SELECT * FROM {schema}.{name}")]
    text = "\n".join(
        one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for row in rows for one in row
    )
    assert len(shown(list(put.own), text)) > 50
    assert put.kept(text) == []


@contextmanager
def closing_of(store: Store) -> Iterator[Store]:
    """The store, ended after the block."""
    try:
        yield store
    finally:
        store.end()


# commands


def test_no_command_and_no_tool_shows_one() -> None:
    with RunningSandbox() as sandbox:
        port = int(sandbox.base.rpartition(":")[2])
        for one in new("a command"):
            body = {**card_payment(), "description": one.text, "metadata": {one.text: one.text}}
            made = call(port, "POST", "/payments", body, key=KEY)[1]["payment_id"]
            call(port, "POST", f"/payments/{made}/cancel", {"cancellation_reason": one.text}, key=KEY)
            call(port, "GET", f"/payments/{quote(one.text)}?note={quote(one.text)}", key=KEY)
            for name, text in of_tools(sandbox.base, KEY, made):
                assert text
                assert not shown([one], text), name
