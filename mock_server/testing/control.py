"""The control API over HTTP: the same for a server in this process and for one elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlencode

from mock_server.addresses import Http

Query = Mapping[str, Any]
TIMEOUT_S: Final = 60.0
"""How long an answer may take, in real time (ours): an advance may wait for many deliveries."""


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
            answer = Answer(*self._http.call(method, f"/_sandbox{path}", body, headers, timeout_s))
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
