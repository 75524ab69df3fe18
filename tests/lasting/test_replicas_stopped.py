"""Replicas as processes: one that is stopped past its lease, a database that is away, addresses that are no good."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.request import urlopen

import psycopg
import pytest
from click.testing import CliRunner

from mock_server.cli import main
from tests.lasting.clusters import Cluster
from tests.lasting.shop import ELSEWHERE, KEY, call, order
from tests.running import RunningSandbox, environment, until
from tests.running import call as command

SECRET: Final = "hunter2-of-the-database"
SLOW: Final = {"on": "payments.retrieve", "then": {"delay": "1500ms"}}


@pytest.fixture
def place(cluster: Cluster) -> str:
    return cluster.database()


def serve(place: str, port: int = 1, **variables: str) -> RunningSandbox:
    """A replica that says it is reached at a port."""
    flags = ("--data", place, "--advertise", f"http://127.0.0.1:{port}", "--log-level", "error", "--rate-limit", "0")
    return RunningSandbox(*flags, variables=variables)


def pay(port: int, number: int) -> tuple[int, dict[str, Any]]:
    return call(port, "POST", "/payments", order(number), X_Idempotency_Key=f"order-{number}")


def paid(port: int) -> list[str]:
    """The orders that are there, or nothing where nobody says."""
    status, found = call(port, "GET", "/payments/list?limit=100")
    return sorted(one["metadata"]["order"] for one in found["data"]) if status == 200 else []


def sent(port: int, method: str, path: str, body: Any = None) -> socket.socket:
    """A call that is on its way, whose answer nobody has read."""
    text = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\napi-key: {KEY}\r\nContent-Type: application/json\r\n"
    line = socket.create_connection(("127.0.0.1", port))
    line.sendall(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
    return line


def answer(line: socket.socket) -> tuple[int, dict[str, Any]]:
    """What came over it; 0 where the line broke."""
    with line, suppress(OSError, HTTPException):
        response = HTTPResponse(line)
        response.begin()
        return response.status, json.loads(response.read())
    return 0, {}


def owner_is(cluster: Cluster, place: str, url: str) -> bool:
    asked = "SELECT r.url FROM workspaces JOIN replicas AS r ON r.start = owner WHERE r.lease_until > clock_timestamp()"
    return cluster.ask(asked, place) == [(url,)]


def test_a_replica_that_wakes_past_its_lease_shows_and_writes_nothing_old(cluster: Cluster, place: str) -> None:
    with serve(place, 1) as first, serve(place, 2) as second:
        stopped, other = first.ready["port"], second.ready["port"]
        status, payment = pay(stopped, 1)
        assert status == 200
        assert call(stopped, "POST", "/_sandbox/next", SLOW)[0] == 200
        held = sent(stopped, "GET", f"/payments/{payment['payment_id']}")
        until(lambda: not call(stopped, "GET", "/_sandbox/next")[1]["next"])
        first.process.send_signal(signal.SIGSTOP)
        waiting = [sent(stopped, "POST", "/payments", order(2)), sent(stopped, "GET", "/payments/list")]
        until(lambda: pay(other, 3)[0] == 200)
        first.process.send_signal(signal.SIGCONT)
        for line in (held, *waiting):
            status, said = answer(line)
            assert status in (0, 503), said
        assert paid(other) == ["1", "3"]
        until(lambda: call(stopped, "GET", "/_sandbox/readyz")[0] == 200)
        assert paid(other) == ["1", "3"]


def test_the_database_goes_and_comes_back(cluster: Cluster, place: str) -> None:
    with serve(place) as replica:
        port = replica.ready["port"]
        assert pay(port, 1)[0] == 200
        cluster.stop()
        try:
            status, said = pay(port, 2)
            assert (status, said["error"]["code"]) == (503, "SB_02")
            until(lambda: call(port, "GET", "/payments/list")[0] == 503)
            status, said = call(port, "GET", "/_sandbox/readyz")
            assert (status, said["status"]) == (503, "not_saving")
            assert call(port, "GET", "/_sandbox/livez")[0] == 200
        finally:
            cluster.start()
        until(lambda: call(port, "GET", "/_sandbox/readyz")[0] == 200)
        until(lambda: pay(port, 2)[0] == 200)
        assert pay(port, 3)[0] == 200
        assert paid(port) == ["1", "2", "3"]


def test_a_database_that_takes_its_time_holds_up_nobody_else(cluster: Cluster, place: str) -> None:
    with serve(place) as replica, psycopg.connect(place) as busy:
        port = replica.ready["port"]
        assert pay(port, 1)[0] == 200
        assert call(port, "GET", "/payments/list", key=ELSEWHERE)[0] == 200
        busy.execute("LOCK TABLE rows")
        waiting = [sent(port, "POST", "/payments", order(2)), sent(port, "GET", "/payments/list")]
        until(lambda: cluster.ask("SELECT count(*) FROM pg_locks WHERE NOT granted") != [(0,)])
        assert call(port, "GET", "/payments/list", key=ELSEWHERE)[0] == 200
        for line in waiting:
            line.setblocking(False)
            with pytest.raises(BlockingIOError):
                line.recv(1)
            line.setblocking(True)
        busy.commit()
        (status, payment), (listed, found) = map(answer, waiting)
        assert (status, listed) == (200, 200)
        assert payment["payment_id"] in [one["payment_id"] for one in found["data"]]


def test_a_replica_that_is_cut_off_from_the_database_alone(cluster: Cluster, place: str) -> None:
    cluster.ask("DROP ROLE IF EXISTS apart; CREATE ROLE apart SUPERUSER LOGIN")
    with serve(place.replace("//postgres@", "//apart@"), 1) as first, serve(place, 2) as second:
        cut_off, other = first.ready["port"], second.ready["port"]
        assert pay(cut_off, 1)[0] == 200
        cluster.ask("ALTER ROLE apart NOLOGIN")
        cluster.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'apart'")
        until(lambda: pay(other, 2)[0] == 200)
        status, said = pay(cut_off, 3)
        assert (status, said["error"]["code"]) == (503, "SB_02")
        assert paid(cut_off) == []
        cluster.ask("ALTER ROLE apart LOGIN")
        until(lambda: call(cut_off, "GET", "/_sandbox/readyz")[0] == 200)
        assert paid(other) == ["1", "2"]


def test_a_graceful_end_hands_over_at_once(cluster: Cluster, place: str) -> None:
    with serve(place, 1) as first, serve(place, 2) as second:
        assert pay(first.ready["port"], 1)[0] == 200
        assert owner_is(cluster, place, "http://127.0.0.1:1")
        figures = urlopen(f"{first.base}/_sandbox/metrics").read().decode()
        (left,) = re.findall(r"^payment_sandbox_lease_left_seconds (\S+)$", figures, re.MULTILINE)
        assert "\npayment_sandbox_owned_workspaces 1.0\n" in figures
        assert 0 < float(left) <= 3
        assert first.stop()[0] == 0
        assert cluster.ask("SELECT url FROM replicas", place) == [("http://127.0.0.1:2",)]
        until(lambda: paid(second.ready["port"]) == ["1"])


def test_a_killed_one_is_started_again_under_its_address(place: str) -> None:
    with serve(place) as replica:
        assert pay(replica.ready["port"], 1)[0] == 200
        replica.process.kill()
        replica.process.wait()
    with serve(place) as replica:
        assert paid(replica.ready["port"]) == ["1"]


# what is told, and by which name


def refused(place: str, *flags: str) -> str:
    """Why no replica starts."""
    done = command("serve", "--port", "0", "--data", place, *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert SECRET not in done.stderr
    return done.stderr


def test_what_cannot_be_used(cluster: Cluster, place: str) -> None:
    folder = str(cluster.folder)
    with_password = place.replace("//postgres@", f"//postgres:{SECRET}@")
    away = with_password.replace(folder, "/nowhere")
    assert "postgresql:///nowhere/postgres cannot be reached" in refused(away)
    assert "is not the URL of a PostgreSQL database" in refused(f"postgresql://u:{SECRET}%zz@localhost/x")
    assert "cannot be reached" in refused(f"postgresql://u:{SECRET}/x@localhost/x")
    assert "an http URL (not https)" in refused(place, "--advertise", "https://sandbox.example.test")
    cluster.ask("CREATE TABLE orders (id integer)", place)
    assert "is the database of another program" in refused(with_password)
    cluster.ask("DROP TABLE orders", place)
    with serve(with_password) as replica:
        assert pay(replica.ready["port"], 1)[0] == 200
        assert "another replica already uses the address http://127.0.0.1:1" in refused(
            with_password, "--advertise", "http://127.0.0.1:1"
        )
        cluster.ask("UPDATE payment_sandbox SET format = 99", place)
        assert "was written by a newer version (format 99" in refused(with_password)
        assert paid(replica.ready["port"]) == ["1"]
        pages = [
            call(replica.ready["port"], "GET", f"/_sandbox/{path}")[1] for path in ("readyz", "version", "requests")
        ]
        assert SECRET not in str(pages)
    assert cluster.ask("SELECT count(*) FROM workspaces", place) == [(1,)]


def test_an_installation_without_psycopg() -> None:
    serves = "import sys; sys.modules['psycopg'] = None; from mock_server.cli import main; main()"
    arguments = [sys.executable, "-c", serves, "serve", "--port", "0", "--data", "postgresql://localhost/sandbox"]
    done = subprocess.run(arguments, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "psycopg" in done.stderr
    assert "pip install '.[postgresql]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_files_alone_are_checked(place: str) -> None:
    for address in (place, place.replace("postgresql:", "postgres:"), "sqlite:///x.db", "mysql://x/y"):
        done = CliRunner().invoke(main, ["data", "check", address])
        assert (done.exit_code, "only files can be checked" in done.stderr) == (2, True)
        assert ("pg_amcheck" in done.stderr) is address.startswith("postgres")
