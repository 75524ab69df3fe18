from __future__ import annotations

import socket
import threading
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from mock_server.domain.faults import LINE, LineFault, LinePlan
from mock_server.server.wsgi import TAKEN_AHEAD
from tests.server.conftest import Serve
from tests.server.wire import App, Wire, settle

PIECE = b"x" * 10_000


def lazy(pieces: Iterable[bytes], *fields: tuple[str, str], closed: threading.Event | None = None) -> App:
    """Make an app that answers /lazy with these pieces, and tells when its iterable is closed."""

    class Body:
        def __iter__(self) -> Iterator[bytes]:
            return iter(pieces)

        def close(self) -> None:
            if closed is not None:
                closed.set()

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        start_response("200 OK", list(fields))
        return Body() if "lazy" in environ["PATH_INFO"] else [b"plain"]

    return app


@pytest.mark.parametrize("path", ["/lazy", "/slow/lazy"])
def test_a_long_body_comes_in_chunks(serve: Serve, path: str) -> None:
    closed = threading.Event()
    server = serve(lazy((b"%05d" % n for n in range(200_000)), closed=closed))
    with Wire(server).get(path) as wire:
        got = wire.got()
        assert got.fields["transfer-encoding"] == "chunked"
        assert got.body == b"".join(b"%05d" % n for n in range(200_000))
        closed.wait()
        assert wire.get("/").got().body == b"plain"


def test_a_short_body_comes_as_it_may(serve: Serve) -> None:
    with Wire(serve(lazy([b"a", b"", b"b"]))).get("/lazy").get("/lazy") as wire:
        assert [wire.got().body, wire.got().body] == [b"ab", b"ab"]


def test_an_empty_body_gets_its_length(serve: Serve) -> None:
    with Wire(serve(lazy([b""]))).get("/lazy") as wire:
        assert wire.got().fields["content-length"] == "0"


def test_a_body_with_its_length_is_sent_so(serve: Serve) -> None:
    pieces = [PIECE] * 100
    with Wire(serve(lazy(pieces, ("Content-Length", "1000000")))).get("/lazy") as wire:
        got = wire.got()
        assert (got.fields["content-length"], got.body) == ("1000000", b"".join(pieces))
        assert wire.get("/").got().body == b"plain"


def test_a_body_longer_than_its_length_is_cut(serve: Serve) -> None:
    with Wire(serve(lazy([PIECE] * 100, ("Content-Length", "900001")))).get("/lazy") as wire:
        assert len(wire.got().body) == 900_001
        assert wire.get("/").got().body == b"plain"


def test_a_body_shorter_than_its_length_breaks_off(serve: Serve, logged: list[Any]) -> None:
    with Wire(serve(lazy([PIECE] * 99, ("Content-Length", "1000000")))).get("/lazy") as wire:
        wire.head()
        with pytest.raises(ConnectionError):
            wire.rest()
    assert "10000 bytes shorter" in str(logged[0][1])


def test_an_old_client_reads_up_to_the_close(serve: Serve) -> None:
    with Wire(serve(lazy([PIECE] * 100)), b"GET /lazy HTTP/1.0\r\nConnection: keep-alive\r\n\r\n") as wire:
        got = wire.got()
        assert (got.fields["connection"], len(got.body)) == ("close", 1_000_000)
        assert "content-length" not in got.fields
        assert "transfer-encoding" not in got.fields


def test_pieces_leave_as_they_are_made(serve: Serve) -> None:
    go = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"first"
        go.wait()
        yield b"second"

    with Wire(serve(lazy(pieces()))).get("/lazy") as wire:
        wire.head()
        assert wire.take(10) == b"5\r\nfirst\r\n"
        go.set()
        assert wire.take(16) == b"6\r\nsecond\r\n0\r\n\r\n"


def test_an_app_that_speaks_only_when_asked_for_its_body(serve: Serve) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        start_response("203 Non-Authoritative Information", [])
        yield b"late"

    with Wire(serve(app)).get("/") as wire:
        got = wire.got()
        assert (got.status, got.body) == (203, b"late")
        assert wire.get("/", method="HEAD").head().status == 203


def test_a_body_that_fails_before_it_begins_is_an_error(serve: Serve, logged: list[Any]) -> None:
    with Wire(serve(lazy([b"", "text"]))).get("/lazy") as wire:  # type: ignore[list-item]  # wrong on purpose
        assert wire.got().status == 500
        assert wire.get("/").got().body == b"plain"
    assert [type(error) for _, error in logged] == [TypeError]


def test_a_body_that_fails_on_its_way_breaks_off(serve: Serve, logged: list[Any]) -> None:
    seen = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"some"
        seen.wait()
        raise LookupError("no more body")

    with Wire(serve(lazy(pieces()))).get("/lazy") as wire:
        wire.head()
        seen.set()
        with pytest.raises(ConnectionResetError):
            wire.rest()
    assert [str(error) for _, error in logged] == ["no more body"]


