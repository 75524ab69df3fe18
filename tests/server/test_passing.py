"""A call that another replica answers: byte for byte what that one sends, also where it breaks the line."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, Final

import pytest

from mock_server.clock import SystemClock
from mock_server.domain.faults import CONNECTION, LINE, PARKED, LineFault, LinePlan, Parked, PassOn
from mock_server.keyed import Keyed
from mock_server.server import Server
from mock_server.server.connection import Connection
from mock_server.server.passing import AT_ONCE, CONNECT_S, MOST
from mock_server.server.service import ConnectionState
from tests.clocks import ManualClock
from tests.server.conftest import Serve
from tests.server.planned import BODY, Answer, assert_nothing_comes, until_held
from tests.server.wire import App, Wire, echo, settle

Pair = tuple[Server, Server]
"""Who owns all that is asked for, and who passes it on."""
FAULTS: Final = {f"/{fault}": fault for fault in LineFault if fault is not LineFault.HANG}
LARGE: Final = b"x" * 3_000_000


def owner(environ: dict[str, Any], start_response: Any) -> Any:
    """Answers in every way there is."""
    path, body = environ["PATH_INFO"], environ["wsgi.input"].read()
    if path in FAULTS:
        environ[LINE] = LinePlan(fault=FAULTS[path], pieces=4, pause_s=0)
    if path == "/nothing":
        start_response("204 No Content", [])
        return []
    start_response("200 OK", [("Content-Type", "application/json"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
    if path == "/lazy":
        return iter([LARGE])
    told = {key: str(value) for key, value in environ.items() if key.startswith(("HTTP_", "CONTENT_", "RAW_", "QUERY"))}
    told |= {key: str(environ[key]) for key in ("REQUEST_METHOD", "PATH_INFO", "wsgi.url_scheme", CONNECTION)}
    return [LARGE if path == "/large" else BODY if path in FAULTS else repr((sorted(told.items()), body)).encode()]


def passing(url: str) -> App:
    """What a replica does that owns nothing; what calls say of itself alone it answers."""

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        environ["wsgi.input"].read()
        if environ["PATH_INFO"] == "/":
            return echo(environ, start_response)
        raise PassOn(url)

    return app


@pytest.fixture
def pair(serve: Serve) -> Pair:
    clock = ManualClock()
    answers = serve(owner, clock=clock)
    return answers, serve(passing(answers.address), clock=clock)


def everything(server: Server, sent: bytes) -> tuple[bytes, str]:
    """All that comes back, and how the connection ends."""
    with Wire(server, sent) as wire:
        came = b""
        try:
            while data := wire.sock.recv(65_536):
                came += data
        except ConnectionResetError:
            return came, "reset"
        return came, "closed"


def request(path: str, *fields: str, method: str = "GET", body: bytes = b"", version: str = "1.1") -> bytes:
    lines = [f"{method} {path} HTTP/{version}", "Host: shop.example", *fields]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


LAST: Final = "Connection: close"
SENT: Final = {
    "a query": request("/a%20b/c?d=%C3%BC&e", LAST, "api-key: snd_x", "X-Twice: 1", "x-twice: 2", "Cookie: a=\xfc"),
    "a body": request("/", LAST, "Content-Type: text/x", "Content-Length: 4", method="POST", body=b"body").replace(
        b"POST /", b"POST /is/read"
    ),
    "chunks": request(
        "/chunks",
        LAST,
        "Transfer-Encoding: chunked",
        method="POST",
        body=b"3;x=y\r\none\r\n3\r\ntwo\r\n0\r\nT: 1\r\n\r\n",
    ),
    "a large body": request("/to", LAST, f"Content-Length: {10**6}", method="PUT", body=b"y" * 10**6),
    "a large answer": request("/large", LAST),
    "a lazy answer": request("/lazy", LAST),
    "a lazy answer of old": request("/lazy", version="1.0"),
    "no body": request("/nothing", LAST),
    "only the head": request("/large", LAST, method="HEAD"),
    "only the head of chunks": request("/lazy", LAST, method="HEAD"),
    "an old client": request("/old", version="1.0"),
    "an old client that stays": request("/old", "Connection: keep-alive", version="1.0")
    + request("/old", version="1.0"),
    "a target with a host": request("http://other.example/a?b", LAST),
    "several ahead": b"".join(request(f"/{number}") for number in range(20))
    + request("/lazy")
    + request("/nothing")
    + request("/large", method="HEAD")
    + request("/last", LAST),
    "nonsense behind": request("/one") + b"nonsense\r\n\r\n",
    **{str(fault): request(path, LAST) for path, fault in FAULTS.items()},
    "a fault behind others": request("/one") + request("/two") + request("/truncated_body"),
    "a reset behind others": request("/one") + request("/connection_reset"),
}


@pytest.mark.parametrize("sent", [pytest.param(sent, id=name) for name, sent in SENT.items()])
def test_what_comes_back_is_byte_for_byte_the_owners(pair: Pair, sent: bytes) -> None:
    direct, passed = (everything(server, sent) for server in pair)
    assert passed[1] == direct[1]
    assert numbered(passed[0]) == numbered(direct[0])
    assert direct[0] or b"empty" in sent or b"reset" in sent


def numbered(came: bytes) -> bytes:
    """Without the number of the connection, which is another one in each comparison."""
    head, mark, rest = came.partition(f"('{CONNECTION}', '".encode())
    return head + mark + numbered(rest.lstrip(b"0123456789")) if mark else head


def test_a_hang_lasts_until_the_owner_ends(pair: Pair, serve: Serve) -> None:
    def hangs(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        environ[LINE] = LinePlan(fault=LineFault.HANG)
        start_response("200 OK", [])
        return [b"never"]

    answers = serve(hangs)
    with Wire(serve(passing(answers.address))).get("/hang") as wire:
        until_held(answers)
        assert_nothing_comes(pair[1], wire)
        answers.shutdown()
        assert wire.rest() == b""


def test_the_client_is_told_to_go_on_with_its_body(pair: Pair) -> None:
    with Wire(pair[1], request("/later", "Content-Length: 4", "Expect: 100-continue", method="POST")) as wire:
        assert wire.head().status == 100
        assert wire.send(b"body").got().body.endswith(b"b'body')")


def test_an_owner_sees_each_client_by_a_connection_of_its_own(pair: Pair) -> None:
    def number(wire: Wire) -> bytes:
        return wire.get("/number").got().body.partition(f"('{CONNECTION}', '".encode())[2].partition(b"'")[0]

    with Wire(pair[1]) as one, Wire(pair[1]) as other:
        first = number(one)
        assert number(other) != first
        assert number(one) == first


def test_an_owner_that_came_back_is_asked_over_a_new_connection(serve: Serve) -> None:
    answers = serve(owner)
    where = {"url": answers.address}

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        raise PassOn(where["url"])

    passes = serve(app)
    with Wire(passes) as wire:
        assert wire.get("/one").got().status == 200
        answers.shutdown()
        where["url"] = serve(owner).address
        assert wire.get("/two").got().status == 200


def about_client(environ: dict[str, Any], start_response: Any) -> Any:
    """Answers with what it takes the client for."""
    start_response("200 OK", [])
    return [f"{environ['wsgi.url_scheme']} {environ['REMOTE_ADDR']}".encode()]


@pytest.mark.parametrize("secrets", [(b"a", b"a"), (b"a", b"b"), (None, None)], ids=["one", "two", "none"])
def test_what_a_replica_says_of_the_client_is_believed_with_the_common_secret(
    serve: Serve, secrets: tuple[bytes | None, bytes | None]
) -> None:
    owns = serve(about_client, secret=secrets[0])
    passes = Server(passing(owns.address), "127.0.0.9", secret=secrets[1]).start()
    try:
        with socket.create_connection(("127.0.0.9", passes.port), source_address=("127.0.0.7", 0)) as client:
            client.sendall(request("/a?b", LAST))
            came = b"".join(iter(lambda: client.recv(65_536), b""))
    finally:
        passes.shutdown()
    # Its own connection to the owner comes from another address of this machine.
    assert came.endswith(b"http 127.0.0.7" if secrets == (b"a", b"a") else b"http 127.0.0.1")


def test_nobody_else_can_say_it(serve: Serve) -> None:
    digest = Keyed(b"guessed").digest(b"https 10.0.0.1\nGET\n/a").hex()
    marks = ["https", "https 10.0.0.1", f"https 10.0.0.1 {digest}", "https 10.0.0.1 \xe9", "", " ", "a b c d"]
    server = serve(about_client, secret=b"a")
    for mark in marks:
        with Wire(server, request("/a", LAST, f"X-Sandbox-Passed-On: {mark}")) as wire:
            assert wire.got().body == b"http 127.0.0.1"


@pytest.mark.parametrize("path", ["/one", "/slow/one"])
def test_a_call_is_passed_on_once_at_most(serve: Serve, path: str) -> None:
    counted: list[str] = []
    again = serve(passing("http://127.0.0.1:1"), count_passed=counted.append)
    with Wire(serve(passing(again.address), count_passed=counted.append)) as wire:
        got = wire.get(path).got()
        assert got.status == 503
        assert b"this call was passed on once already" in got.body
        assert wire.get("/").got().status == 200
    assert counted == ["sent", "returned"]


class Hasty(ManualClock):
    """A clock that goes ten times as fast, so that an owner that is not there is asked again for a tenth as long."""

    def monotonic(self) -> float:
        return 10 * SystemClock().monotonic()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://does-not-exist.invalid:80", "http://[::1]:1"])
def test_an_owner_that_cannot_be_reached_is_told(serve: Serve, url: str) -> None:
    counted: list[str] = []
    with Wire(serve(passing(url), clock=Hasty(), count_passed=counted.append)) as wire:
        for _ in range(2):
            got = wire.post(b"body", "/pay").got()
            assert got.status == 503
            assert b"it cannot be reached" in got.body
        assert wire.get("/").got().status == 200
    assert counted == ["unreachable", "unreachable"]


def test_an_owner_that_lets_nobody_in_is_not_waited_for(serve: Serve) -> None:
    clock = ManualClock()
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for one in (first, second):  # the queue of a socket that accepts nobody is full with these
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        passes = serve(passing(f"http://127.0.0.1:{full.getsockname()[1]}"), clock=clock)
        with Wire(passes).get("/pay") as wire:
            assert_nothing_comes(passes, wire)
            clock.advance(int(CONNECT_S * 1000))
            settle(passes)
            assert wire.got().status == 503


def test_an_owner_is_found_by_its_name(serve: Serve) -> None:
    answers = serve(owner, host="localhost")
    with Wire(serve(passing(f"http://localhost:{answers.port}"))) as wire:
        assert wire.get("/name").got().status == 200


def parks(left: list[bool], ready: list[Future[Any]]) -> App:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/":
            return echo(environ, start_response)
        future: Future[Any] = Future()
        future.add_done_callback(lambda done: left.append(done.cancelled()))
        ready.append(future)
        environ[PARKED] = Parked(future, 1_000, Answer)
        start_response("200 OK", [])
        return []

    return app


@pytest.mark.parametrize("leave", [Wire.close_own_side, lambda wire: wire.sock.close()], ids=["its own side", "all"])
def test_an_owner_learns_that_the_client_has_left(serve: Serve, leave: Callable[[Wire], object]) -> None:
    left: list[bool] = []
    answers = serve(parks(left, []))
    passes = serve(passing(answers.address))
    with Wire(passes).get("/wait") as wire:
        until_held(answers)
        leave(wire)
        while not left:
            os.sched_yield()
    assert left == [True]
    while passes._service.elsewhere:
        os.sched_yield()


def test_a_client_that_sends_no_more_gets_its_answer(pair: Pair) -> None:
    direct, passed = [Wire(server, request("/half")).close_own_side() for server in pair]
    with direct, passed:
        assert numbered(passed.rest()) == numbered(direct.rest()) != b""


def test_those_who_wait_hold_no_thread(serve: Serve) -> None:
    ready: list[Future[Any]] = []
    answers = serve(parks([], ready))
    passes = serve(passing(answers.address))
    wires: list[Wire] = []
    while len(wires) < 200:  # a few at a time: to reach the other one has a limit, which many at once exceed
        wires += [Wire(passes).get("/wait") for _ in range(10)]
        until_held(answers, len(wires))
    assert passes._service.pool._threads == answers._service.pool._threads == 1, "the first of each"
    assert passes._service.elsewhere == len(wires)
    for future in ready:
        future.set_result(Answer())
    assert {wire.got().body for wire in wires} == {b"late"}
    for wire in wires:
        wire.sock.close()
    settle(passes)
    assert passes._service.elsewhere == 0


def test_there_is_a_bound_on_calls_that_are_elsewhere(pair: Pair) -> None:
    passes = pair[1]
    passes._service.elsewhere = MOST
    with Wire(passes).get("/one") as wire:
        got = wire.got()
        assert (got.status, b"too many calls" in got.body) == (503, True)
        passes._service.elsewhere = 0
        assert wire.get("/one").got().status == 200


def test_no_more_is_taken_from_the_owner_than_the_client_takes(serve: Serve) -> None:
    made = 0

    def endless(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        nonlocal made
        start_response("200 OK", [])
        for _ in range(4_000):
            made += 1
            yield b"z" * AT_ONCE

    answers = serve(endless)
    passes = serve(passing(answers.address))
    with Wire(passes, receive_buffer=4_096).get("/endless") as wire:
        while not all(any(is_writing(guest) for guest in tuple(one._service.connections)) for one in (answers, passes)):
            os.sched_yield()
        settle(passes)
        assert made < 1_000
        assert wire.head().status == 200


def is_writing(guest: object) -> bool:
    return isinstance(guest, Connection) and guest._state is ConnectionState.WRITING


def test_the_server_ends_with_calls_elsewhere(serve: Serve) -> None:
    answers = serve(parks([], []))
    passes = serve(passing(answers.address))
    with Wire(passes).get("/wait") as wire:
        until_held(answers)
        passes.shutdown(grace_s=0)
        assert wire.rest() == b""


def test_what_cannot_be_read_of_an_answer_comes_all_the_same(serve: Serve) -> None:
    for nonsense in (b"no HTTP at all", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\nat all"):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            passes = serve(passing(f"http://127.0.0.1:{listener.getsockname()[1]}"))
            with Wire(passes).get("/one") as wire, listener.accept()[0] as strange:
                strange.recv(65_536)
                strange.sendall(nonsense)
                strange.shutdown(socket.SHUT_WR)
                assert wire.rest() == nonsense


def test_an_answer_may_come_in_the_smallest_pieces(serve: Serve) -> None:
    whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        passes = serve(passing(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        with Wire(passes).get("/one") as wire, listener.accept()[0] as slow:
            slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(len(whole)):
                slow.sendall(whole[at : at + 1])
                settle(passes)
            assert wire.got().body == b"one"
            assert wire.get("/").got().status == 200
