"""Causes that only a real socket raises: the server refuses before the app sees anything."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from mock_server.domain.errors import Cause as C

BY_BYTES: Final[Mapping[C, bytes]] = {
    C.REQUEST_MALFORMED: b"nonsense\r\n\r\n",
    C.URI_TOO_LONG: b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    C.HEAD_TOO_LARGE: b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
}

BY_LOAD: Final[Mapping[C, bytes]] = {
    C.BUSY: b"GET /_sandbox/workspaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
}
"""What a server answers that has no thread left for a call that may take long."""


def sent(base: str, raw: bytes) -> tuple[int, Any]:
    """Sends bytes to a running server; gives status and JSON of its answer."""
    place = urlsplit(base)
    with socket.create_connection((place.hostname, place.port)) as connection:
        connection.sendall(raw)
        received = b""
        while piece := connection.recv(65_536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)
