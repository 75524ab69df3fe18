"""Calls over HTTP, and the control API by them: the same for a server in this process and for one elsewhere."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from mock_server.addresses import connection_to, is_address

Query = Mapping[str, Any]
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
        if not is_address(base):
            raise ValueError(f"the sandbox's URL must begin with http:// or https:// and name a host, not {base!r}")
        self._prefix = urlsplit(self.base).path
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
        return self._on(connection_to(self.base, timeout_s), method, path, body, headers, timeout_s)

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


class ControlRefused(Exception):
    """The sandbox said no to a control call; `fields` are the places and what is wrong there."""

    def __init__(self, called: str, answer: Answer) -> None:
        self.status = answer.status
        try:
            error = answer.error
        except ValueError:  # something else than a sandbox listens there
            error = {}
        self.code: str | None = error.get("code")
        self.fields: list[dict[str, str]] = error.get("fields") or []
        self.reason: str = error.get("message") or answer.text[:200] or "an answer without a body"
        lines = [f"{called} failed with {self.status}: {self.reason}"]
        lines += [f"  {one['field']}: {one['message']}" for one in self.fields]
        super().__init__("\n".join(lines))


class ControlClient:
    """Control calls in the name of one key, or of none; `label` is what they say the key's workspace is for."""

    def __init__(self, http: Http, key: str | None, token: str | None, label: str | None = None) -> None:
        self._http = http
        self._headers = {
            **({"api-key": key} if key else {}),
            **({"X-Sandbox-Token": token} if token else {}),
            **({"X-Sandbox-Label": label.encode().decode("latin-1")} if label else {}),
        }

    def get(self, path: str, query: Query | None = None, *, wait_s: float = 0) -> Any:
        """Looks; None in a query leaves the parameter out. `wait_s` is how long the server itself may wait."""
        found = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        if wait_s > 0:
            found["wait"] = f"{max(1, round(wait_s * 1000))}ms"
        asked = f"?{urlencode(found)}" if found else ""
        return self._call("GET", path + asked, None, timeout_s=TIMEOUT_S + wait_s)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Does something; None in a body leaves the key out."""
        return self._call("POST", path, _json(body or {}))

    def put(self, path: str, body: Mapping[str, Any] | str | None = None, *, kind: str = "application/json") -> Any:
        """Puts something there; text goes as it is."""
        sent = body.encode() if isinstance(body, str) else _json(body or {})
        return self._call("PUT", path, sent, kind)

    def delete(self, path: str) -> Any:
        """Takes something away."""
        return self._call("DELETE", path, None)

    def _call(
        self,
        method: str,
        path: str,
        body: bytes | None,
        kind: str = "application/json",
        timeout_s: float = TIMEOUT_S,
    ) -> Any:
        headers = {**self._headers, "Content-Type": kind} if body is not None else self._headers
        try:
            answer = self._http.call(method, f"/_sandbox{path}", body, headers, timeout_s)
        except (OSError, HTTPException) as problem:
            said = f"cannot reach a payment sandbox at {self._http.base}: {str(problem) or type(problem).__name__}"
            raise SandboxUnreachable(said) from problem
        if answer.status != 200:
            raise ControlRefused(f"{method} /_sandbox{path}", answer)
        return answer.json()


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps({name: value for name, value in body.items() if value is not None}).encode()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
