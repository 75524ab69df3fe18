"""A body in chunks (RFC 9112 §7.1) becomes one body."""

from __future__ import annotations

import re
from typing import Final

from mock_server.server.parser import Refused

CHUNK_SIZE: Final = rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?"
TRAILER: Final = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\x00-\x08\x0a-\x1f\x7f]*"
MAX_CHUNK_LINE: Final = 1024


class Chunks:
    """A chunked body that is being put together; extensions and trailers are read and dropped.

    Of a body that nobody reads nothing is kept.
    """

    __slots__ = ("_is_kept", "_limit", "_missing", "_size", "_trailer", "body")

    def __init__(self, limit: int, *, is_kept: bool = True) -> None:
        self._limit = limit
        self._is_kept = is_kept
        self._size = 0
        self.body = bytearray()
        """What has come of it."""
        self._missing = 0  # bytes of the chunk begun that are still to come, with the CRLF behind it
        self._trailer = -1  # bytes of trailer seen, once the last chunk was

    def take(self, buffer: bytearray, max_trailer: int) -> bytes | None:
        """Move what has come from the buffer into the body; return the body when it is whole."""
        while self._trailer < 0:
            if self._missing:
                self._take_data(buffer)
                if self._missing:
                    return None
            line = _take_line(buffer, MAX_CHUNK_LINE)
            if line is None:
                return None
            self._begin(line)
        return bytes(self.body) if self._take_trailer(buffer, max_trailer) else None

    def _begin(self, line: bytes) -> None:
        match = re.fullmatch(CHUNK_SIZE, line)
        if match is None:
            raise Refused(400, "a chunk does not begin with its size")
        size = int(match[1], 16)
        self._size += size
        if self._size > self._limit:
            raise Refused(413, f"the body is larger than {self._limit} bytes")
        if size:
            self._missing = size + 2
        else:
            self._trailer = 0

    def _take_data(self, buffer: bytearray) -> None:
        content = min(len(buffer), self._missing - 2)
        if content > 0:
            if self._is_kept:
                self.body += buffer[:content]
            del buffer[:content]
            self._missing -= content
        if self._missing == 2 and len(buffer) >= 2:
            if not buffer.startswith(b"\r\n"):
                raise Refused(400, "a chunk is longer than its size")
            del buffer[:2]
            self._missing = 0

    def _take_trailer(self, buffer: bytearray, limit: int) -> bool:
        while (line := _take_line(buffer, limit - self._trailer)) is not None:
            if not line:
                return True
            if not re.fullmatch(TRAILER, line):
                raise Refused(400, "a field behind the last chunk is malformed")
            self._trailer += len(line) + 2
        return False


def _take_line(buffer: bytearray, limit: int) -> bytes | None:
    end = buffer.find(b"\r\n", 0, limit + 2)
    if end < 0:
        if len(buffer) > limit or b"\n" in buffer:
            raise Refused(400, "a line between the chunks is too long, or ends in a bare LF")
        return None
    line = bytes(buffer[:end])
    del buffer[: end + 2]
    return line
