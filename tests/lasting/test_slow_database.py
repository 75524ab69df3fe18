"""A database that takes its time: no call on the server's loop asks it anything, and a stop does not wait for ever."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from http.client import HTTPConnection
from typing import Any, Final

import psycopg
import pytest

from mock_server.clock import SystemClock
from mock_server.contract.operations import OPERATIONS
from mock_server.front import serve
from mock_server.lasting import saving
from mock_server.lasting.lines import DatabaseLine
from mock_server.sandbox import build
from mock_server.settings import Settings
from tests import wire
from tests.counts import SOAK
from tests.lasting.clusters import Cluster
from tests.routes.good import caller, good
from tests.store.reopening import claiming

IN_CI: Final = ("payments.create", "accounts.create")
REFUSES: Final = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'disk full'; END$$;"
    "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON rows FOR EACH ROW EXECUTE FUNCTION refuse()"
)


@pytest.fixture
def place(cluster: Cluster) -> str:
    return cluster.database()


def test_no_call_on_the_loop_asks_the_database(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a label for its workspace, which is new."""
    asked, named, opened = dict[str, None](), "", DatabaseLine.open
    sandbox = build(Settings(data=place, advertise="http://127.0.0.1:1", rate_limit=0), clock=SystemClock())
    assert sandbox.lasting is not None
    server, store = serve(sandbox, "127.0.0.1", 0), sandbox.lasting

    def noted(line: DatabaseLine) -> AbstractContextManager[Any]:
        if not store.may_wait():
            asked[named] = None
        return opened(line)

    def over(app: object, method: str, path: str, data: bytes, headers: dict[str, str]) -> wire.Reply:
        with closing(HTTPConnection("127.0.0.1", server.port)) as line:
            line.request(method, path, data, {**headers, "X-Sandbox-Label": f"{method} {path}"})
            answer = line.getresponse()
            return wire.Reply(answer.status, answer.read(), dict(answer.getheaders()))

    monkeypatch.setattr(DatabaseLine, "open", noted)
    monkeypatch.setattr(wire, "called", over)
    nowhere: Any = None
    try:
        with server:
            for number, row in enumerate(OPERATIONS):
                if SOAK or row.name in IN_CI:
                    named = row.name
                    api = wire.Wire(nowhere, sandbox, f"snd_labelled_{number:03}")
                    assert good(api, row).sent(caller(api, row), row).status == 200, named
    finally:
        sandbox.stop()
    assert list(asked) == []


@pytest.mark.parametrize("how", ["LOCK TABLE rows", REFUSES], ids=["waits", "refuses"])
def test_a_stop_ends_though_the_database_saves_nothing(
    how: str, place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(saving, "LEAVE_S", 0.1)
    store = claiming(place, "http://replica-1")
    space = store.open("a", lambda tx: tx.add("calls"))
    assert store.saver.wait()
    with psycopg.connect(place, autocommit=how == REFUSES) as other:
        other.execute(how.encode())
        space.transact(lambda tx: tx.add("calls"))
        store.end()
    assert "rows could not be saved" in caplog.text
