from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from typing import Any

import httpx
import pytest
import urllib3

from mock_server.domain.faults import LINE, PARKED, LineFault, LinePlan, Parked
from mock_server.server import Server
from tests.clocks import ManualClock
from tests.running import seconds, until
from tests.server.conftest import Serve
from tests.server.wire import Wire, echo, settle

NOTHING_IN_FLIGHT_S = 0.05
NEVER_S = 3600.0
"""What no test sees the end of."""


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


# Where it listens.


def test_it_listens_as_soon_as_it_is_made() -> None:
    server = Server(echo)
    try:
        with Wire(server).get("/early") as wire:
            server.start()
            assert wire.got().body == b"GET /early "
    finally:
        server.shutdown()


def test_the_address_is_where_clients_reach_it(serve: Serve) -> None:
    assert httpx.get(serve().address + "/a", timeout=None).text == "GET /a "


@pytest.mark.parametrize(("host", "address"), [("0.0.0.0", "127.0.0.1"), ("localhost", "localhost")])
def test_hosts_that_are_several_addresses(serve: Serve, host: str, address: str) -> None:
    server = serve(host=host)
    assert server.address == f"http://{address}:{server.port}"
    assert urllib3.request("GET", server.address + "/a").data == b"GET /a "


@needs_ipv6
@pytest.mark.parametrize(("host", "reached_by"), [("::1", ["::1"]), ("localhost", ["::1", "127.0.0.1"])])
def test_it_speaks_ipv6(serve: Serve, host: str, reached_by: list[str]) -> None:
    server = serve(host=host)
    for peer in reached_by:
        with socket.create_connection((peer, server.port)) as sock:
            sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert sock.recv(1000).startswith(b"HTTP/1.1 200 OK\r\n")


@needs_ipv6
def test_an_ipv6_address_stands_in_brackets(serve: Serve) -> None:
    server = serve(host="::1")
    assert server.address == f"http://[::1]:{server.port}"
    assert httpx.get(server.address + "/a", timeout=None).text == "GET /a "


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_taken_port_is_an_error(serve: Serve, host: str) -> None:
    taken = serve(host=host).port
    with pytest.raises(OSError, match=r"in use|taken"):
        Server(echo, host, taken)


def test_a_port_is_free_again_at_once(serve: Serve) -> None:
    first = serve()
    with Wire(first).get("/") as wire:
        wire.got()
        first.shutdown()
        assert serve(port=first.port).port == first.port


def test_clients_come_back_after_there_was_no_room(serve: Serve, logged: list[Any]) -> None:
    resource = pytest.importorskip("resource")
    server = serve()
    settle(server)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Wire(server) as first, socket.socket() as client:
        first.get("/").got()
        resource.setrlimit(resource.RLIMIT_NOFILE, (client.fileno() + 1, hard))
        try:
            client.connect(("127.0.0.1", server.port))
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            first.get("/").got()
            assert first.get("/").got().status == 200
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
    assert logged[0][0] == "no more connections can be opened for now"


# How it ends.


def test_start_and_end_are_quick() -> None:
    def start_and_end() -> None:
        server = Server(echo)
        server.start()
        with Wire(server).get("/") as wire:
            wire.got()
            server.shutdown(NEVER_S)
            assert wire.rest() == b""

    until(lambda: seconds(start_and_end) < 2 * NOTHING_IN_FLIGHT_S)


def test_nobody_gets_in_after_the_end(serve: Serve) -> None:
    server = serve()
    server.shutdown()
    with pytest.raises(ConnectionRefusedError):
        Wire(server)


def test_ending_twice_or_before_the_start_does_no_harm() -> None:
    server = Server(echo)
    server.shutdown()
    server.shutdown()
    server.start()
    server.serve_forever()
    with pytest.raises(ConnectionRefusedError):
        Wire(server)


def parked_app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    path = environ["PATH_INFO"]
    if path == "/hang":
        environ[LINE] = LinePlan(fault=LineFault.HANG)
    elif path == "/park":
        ready: Future[Any] = Future()
        environ[PARKED] = Parked(ready, 3600, lambda: pytest.fail("nobody waits"))
    elif path == "/delay":
        environ[LINE] = LinePlan(delay_s=float(environ["QUERY_STRING"]))
    start_response("200 OK", [])
    return [b"done"]


def test_the_end_does_not_wait_for_what_only_waits(serve: Serve) -> None:
    server = serve(parked_app)
    wires = [Wire(server).get(path) for path in ("/hang", "/park")] + [Wire(server, b"GET / HT"), Wire(server)]
    settle(server)
    server.shutdown(NEVER_S)
    for wire in wires:
        with wire:
            assert wire.rest() == b""


def test_a_call_that_is_worked_on_is_answered_before_the_end(serve: Serve) -> None:
    begun, go = threading.Event(), threading.Event()

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        begun.set()
        go.wait()
        return echo(environ, start_response)

    server = serve(app)
    with Wire(server).get("/slow") as wire:
        begun.wait()
        ending = begin_to_end(server)
        go.set()
        got = wire.got()
        assert (got.body, got.fields["connection"]) == (b"GET /slow ", "close")
        assert wire.rest() == b""
        ending.join()
        assert not ending.is_alive()


def test_a_delayed_answer_is_sent_before_the_end(serve: Serve) -> None:
    clock = ManualClock()
    server = serve(parked_app, clock=clock)
    with Wire(server).get("/delay?0.5") as wire:
        settle(server)
        ending = begin_to_end(server)
        clock.advance(500)
        server._loop.wake()
        assert wire.got().body == b"done"
        ending.join()


def begin_to_end(server: Server, grace_s: float = NEVER_S) -> threading.Thread:
    """Shut the server down on a thread of its own; return once it knows."""
    ending = threading.Thread(target=server.shutdown, args=(grace_s,))
    ending.start()
    while not server._service.is_stopping:
        os.sched_yield()
    return ending


@pytest.mark.parametrize("grace_s", [0.0, 0.1, NEVER_S / 2])
def test_the_end_comes_within_its_grace(serve: Serve, grace_s: float) -> None:
    server = serve(parked_app)
    with Wire(server).get("/delay?3600") as wire:
        settle(server)
        server.shutdown(grace_s)
        assert wire.rest() == b""


def test_the_app_can_end_the_server(serve: Serve) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        server.shutdown()
        return echo(environ, start_response)

    server = serve(app)
    with Wire(server).get("/last") as wire:
        assert wire.got().body == b"GET /last "
        assert wire.rest() == b""


SIGNALLED = """
import signal, sys, threading
from mock_server.server import Server
from tests.server.wire import echo

server = Server(echo)
signal.signal(signal.SIGTERM, lambda *_: server.shutdown())
print(server.port, flush=True)
if sys.argv[1] == "main":
    server.serve_forever()
else:
    server.start()
    for thread in threading.enumerate():  # none, where the signal came first
        if thread is not threading.main_thread():
            thread.join()
"""


@pytest.mark.parametrize("thread", ["main", "own"])
def test_a_signal_handler_can_end_the_server(thread: str) -> None:
    command = [sys.executable, "-c", SIGNALLED, thread]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert sock.recv(1000)
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 0
