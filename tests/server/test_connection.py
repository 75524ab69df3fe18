from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest

from mock_server.server import BodyAllowed, Patience, Server
from mock_server.server.connection import READ_AWAY
from tests.clocks import ManualClock
from tests.server.conftest import Serve
from tests.server.wire import Wire, settle, waiting


def big(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Answer with as many bytes as the query says."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"x" * int(environ["QUERY_STRING"] or 0)]


def send_on(wire: Wire, data: bytes, *, at_most: int = 50_000_000) -> None:
    """Send until the server takes no more."""
    for _ in range(at_most // len(data)):
        wire.send(data)


def test_a_connection_serves_many_requests(serve: Serve) -> None:
    with Wire(serve()) as wire:
        for number in range(3):
            assert wire.get(f"/{number}").got().body == f"GET /{number} ".encode()
        assert wire.post(b"hello").got().body == b"POST / hello"


def test_pipelined_requests_are_answered_in_order(serve: Serve) -> None:
    requests = b"".join(f"GET /{n} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for n in range(200))
    with Wire(serve(), requests) as wire:
        assert [wire.got().body for _ in range(200)] == [f"GET /{n} ".encode() for n in range(200)]


def test_a_slow_call_does_not_let_a_later_one_pass(serve: Serve) -> None:
    go = threading.Event()
    server = serve(waiting(go))
    with Wire(server).get("/slow").get("/fast") as wire:
        settle(server)
        go.set()
        assert [wire.got().body, wire.got().body] == [b"GET /slow ", b"GET /fast "]


def test_a_client_that_closes_its_own_side_gets_all_its_answers(serve: Serve) -> None:
    with Wire(serve()).get("/1").get("/slow").get("/3").close_own_side() as wire:
        assert [wire.got().body for _ in range(3)] == [b"GET /1 ", b"GET /slow ", b"GET /3 "]
        assert wire.rest() == b""


def test_a_client_that_leaves_in_a_request_gets_nothing(serve: Serve) -> None:
    with Wire(serve(), b"GET / HTTP/1.1\r\nHo").close_own_side() as wire:
        assert wire.rest() == b""


@pytest.mark.parametrize(
    ("request_line", "fields", "connection"),
    [
        ("GET / HTTP/1.1", "Connection: close\r\n", "close"),
        ("GET / HTTP/1.0", "", "close"),
        ("GET / HTTP/1.0", "Connection: keep-alive\r\n", "keep-alive"),
        ("GET / HTTP/1.1", "", None),
    ],
)
def test_whether_the_connection_stays(serve: Serve, request_line: str, fields: str, connection: str | None) -> None:
    with Wire(serve(), f"{request_line}\r\nHost: x\r\n{fields}\r\n".encode()) as wire:
        assert wire.got().fields.get("connection") == connection
        if connection == "close":
            assert wire.rest() == b""
        else:
            assert wire.get("/again").got().body == b"GET /again "


def test_a_body_waits_for_the_word(serve: Serve) -> None:
    with Wire(serve()).get("/", "Content-Length: 5", "Expect: 100-continue", method="POST") as wire:
        assert wire.got().status == 100
        assert wire.send(b"hello").got().body == b"POST / hello"
        assert wire.get("/next").got().body == b"GET /next "


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(serve: Serve) -> None:
    with Wire(serve(max_body=4)).get("/", "Content-Length: 5", "Expect: 100-continue", method="POST") as wire:
        assert wire.got().status == 413
        assert wire.rest() == b""


def test_a_body_in_chunks_arrives_whole(serve: Serve) -> None:
    with Wire(serve()).get("/", "Transfer-Encoding: chunked", method="POST") as wire:
        wire.send(b"5\r\nhello\r\n").send(b"1\r\n!\r\n0\r\n\r\n")
        assert wire.got().body == b"POST / hello!"


def test_a_large_body_arrives_whole(serve: Serve) -> None:
    body = bytes(range(256)) * 16_384
    with Wire(serve(max_body=len(body))).post(body) as wire:
        assert wire.got().body == b"POST / " + body


def test_limits_of_bodies_go_by_path(serve: Serve) -> None:
    server = serve(max_body=lambda method, path: BodyAllowed(10 if path == "/small" else 20))
    with Wire(server).post(b"x" * 15, "/large") as wire:
        assert wire.got().status == 200
        assert wire.post(b"x" * 15, "/small").got().status == 413


def test_the_answer_to_an_oversized_body_can_be_read_though_all_of_it_is_sent(serve: Serve) -> None:
    with Wire(serve()).post(b"x" * 20_000_000) as wire:
        got = wire.got()
        assert (got.status, got.fields["connection"]) == (413, "close")
        assert wire.rest() == b""


@pytest.mark.parametrize(
    ("status", "sent"),
    [
        (400, b"NONSENSE\r\n\r\n"),
        (400, b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
        (414, b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"),
        (431, b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 70_000 + b"\r\n\r\n"),
        (431, b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-A: a\r\n" * 200 + b"\r\n"),
        (413, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n"),
        (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ],
)
def test_refusals_are_worded_by_the_app(serve: Serve, status: int, sent: bytes) -> None:
    def refuse(code: int, reason: str, limit: object) -> tuple[int, list[tuple[str, str]], bytes]:
        return code, [("X-Own", "yes")], json.dumps({"code": code, "reason": reason}).encode()

    with Wire(serve(refuse=refuse), sent) as wire:
        got = wire.got()
        assert (got.status, json.loads(got.body)["code"]) == (status, status)
        assert (got.fields["x-own"], got.fields["connection"]) == ("yes", "close")
        assert wire.rest() == b""


def test_what_was_asked_before_a_bad_request_is_answered_first(serve: Serve) -> None:
    with Wire(serve()).get("/slow").send(b"nonsense\r\n\r\n") as wire:
        assert [wire.got().status, wire.got().status] == [200, 400]


def test_a_refusal_that_fails_is_worded_plainly(serve: Serve, logged: list[Any]) -> None:
    def refuse(code: int, reason: str, limit: object) -> Any:
        raise RuntimeError("no words")

    with Wire(serve(refuse=refuse), b"nonsense\r\n\r\n") as wire:
        got = wire.got()
        assert got.status == 400
        assert json.loads(got.body)["error"]["message"]
    assert [str(error) for _, error in logged] == ["no words"]


# Time. The clock stands still until a test moves it.


def timed(serve: Serve, **settings: Any) -> tuple[Server, ManualClock]:
    clock = ManualClock()
    server = serve(clock=clock, patience=Patience(head_s=30, body_s=70, idle_s=75, write_s=20, linger_s=2), **settings)
    return server, clock


def pass_time(server: Server, clock: ManualClock, seconds: float) -> None:
    """Let the server first see all that was sent, then the new time."""
    settle(server)
    clock.advance(int(seconds * 1000))
    settle(server)


@pytest.mark.parametrize(
    "sent",
    [
        b"G",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
    ],
)
def test_half_a_request_is_waited_for_only_so_long(serve: Serve, sent: bytes) -> None:
    server, clock = timed(serve)
    with Wire(server, sent) as wire:
        pass_time(server, clock, 31)
        got = wire.got()
        assert (got.status, got.fields["connection"]) == (408, "close")


def test_a_head_that_drips_in_gains_no_time(serve: Serve) -> None:
    server, clock = timed(serve)
    with Wire(server, b"GET / HTTP/1.1\r\n") as wire:
        pass_time(server, clock, 20)
        wire.send(b"Host: x\r\n")
        pass_time(server, clock, 11)
        assert wire.got().status == 408


def test_a_body_that_goes_on_gains_time(serve: Serve) -> None:
    server, clock = timed(serve)
    with Wire(server).get("/", "Content-Length: 3", method="POST") as wire:
        for piece in (b"a", b"b", b"c"):
            pass_time(server, clock, 20)
            wire.send(piece)
        assert wire.got().body == b"POST / abc"


@pytest.mark.parametrize(
    "framed",
    [("Content-Length: 9", b"x", b"x"), ("Transfer-Encoding: chunked", b"1\r\nx\r\n", b"1\r\nx\r\n")],
)
def test_a_body_that_drips_in_has_a_time_for_all_of_it(serve: Serve, framed: tuple[str, bytes, bytes]) -> None:
    server, clock = timed(serve)
    field, *drops = framed
    with Wire(server).get("/", field, method="POST") as wire:
        for drop in (*drops, *drops):
            wire.send(drop)
            pass_time(server, clock, 20)
        assert wire.got().status == 408


def test_the_next_body_has_its_own_time(serve: Serve) -> None:
    server, clock = timed(serve)
    with Wire(server) as wire:
        for _ in range(3):
            wire.get("/", "Content-Length: 3", method="POST").send(b"a")
            for _ in range(2):
                pass_time(server, clock, 25)
                wire.send(b"b")
            assert wire.got().body == b"POST / abb"


def test_an_idle_connection_is_closed_without_a_word(serve: Serve) -> None:
    server, clock = timed(serve)
    with Wire(server).get("/") as used, Wire(server) as unused:
        used.got()
        pass_time(server, clock, 60)
        assert used.get("/").got().status == 200
        pass_time(server, clock, 20)
        assert unused.rest() == b""
        pass_time(server, clock, 60)
        assert used.rest() == b""


def test_a_client_that_does_not_read_is_given_up(serve: Serve) -> None:
    server, clock = timed(serve, app=big)
    with Wire(server, receive_buffer=4096).get("/?50000000") as wire:
        wire.head()
        pass_time(server, clock, 25)
        with pytest.raises(ConnectionResetError):
            wire.rest()


def test_a_client_that_reads_slowly_gets_everything(serve: Serve) -> None:
    server, clock = timed(serve, app=big)
    with Wire(server, receive_buffer=4096).get("/?10000000") as wire:
        wire.head()
        for _ in range(3):
            pass_time(server, clock, 15)
            wire.take(2_000_000)
        assert len(wire.take(4_000_000)) == 4_000_000
        assert wire.get("/?3").got().body == b"xxx"


def test_a_client_that_sends_on_after_the_last_answer_is_left(serve: Serve) -> None:
    server, clock = timed(serve)
    with Wire(server, b"nonsense\r\n\r\n") as wire:
        assert wire.got().status == 400
        pass_time(server, clock, 3)
        with pytest.raises(ConnectionError):
            send_on(wire, b"x" * 100_000)


def test_a_client_that_sends_on_without_end_is_left(serve: Serve) -> None:
    server, _ = timed(serve)
    with Wire(server, b"nonsense\r\n\r\n") as wire:
        assert wire.got().status == 400
        with pytest.raises(ConnectionError):
            send_on(wire, b"x" * (1 << 20), at_most=2 * READ_AWAY)


# Many.


def test_more_calls_at_once_than_there_may_be_are_turned_away(serve: Serve) -> None:
    begun, go = threading.Semaphore(0), threading.Event()
    server = serve(waiting(go, begun=begun.release), max_working=2)
    with Wire(server).get("/slow") as first, Wire(server).get("/slow") as second, Wire(server) as third:
        for _ in range(2):
            begun.acquire()
        assert third.get("/slow").got().status == 503
        assert third.get("/fast").got().status == 200
        go.set()
        assert [first.got().status, second.got().status] == [200, 200]
        # A thread's place is free a moment after its answer has left.
        assert 200 in (third.get("/slow").got().status for _ in range(1000))


def test_a_client_that_does_not_read_delays_nobody(serve: Serve) -> None:
    server = serve(big)
    with Wire(server, receive_buffer=4096).get("/?50000000"), Wire(server).get("/?3") as other:
        assert other.got().body == b"xxx"


def test_what_is_pipelined_behind_a_call_is_taken_in_only_so_far(serve: Serve) -> None:
    go = threading.Event()
    with Wire(serve(waiting(go, big))).get("/slow") as wire:
        wire.sock.settimeout(0.2)
        with pytest.raises(TimeoutError):
            send_on(wire, b"GET /?1 HTTP/1.1\r\nHost: x\r\n\r\n" * 1000)
        go.set()
        wire.sock.settimeout(None)
        assert wire.got().body == b""
        assert wire.got().body == b"x"


def test_a_reset_client_leaves_nothing_behind(serve: Serve) -> None:
    server = serve(big)
    for request in ("/?50000000", "/slow", "/"):
        with Wire(server).get(request) as wire:
            wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    settle(server)
    settle(server)
    with Wire(server) as wire:
        assert wire.get("/?1").got().body == b"x"
