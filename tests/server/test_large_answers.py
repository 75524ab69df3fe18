"""A large answer is sent as it is: a copy of it, made on the loop, would have everybody wait."""

from __future__ import annotations

import socket
import tracemalloc
from collections.abc import Iterable
from typing import Any, Final

import pytest

from mock_server.server import Server
from mock_server.server.wsgi import GATHERED_BODY as JOINED

SIZES: Final = (0, 1, JOINED, JOINED + 1, 64 * JOINED)
HEAD: Final = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def received(port: int) -> tuple[bytes, int]:
    """The head of an answer, and the length of its body, of which nothing is kept."""
    place, text, size = bytearray(65_536), b"", 0
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(HEAD)
        while got := line.recv_into(place):
            size += got
            text = text if b"\r\n\r\n" in text else text + bytes(place[:got])
    head = text.partition(b"\r\n\r\n")[0]
    return head, size - len(head) - 4


@pytest.mark.parametrize("size", SIZES)
def test_it_is_not_copied(size: int) -> None:
    body = b"x" * size

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [body]

    server = Server(app, "127.0.0.1", 0)
    server.start()
    try:
        received(server.port)
        tracemalloc.start()
        head, came = received(server.port)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        server.shutdown(0)
    assert head.startswith(b"HTTP/1.1 200 ")
    assert f"Content-Length: {size}".encode() in head
    assert came == size
    assert most < 2 * JOINED + 262_144
