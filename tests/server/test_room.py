"""What all connections together may keep of requests that come and are worked on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack

from mock_server.server import Server
from mock_server.server.connection import Connection
from tests.server.conftest import Serve
from tests.server.test_connection import big
from tests.server.wire import Wire, settle, waiting

ROOM = 1_020_000
"""For an echo of a million bytes, too: the system may not take a long answer at once."""
HALF = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


def half(path: str, kept: int, *, length: int = 1_000_000) -> bytes:
    """A request of which so many bytes of the body are there."""
    return HALF % (path.encode(), length) + b"x" * kept


def test_the_largest_body_goes_when_all_together_are_too_large(serve: Serve) -> None:
    server = serve(max_room=ROOM)
    with Wire(server, half("/", 500_000)) as large, Wire(server, half("/", 400_000)) as middle, Wire(server) as small:
        settle(server)
        small.get("/", "Content-Length: 200000", method="POST").send(b"x" * 150_000)
        got = large.got()
        assert (got.status, got.fields["connection"]) == (503, "close")
        assert large.rest() == b""
        assert small.send(b"x" * 50_000).got().status == 200
        middle.send(b"x" * 600_000)
        assert middle.got().status == 200


def test_room_is_given_back(serve: Serve) -> None:
    server = serve(max_room=ROOM)
    room = server._service.room
    ends: list[Callable[[Wire], object]] = [
        lambda wire: None,
        lambda wire: wire.close_own_side().rest(),
        lambda wire: wire.send(b"x" * 500_000).got(),
        lambda wire: wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"),
    ]
    for end in ends:
        with Wire(server, half("/", 500_000)) as wire:
            until(server, lambda: room.taken >= 500_000)
            end(wire)
        until(server, lambda: room.taken == 0)


def test_a_body_takes_its_room_until_it_is_answered(serve: Serve) -> None:
    go = threading.Event()
    server = serve(waiting(go), max_room=1_000_000)
    with Wire(server).post(b"x" * 700_000, "/slow") as first, Wire(server) as second:
        until(server, lambda: server._service.room.taken >= 600_000)
        settle(server)
        second.get("/", "Content-Length: 700000", method="POST").send(b"x" * 600_000)
        assert second.got().status == 503
        go.set()
        assert first.got().status == 200
        until(server, lambda: server._service.room.taken == 0)


def test_a_closed_connection_keeps_nothing(serve: Serve) -> None:
    server = serve()
    with Wire(server, half("/", 500_000)):
        until(server, lambda: server._service.room.taken >= 500_000)
        connection = max(server._service.room._kept, key=server._service.room._kept.__getitem__)
    assert isinstance(connection, Connection)
    until(server, lambda: connection.is_closed)
    assert connection._reader.size == 0


def until(server: Server, is_so: Callable[[], bool]) -> None:
    """Return once it is so; the server is seen to go on meanwhile."""
    while not is_so():
        settle(server)


def test_answers_that_nobody_reads_take_their_room(serve: Serve) -> None:
    server = serve(big, max_room=16_000_000)
    room = server._service.room
    with ExitStack() as stack:
        slow = [stack.enter_context(Wire(server, receive_buffer=4096).get("/?6000000")) for _ in range(8)]
        settle(server)  # three and more are over the limit, though the system holds a part of each
        until(server, lambda: len(room._kept) == 2)
        assert room.taken <= room.most
        with Wire(server).get("/?3") as other:
            assert other.got().body == b"xxx"
        whole = [wire for wire in slow if is_whole(wire, 6_000_000)]
        assert 0 < len(whole) <= 2
        until(server, lambda: room.taken == 0)


def is_whole(wire: Wire, size: int) -> bool:
    """Whether the client gets all of its answer."""
    try:
        return len(wire.got().body) == size
    except (ConnectionError, EOFError):
        return False
