"""What plays a story: a client that sends a request and gives back the reply, over HTTP or in process."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from msgspec import Struct

from mock_server.addresses import connection_to
from mock_server.domain.api_keys import ApiKey
from mock_server.scenario.story.requests import CONTROL, StoryRequest


class StoryReply(Struct, frozen=True):
    """A whole answer; header names in small letters, `body` as parsed JSON (None where there is none)."""

    status: int
    headers: Mapping[str, str]
    body: Any = None


class LineBroken(Exception):
    """The call came to no whole answer: `reset`, `empty`, `truncated`, `malformed` or `timeout`."""

    def __init__(self, how: str) -> None:
        super().__init__(f"the connection failed: {how}")
        self.how = how


class StoryClient(Protocol):
    """Sends one request; puts the api key in where the headers have none. Raises LineBroken."""

    @property
    def publishable_key(self) -> str:
        """The key that a browser would use: `$publishable_key` in a story."""
        ...

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply: ...


AGENT: Final = "payment-sandbox-command"
"""So that a verdict does not take for the client's what a command does."""
NO_REPLY: Final = StoryReply(0, {})


@dataclass(slots=True)
class StoryProgress:
    """How far a story has come: the answers by name, and the last request, for `again`."""

    client: StoryClient
    cards: Mapping[str, str] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)
    last: StoryRequest | None = None


PATIENCE_S: Final = 5.0
"""How long an answer of the API may take before a story calls it a time-out (ours)."""
CONTROL_PATIENCE_S: Final = 120.0
"""The control API leads clocks on and loads a quarter of a million records."""


class OverHttp:
    """One merchant's client of a running sandbox; a new connection for each request."""

    def __init__(
        self, base: str, key: ApiKey | None, *, patience_s: float = PATIENCE_S, token: str | None = None
    ) -> None:
        self._base = base
        self._key = key
        self._patience_s = patience_s
        self._token = token

    @property
    def publishable_key(self) -> str:
        """The key that a browser would use; empty for a client without one."""
        return self._key.twin().text if self._key else ""

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply:
        """Sends one request with JSON in it (None: no body). Raises LineBroken."""
        body = None if json is None else jsonlib.dumps(json).encode()
        return self.send(method, path, body, "application/json", headers)

    def send(
        self, method: str, path: str, body: bytes | None, content_type: str, headers: Mapping[str, str] | None = None
    ) -> StoryReply:
        """Sends one request with any body. Raises LineBroken; OSError where nobody listens."""
        sent = {"User-Agent": AGENT} | ({"api-key": self._key.text} if self._key else {})
        sent.update({"Content-Type": content_type} if body is not None else {})
        if self._token and path.startswith(CONTROL):
            sent["X-Sandbox-Token"] = self._token
        sent.update(headers or {})
        connection = connection_to(self._base, CONTROL_PATIENCE_S if path.startswith(CONTROL) else self._patience_s)
        connection.connect()
        try:
            connection.request(method, urlsplit(self._base).path.rstrip("/") + path, body, sent)
            return _read(connection.getresponse())
        except (OSError, HTTPException) as wrong:
            raise LineBroken(how_it_broke(wrong)) from None
        finally:
            connection.close()


def how_it_broke(wrong: Exception) -> str:
    """A story's word for what a call ended in. An orderly close is known by its missing status line."""
    if isinstance(wrong, BadStatusLine):
        return "empty"
    if isinstance(wrong, IncompleteRead):
        return "truncated"
    return "timeout" if isinstance(wrong, TimeoutError) else "reset"


def _read(answer: HTTPResponse) -> StoryReply:
    raw = answer.read()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    return StoryReply(answer.status, headers, _body(raw, headers.get("content-type", "")))


def _body(raw: bytes, content_type: str) -> Any:
    """The parsed JSON, the text of anything else, None for nothing. Raises LineBroken."""
    if not raw:
        return None
    if not content_type.startswith("application/json"):
        return raw.decode("utf-8", "replace")
    try:
        return jsonlib.loads(raw)
    except ValueError:
        raise LineBroken("malformed") from None
