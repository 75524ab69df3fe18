"""The control API over HTTP, for servers in this process and elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlencode

from mock_server.connections import Http

Query = Mapping[str, Any]
TIMEOUT_S: Final = 60.0
"""How long an answer can take, in real time (ours): advancing the clock can wait for many deliveries."""


class SandboxUnreachable(ConnectionError):
    """No server answers at the sandbox's address."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer; the names in `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def status_code(self) -> int:
        """The status, by its name in requests and httpx."""
        return self.status

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body parsed as JSON."""
        return json.loads(self.body)

    def __getitem__(self, name: str) -> Any:
        return self.json()[name]

    @property
    def error(self) -> dict[str, Any]:
        """The error object; empty if the answer is not an error."""
        found = self.json()
        inside = found.get("error") if isinstance(found, dict) else None
        return inside if isinstance(inside, dict) else {}


class ControlRefused(Exception):
    """The sandbox refused a control call; `fields` are the wrong fields, with messages."""

    def __init__(self, called: str, answer: Answer) -> None:
        self.status = answer.status
        try:
            error = answer.error
        except ValueError:  # another server than a sandbox
            error = {}
        self.code: str | None = error.get("code")
        self.fields: list[dict[str, str]] = error.get("fields") or []
        self.reason: str = error.get("message") or answer.text[:200] or "an answer without a body"
        lines = [f"{called} failed with {self.status}: {self.reason}"]
        lines += [f"  {one['field']}: {one['message']}" for one in self.fields]
        super().__init__("\n".join(lines))


class ControlClient:
    """Control calls with one key, or without; `label` is shown for the key's workspace on the dashboard."""

    def __init__(self, http: Http, key: str | None, token: str | None, label: str | None = None) -> None:
        self._http = http
        self._headers = {
            **({"api-key": key} if key else {}),
            **({"X-Sandbox-Token": token} if token else {}),
            **({"X-Sandbox-Label": label.encode().decode("latin-1")} if label else {}),
        }

    def get(self, path: str, query: Query | None = None, *, wait_s: float = 0) -> Any:
        """Reads; parameters that are None are left out. `wait_s` is how long the server can wait with its answer."""
        given = ((name, value) for name, value in (query or {}).items() if value is not None)
        found = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given}
        if wait_s > 0:
            found["wait"] = f"{max(1, round(wait_s * 1000))}ms"
        asked = f"?{urlencode(found)}" if found else ""
        return self._call("GET", path + asked, None, timeout_s=TIMEOUT_S + wait_s)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Does something; keys that are None are left out."""
        return self._call("POST", path, _json(body or {}))

    def put(self, path: str, body: Mapping[str, Any] | str | None = None, *, kind: str = "application/json") -> Any:
        """Stores something; text is sent as it is."""
        sent = body.encode() if isinstance(body, str) else _json(body or {})
        return self._call("PUT", path, sent, kind)

    def delete(self, path: str) -> Any:
        """Deletes something."""
        return self._call("DELETE", path, None)

    def _call(
        self, method: str, path: str, body: bytes | None, kind: str = "application/json", timeout_s: float = TIMEOUT_S
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
