"""Causes that only a real socket raises: the server refuses before the app sees anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
