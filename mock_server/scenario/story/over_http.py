"""A story's client of a running sandbox."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import BadStatusLine, HTTPException, IncompleteRead
from typing import Any, Final
from urllib.parse import urlsplit

from mock_server.connections import connection_to
from mock_server.contract.control_operations import PREFIX
from mock_server.domain.api_keys import ApiKey
from mock_server.domain.merchant import OWN_AGENT
from mock_server.scenario.story.player import LineBroken, StoryReply

AGENT: Final = f"{OWN_AGENT}-command"
"""By this a verdict distinguishes calls of the command from those of a client."""
PATIENCE_S: Final = 5.0
"""How long a story waits for an answer of the API (ours)."""
CONTROL_PATIENCE_S: Final = 120.0
"""The same for the control API, which advances clocks and loads hundreds of thousands of records."""


@dataclass(frozen=True)
class OverHttp:
    """One merchant's client of a running sandbox; a new connection for each request."""

    base: str
    key: ApiKey | None
    patience_s: float = PATIENCE_S
    token: str | None = None

    @property
    def publishable_key(self) -> str:
        """The key for browsers; empty for a client without a key."""
        return self.key.twin().text if self.key else ""

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply:
        """Sends one request with JSON in it (None: no body). Raises LineBroken."""
        body = None if json is None else jsonlib.dumps(json).encode()
        return self.send(method, path, body, "application/json", headers)

    def send(
        self, method: str, path: str, body: bytes | None, content_type: str, headers: Mapping[str, str] | None = None
    ) -> StoryReply:
        """Sends one request with any body. Raises LineBroken; OSError if there is no server."""
        sent = {"User-Agent": AGENT} | ({"api-key": self.key.text} if self.key else {})
        sent.update({"Content-Type": content_type} if body is not None else {})
        if self.token and path.startswith(PREFIX):
            sent["X-Sandbox-Token"] = self.token
        sent.update(headers or {})
        connection = connection_to(self.base, CONTROL_PATIENCE_S if path.startswith(PREFIX) else self.patience_s)
        connection.connect()
        try:
            connection.request(method, urlsplit(self.base).path.rstrip("/") + path, body, sent)
            answer = connection.getresponse()
            raw = answer.read()
            found = {name.lower(): value for name, value in reversed(answer.getheaders())}  # a proxy adds its own last
            return StoryReply(answer.status, found, _body(raw, found.get("content-type", "")))
        except BadStatusLine:  # the connection was closed before an answer
            raise LineBroken("empty") from None
        except IncompleteRead:
            raise LineBroken("truncated") from None
        except TimeoutError:
            raise LineBroken("timeout") from None
        except (OSError, HTTPException):
            raise LineBroken("reset") from None
        finally:
            connection.close()


def _body(raw: bytes, content_type: str) -> Any:
    """The parsed JSON, the text of anything else, None for nothing. Raises LineBroken."""
    if not raw:
        return None
    if not content_type.startswith("application/json"):
        return raw.decode("utf-8", "replace")
    try:
        return jsonlib.loads(raw)
    except (ValueError, RecursionError):
        raise LineBroken("malformed") from None
