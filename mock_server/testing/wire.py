"""HTTP as a test needs it: one call, its whole answer, and an honest error where none came."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

TIMEOUT_S: Final = 60.0
"""How long an answer may take, in real time (ours): an advance may wait for many deliveries."""
_GONE: Final = (ConnectionError, HTTPException)


class SandboxUnreachable(ConnectionError):
    """Nobody answers where the sandbox should be."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; `headers` have small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def status_code(self) -> int:
        """The status, by the name that requests and httpx give it."""
        return self.status

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)

    def __getitem__(self, name: str) -> Any:
        return self.json()[name]

    @property
    def error(self) -> dict[str, Any]:
        """What stands inside the error envelope; empty where the answer is no error."""
        found = self.json()
        inside = found.get("error") if isinstance(found, dict) else None
        return inside if isinstance(inside, dict) else {}


class Http:
    """Calls to one server. `keeps` connections are used again; without that each call has one of its own."""

    def __init__(self, base: str, *, keeps: bool) -> None:
        self.base = base.rstrip("/")
        parts = urlsplit(self.base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"the sandbox's URL must begin with http:// or https:// and name a host, not {base!r}")
        self._made = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host, self._port, self._prefix = parts.hostname, parts.port, parts.path
        self._keeps = keeps
        self._idle: deque[HTTPConnection] = deque()

    def call(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], timeout_s: float = TIMEOUT_S
    ) -> Answer:
        """Sends one call. Raises OSError or HTTPException where no whole answer comes."""
        with suppress(IndexError):
            try:
                return self._on(self._idle.pop(), method, path, body, headers, timeout_s)
            except _GONE:  # the server had closed it meanwhile
                pass
        return self._on(self._made(self._host, self._port), method, path, body, headers, timeout_s)

    def _on(
        self,
        line: HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        timeout_s: float,
    ) -> Answer:
        line.timeout = timeout_s
        if line.sock is not None:
            line.sock.settimeout(timeout_s)
        try:
            line.request(method, self._prefix + path, body, dict(headers))
            got = line.getresponse()
            answer = Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
        except BaseException:
            line.close()
            raise
        if self._keeps and line.sock is not None:
            self._idle.append(line)
        else:
            line.close()
        return answer

    def close(self) -> None:
        """Closes what is idle."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        # A script that looks at a workspace need not say that it is done.
        if hasattr(self, "_idle"):
            self.close()
