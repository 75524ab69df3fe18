"""One connection's bytes become its requests, in order."""

from __future__ import annotations

from typing import Any, NamedTuple

from mock_server.server.chunks import Chunks
from mock_server.server.parser import TOKEN, Head, Limits, Refused, parse_head


class Request(NamedTuple):
    """A whole request."""

    environ: dict[str, Any]
    body: bytes
    keep_alive: bool


class Reader:
    """Takes bytes as they come, gives whole requests, and keeps the rest."""

    __slots__ = ("_asks_continue", "_buffer", "_chunks", "_head", "_limits", "_searched")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self._searched = 0
        self._asks_continue = False
        self._head: Head | None = None
        self._chunks: Chunks | None = None

    def __len__(self) -> int:
        """Return how many bytes wait to be read."""
        return len(self._buffer)

    @property
    def in_body(self) -> bool:
        """Whether the head of a request is there and its body is not."""
        return self._head is not None

    def feed(self, data: bytes) -> None:
        """Take what came from the client."""
        self._buffer += data

    def next(self) -> Request | None:
        """Return the next whole request, None when more bytes are needed; raise Refused."""
        head = self._head or self._take_head()
        if head is None:
            return None
        body = self._take_body(head)
        if body is None:
            return None
        self._head = self._chunks = None
        return Request(head.environ, body, head.keep_alive)

    def is_to_continue(self) -> bool:
        """Whether the client holds its body back until it is told to go on; true once a request."""
        asks, self._asks_continue = self._asks_continue, False
        return asks and not self._buffer

    def _take_head(self) -> Head | None:
        buffer = self._buffer
        while buffer.startswith(b"\r\n"):  # RFC 9112 §2.2: an empty line before a request is passed over
            del buffer[:2]
        end = buffer.find(b"\r\n\r\n", self._searched, self._limits.max_head + 4)
        if end < 0:
            self._look_at_part()
            return None
        self._searched = 0
        head = parse_head(bytes(buffer[:end]), self._limits)
        del buffer[: end + 4]
        self._check_length(head)
        self._head = head
        self._asks_continue = head.expects_continue
        return head

    def _look_at_part(self) -> None:
        """Refuse early what cannot become a head any more."""
        buffer, limits = self._buffer, self._limits
        line_end = buffer.find(b"\n")
        if (line_end if line_end >= 0 else len(buffer)) > limits.max_line + 1:
            raise Refused(414, f"the request line is longer than {limits.max_line} bytes")
        if len(buffer) > limits.max_head:
            raise Refused(431, f"the head is larger than {limits.max_head} bytes")
        if line_end == 0 or (line_end > 0 and buffer[line_end - 1] != 0x0D) or b"\n\n" in buffer:
            raise Refused(400, "a line of the head ends in a bare LF")
        if buffer and buffer[0] != 0x0D and not TOKEN.match(chr(buffer[0])):
            raise Refused(400, "this is not HTTP")
        self._searched = max(0, len(buffer) - 3)

    def _check_length(self, head: Head) -> None:
        if head.length or head.chunked:
            limit = self._limits.max_body(head.environ["PATH_INFO"])
            if head.length > limit:
                raise Refused(413, f"the body is larger than {limit} bytes")
            if head.chunked:
                self._chunks = Chunks(limit)

    def _take_body(self, head: Head) -> bytes | None:
        if self._chunks is not None:
            body = self._chunks.take(self._buffer, self._limits.max_head)
            if body is not None:
                head.environ["CONTENT_LENGTH"] = str(len(body))
            return body
        if not head.length:
            return b""
        if len(self._buffer) < head.length:
            return None
        body = bytes(self._buffer[: head.length])
        del self._buffer[: head.length]
        return body
