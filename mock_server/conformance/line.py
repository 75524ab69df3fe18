"""HTTP/1.1 on one connection that is used again."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

from mock_server.conformance.answer import Answer, Broken, Phrase, Sent

LARGE: Final = 100_000
_GONE: Final = (ConnectionError, HTTPException)


class Line:
    """Calls to one server, one after another; `base` may hold a path that all calls begin with."""

    def __init__(self, base: str, timeout_s: float) -> None:
        parts = urlsplit(base)
        made = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.base = base.rstrip("/")
        self.timeout_s = timeout_s
        self._prefix = parts.path.rstrip("/")
        self._connection = made(parts.hostname or "", parts.port, timeout=timeout_s)

    def call(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        """One call. Broken where no whole answer comes."""
        sent = Sent(method, self.base + path, tuple(headers.items()), body)
        was_open = self._connection.sock is not None
        try:
            try:
                return self._once(sent, path, headers)
            except _GONE:
                if not was_open:
                    raise
            self.close()  # the server may close what is idle: once more, on a new connection
            return self._once(sent, path, headers)
        except (OSError, HTTPException) as problem:
            self.close()
            said = Phrase(f"{type(problem).__name__}: {problem}")
            raise Broken("the answer", Phrase("to come whole"), said, sent) from problem

    def _once(self, sent: Sent, path: str, headers: dict[str, str]) -> Answer:
        body = sent.body or (b"" if sent.method in ("POST", "PUT", "PATCH") else None)
        try:
            self._connection.request(sent.method, self._prefix + path, body, headers)
        except (BrokenPipeError, ConnectionResetError):
            if len(sent.body) < LARGE:
                raise
            # A server may refuse what is too large before it has read it, and its answer may be there all the same.
        got = self._connection.getresponse()
        return Answer(sent, got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())

    def close(self) -> None:
        self._connection.close()