@pytest.mark.parametrize("plan", [None, LinePlan(fault=LineFault.TRUNCATED_BODY)])
def test_a_body_that_gets_no_thread_is_an_error(serve: Serve, plan: LinePlan | None, logged: list[Any]) -> None:
    closed = threading.Event()
    inner = lazy([PIECE], closed=closed)

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        if plan is not None:
            environ[LINE] = plan
        return inner(environ, start_response)

    with Wire(serve(app, max_working=0)).get("/lazy") as wire:
        assert wire.got().status == 500
    assert closed.is_set()
    assert "no thread" in str(logged[0][1])


def test_a_client_that_leaves_before_its_body_is_whole_ends_it(serve: Serve) -> None:
    closed, begun, go = threading.Event(), threading.Event(), threading.Event()

    def pieces() -> Iterator[bytes]:
        begun.set()
        go.wait()
        while True:
            yield PIECE

    inner = lazy(pieces(), closed=closed)

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        environ[LINE] = LinePlan(fault=LineFault.TRUNCATED_BODY)
        return inner(environ, start_response)

    with Wire(serve(app)).get("/lazy") as wire:
        begun.wait()
        wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    go.set()
    closed.wait()


def test_a_client_that_leaves_during_the_call_ends_the_body_before_it_begins(serve: Serve) -> None:
    closed, begun, go = threading.Event(), threading.Event(), threading.Event()
    inner = lazy([PIECE], closed=closed)

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        if "lazy" in environ["PATH_INFO"]:
            begun.set()
            go.wait()
        return inner(environ, start_response)

    server = serve(app)
    with Wire(server).get("/slow/lazy") as wire:
        begun.wait()
        wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    settle(server)
    go.set()
    closed.wait()


def test_a_body_that_fails_before_it_is_whole_is_an_error(serve: Serve) -> None:
    inner = lazy([PIECE, "text"])  # type: ignore[list-item]  # wrong on purpose

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        environ[LINE] = LinePlan(fault=LineFault.MALFORMED_JSON)
        return inner(environ, start_response)

    with Wire(serve(app)).get("/lazy") as wire:
        assert wire.got().status == 500


def test_a_close_that_fails_is_logged_only(serve: Serve, logged: list[Any]) -> None:
    class Body:
        def __iter__(self) -> Iterator[bytes]:
            return iter([b"a"])

        def close(self) -> None:
            raise LookupError("already closed")

    def app(environ: dict[str, Any], start_response: Any) -> Body:
        start_response("200 OK", [])
        return Body()

    server = serve(app)
    with Wire(server).get("/") as wire:
        assert wire.got().body == b"a"
    server.shutdown()
    assert [str(error) for _, error in logged] == ["already closed"]


def test_only_so_much_is_made_ahead_of_a_client_that_does_not_read(serve: Serve) -> None:
    made = 0
    closed = threading.Event()

    def pieces() -> Iterator[bytes]:
        nonlocal made
        while True:
            made += 1
            yield PIECE

    server = serve(lazy(pieces(), closed=closed))
    with Wire(server, receive_buffer=4096).get("/lazy") as wire:
        wire.head()
        still = 0
        while still < 20:  # nothing more is made, however often one looks
            before = made
            settle(server)
            still = still + 1 if made == before else 0
            assert made * len(PIECE) < 20 * TAKEN_AHEAD
        wire.take(4_000_000)
        assert made > before
    closed.wait()


def test_no_thread_waits_for_a_client_that_does_not_read(serve: Serve) -> None:
    server = serve(lazy(iter(lambda: PIECE, None)))
    wires = [Wire(server, receive_buffer=4096).get("/lazy") for _ in range(20)]
    for wire in wires:
        wire.head()
    for _ in range(20):
        settle(server)
    pool = server._service.pool
    assert pool._busy == 0
    for wire in wires:
        wire.sock.close()


def test_a_client_that_leaves_ends_the_body(serve: Serve) -> None:
    closed = threading.Event()
    asked = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"first"
        asked.wait()
        yield b"second"
        while True:
            yield PIECE

    with Wire(serve(lazy(pieces(), closed=closed))).get("/lazy") as wire:
        wire.head()
    asked.set()
    closed.wait()


def test_a_body_is_made_in_one_context(serve: Serve) -> None:
    """Flask keeps its request there, and a stream is carried on by any thread of the pool."""
    seen: ContextVar[int] = ContextVar("seen")

    def pieces() -> Iterator[bytes]:
        for _ in range(200):
            seen.set(seen.get() + 1)
            yield PIECE
        yield b"%d" % seen.get()

    def app(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        seen.set(0)
        start_response("200 OK", [])
        return pieces()

    with Wire(serve(app), receive_buffer=4096).get("/", "Connection: close") as wire:
        assert wire.got().body.endswith(b"x200")
