"""Bytes sent to a server, which may be no request that a client would send."""

from __future__ import annotations

import socket

from tests.wire import Reply


def exchanged(port: int, sent: bytes) -> Reply:
    """What comes back until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(sent)
        received = b"".join(iter(lambda: line.recv(65_536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    return Reply(int(first.split()[1]), body, dict(line.split(": ", 1) for line in lines))
