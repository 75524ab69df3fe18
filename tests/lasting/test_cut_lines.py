"""Connections to the database that are cut, each at any moment: what stderr has is log lines, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing, suppress
from threading import Event, Thread

import psycopg
import pytest

from mock_server.lasting.batches import DataLost
from mock_server.lasting.lines import DatabaseLine
from tests.counts import times
from tests.lasting.clusters import USER, Cluster
from tests.lasting.shop import call, order
from tests.running import RunningSandbox

CUTS = times(12, soak=200)
PAUSE_S = 0.05
OWNER = "owner_of_all"
CUT = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'payment-sandbox %'"


@pytest.fixture(scope="module")
def place(cluster: Cluster) -> str:
    """A database whose name is not its user's, which would be left out by who names both."""
    cluster.ask(f"CREATE ROLE {OWNER} SUPERUSER LOGIN")
    return cluster.database().replace(f"{USER}@", f"{OWNER}@", 1)


def test_every_line_on_stderr_is_one_of_the_log(cluster: Cluster, place: str) -> None:
    stop = Event()
    with RunningSandbox("--data", place, "--advertise", "http://127.0.0.1:1", "--rate-limit", "0") as sandbox:
        port = sandbox.ready["port"]

        def pay() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                with suppress(OSError):
                    call(port, "POST", "/payments", order(number))
                    call(port, "POST", "/accounts", {}, key="an_admin")

        shops = [Thread(target=pay) for _ in range(3)]
        for shop in shops:
            shop.start()
        for _ in range(CUTS):  # from the first tenths of a second on, while it still imports
            cluster.ask(CUT)
            Event().wait(PAUSE_S)
        stop.set()
        for shop in shops:
            shop.join()
        log = sandbox.stop()[2].splitlines()
    assert log
    for line in log:
        assert json.loads(line)["level"], line
    assert not [line for line in log if "a thread failed" in line or "Traceback" in line or OWNER in line]


def test_what_fails_within_a_transaction_is_told_by_us_alone(place: str, caplog: pytest.LogCaptureFixture) -> None:
    with closing(DatabaseLine(place, "test")) as line, pytest.raises(DataLost):
        fail_within(line)
    assert [record.getMessage() for record in caplog.records] == []


def fail_within(line: DatabaseLine) -> None:
    with line.open() as connection, connection.transaction():
        connection.pgconn.send_query(b"SELECT pg_sleep(60)")  # in whose midst it cannot be rolled back
        raise psycopg.OperationalError("no answer within 2 s")


WARM = """
import sys
from mock_server.cli.serving import warm_later
from mock_server.sandbox import build
from mock_server.settings import Settings
sandbox = build(Settings(data=sys.argv[1]))
sandbox.lasting.saver.file.close()
warm_later(sandbox, 0).join()
"""


def test_what_is_loaded_beforehand_needs_no_database(cluster: Cluster) -> None:
    done = subprocess.run([sys.executable, "-c", WARM, cluster.database()], capture_output=True, text=True, check=True)
    assert "preloading" not in done.stderr, done.stderr
