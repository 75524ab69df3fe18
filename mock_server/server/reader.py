"""Parses the bytes of a connection into requests, in order; joins chunked bodies (RFC 9112 §7.1).

Also finds the end of answers that are passed on.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Final

from mock_server.server.answer import never_has_body
from mock_server.server.parser import TOKEN, Limits, Request, RequestRefused, parse_head

CHUNK_SIZE: Final = rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?"
TRAILER: Final = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\x00-\x08\x0a-\x1f\x7f]*"
MAX_CHUNK_LINE: Final = 1024
MAX_TRAILER: Final = 8_192
FREE_CHUNKS: Final = 2_048
LEAST_CHUNK: Final = 16
"""How many bytes a body's chunks have on average, after the first ones: smaller ones cost the loop more than they
bring (ours)."""
MAX_ANSWER_HEAD: Final = 65_536
NO_END: Final = 1 << 62
"""The size of a body that ends with its connection."""


class RequestReader:
    """Receives bytes, returns whole requests, and keeps the rest."""

    __slots__ = ("_asks_continue", "_chunks", "_is_kept", "_limits", "_missing", "_searched", "buffer", "request")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.buffer = bytearray()
        """Received bytes that are not parsed yet; whoever receives more adds them."""
        self._searched = 0
        self._asks_continue = False
        self.request: Request | None = None  # whose head is complete and whose body is not
        self._chunks: Chunks | None = None
        self._is_kept = True
        self._missing = 0  # bytes that are missing of a body that no route reads

    @property
    def size(self) -> int:
        """The number of stored bytes of incomplete requests."""
        return len(self.buffer) + (len(self._chunks.body) if self._chunks is not None else 0)

    def next(self) -> Request | None:
        """Return the next request with its whole body as `wsgi.input`, or None; raise RequestRefused."""
        request = self.request or self._take_head()
        if request is None:
            return None
        body = self._take_body(request)
        if body is None:
            return None
        request.environ["wsgi.input"] = BytesIO(body)
        self.request = self._chunks = None
        return request

    def clear(self) -> None:
        """Discard everything: no more requests will be read."""
        self.buffer = bytearray()
        self.request = self._chunks = None

    def is_to_continue(self) -> bool:
        """Whether the client waits for 100 Continue before it sends its body; true once per request."""
        asks, self._asks_continue = self._asks_continue, False
        return asks and not self.buffer

    def _take_head(self) -> Request | None:
        buffer = self.buffer
        while buffer.startswith(b"\r\n"):  # RFC 9112 §2.2: an empty line before a request is passed over
            del buffer[:2]
        end = buffer.find(b"\r\n\r\n", self._searched, self._limits.max_head + 4)
        if end < 0:
            self._look_at_part()
            return None
        self._searched = 0
        request = parse_head(buffer[:end], self._limits)
        self._check_length(request)
        del buffer[: end + 4]
        self.request = request
        self._asks_continue = request.expects_continue
        return request

    def _look_at_part(self) -> None:
        """Refuse early what can no longer become a valid head."""
        buffer, limits = self.buffer, self._limits
        line_end = buffer.find(b"\n")
        if (line_end if line_end >= 0 else len(buffer)) > limits.max_line + 1:
            raise RequestRefused(414, f"the request line is longer than {limits.max_line} bytes", limits.max_line)
        if len(buffer) > limits.max_head:
            most = f"{limits.max_head} bytes"
            raise RequestRefused(431, f"the head is larger than {most}", most)
        if line_end == 0 or (line_end > 0 and buffer[line_end - 1] != 0x0D) or b"\n\n" in buffer:
            raise RequestRefused(400, "a line of the head ends in a bare LF")
        if buffer and buffer[0] != 0x0D and chr(buffer[0]) not in TOKEN:
            raise RequestRefused(400, "this is not HTTP")
        self._searched = max(0, len(buffer) - 3)

    def _check_length(self, request: Request) -> None:
        self._is_kept = True
        if request.length <= self._limits.short and not request.chunked:
            return
        environ = request.environ
        most, self._is_kept = self._limits.body(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if request.length > most:
            raise RequestRefused(413, f"the body is larger than {most} bytes", most)
        self._missing = request.length
        if request.chunked:
            self._chunks = Chunks(most, is_kept=self._is_kept)

    def _take_body(self, request: Request) -> bytes | None:
        if self._chunks is not None:
            body = self._chunks.take(self.buffer, min(MAX_TRAILER, self._limits.max_head))
            if body is not None:
                request.environ["CONTENT_LENGTH"] = str(len(body))
            return body
        if not request.length:
            return b""
        if not self._is_kept:
            come = min(len(self.buffer), self._missing)  # they are discarded
            del self.buffer[:come]
            self._missing -= come
            return None if self._missing else b""
        if len(self.buffer) < request.length:
            return None
        with memoryview(self.buffer) as received:
            body = bytes(received[: request.length])
        del self.buffer[: request.length]
        return body


class Chunks:
    """A chunked body that is being joined, without extensions and trailers. One that no route reads is not stored."""

    __slots__ = ("_count", "_is_kept", "_limit", "_missing", "_size", "_trailer", "body")

    def __init__(self, limit: int, *, is_kept: bool = True) -> None:
        self._limit = limit
        self._is_kept = is_kept
        self._size = self._count = 0
        self.body = bytearray()
        self._missing = 0  # bytes of the chunk begun that are still to come, with the CRLF behind it
        self._trailer = -1  # bytes of trailer seen, once the last chunk was

    def take(self, buffer: bytearray, max_trailer: int) -> bytes | None:
        """Move bytes from the buffer into the body; return the body when it is complete."""
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
            raise RequestRefused(400, "a chunk does not begin with its size")
        size = int(match[1], 16)
        self._size += size
        self._count += 1
        if self._size > self._limit:
            raise RequestRefused(413, f"the body is larger than {self._limit} bytes", self._limit)
        if self._count > FREE_CHUNKS + self._size // LEAST_CHUNK:
            raise RequestRefused(400, "the body comes in too many chunks for its size")
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
                raise RequestRefused(400, "a chunk is longer than its size")
            del buffer[:2]
            self._missing = 0

    def _take_trailer(self, buffer: bytearray, limit: int) -> bool:
        while (line := _take_line(buffer, limit - self._trailer)) is not None:
            if not line:
                return True
            if not re.fullmatch(TRAILER, line):
                raise RequestRefused(400, "a trailer field is malformed")
            self._trailer += len(line) + 2
        return False


class AnswerBytes:
    """Tracks how much of an answer has arrived; an answer that cannot be parsed ends with the connection."""

    def __init__(self, *, is_head: bool) -> None:
        self._is_head = is_head
        self._is_in_head = True
        self._seen = bytearray()
        self._chunks: Chunks | None = None
        self._left = NO_END
        self.is_whole = False
        self.keeps_alive = False
        """Whether the owner keeps the connection open; known once the head has arrived."""

    def take(self, data: bytes) -> int:
        """Inspect new bytes; return how many of them belong to the answer."""
        before = 0
        if self._is_in_head:
            seen = self._seen + data
            end = seen.find(b"\r\n\r\n", max(0, len(self._seen) - 3))
            if end < 0:
                self._seen = seen if len(seen) < MAX_ANSWER_HEAD else seen[-3:]
                return len(data)
            before = end + 4 - len(self._seen)
            self._seen = bytearray()
            self._is_in_head = False
            self._read(bytes(seen[: end + 2]))
        return before + self._take_body(data[before:])

    def _read(self, head: bytes) -> None:
        status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
        length = re.search(rb"(?i)\r\ncontent-length: *(\d{1,15})\r\n", head)
        if status is None:
            return
        self.keeps_alive = not re.search(rb"(?i)\r\nconnection: *close\r\n", head)
        if self._is_head or never_has_body(status[1].decode()):
            self._left = 0
        elif length is not None:
            self._left = int(length[1])
        elif re.search(rb"(?i)\r\ntransfer-encoding: *chunked\r\n", head):
            self._chunks = Chunks(NO_END, is_kept=False)

    def _take_body(self, data: bytes) -> int:
        if self._chunks is None:
            mine = min(len(data), self._left)
            self._left -= mine
            self.is_whole = not self._left
            return mine
        self._seen += data
        try:
            self.is_whole = self._chunks.take(self._seen, MAX_TRAILER) is not None
        except RequestRefused:
            self._chunks = None
        return len(data) - len(self._seen) if self.is_whole else len(data)


def _take_line(buffer: bytearray, limit: int) -> bytes | None:
    end = buffer.find(b"\r\n", 0, limit + 2)
    if end < 0:
        if len(buffer) > limit or b"\n" in buffer:
            raise RequestRefused(400, "a line between the chunks is too long, or ends in a bare LF")
        return None
    line = bytes(buffer[:end])
    del buffer[: end + 2]
    return line
