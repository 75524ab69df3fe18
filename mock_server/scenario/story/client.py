"""The client that plays a story: it sends requests and returns replies, over HTTP (`over_http.py`) or in process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from msgspec import Struct

from mock_server.scenario.story.requests import StoryRequest


class StoryReply(Struct, frozen=True):
    """A complete answer; header names are in lower case, `body` is parsed JSON (None for no body)."""

    status: int
    headers: Mapping[str, str]
    body: Any = None


class LineBroken(Exception):
    """The call got no complete answer: `reset`, `empty`, `truncated`, `malformed` or `timeout`."""

    def __init__(self, how: str) -> None:
        super().__init__(f"the connection failed: {how}")
        self.how = how


class StoryClient(Protocol):
    """Sends one request, with its API key if the headers have none. Raises LineBroken."""

    @property
    def publishable_key(self) -> str:
        """The key for browsers: `$publishable_key` in a story."""
        ...

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply: ...


NO_REPLY: Final = StoryReply(0, {})


@dataclass(slots=True)
class StoryProgress:
    """The progress of a story: the answers by name, and the last request, for `again`."""

    client: StoryClient
    cards: Mapping[str, str] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)
    last: StoryRequest | None = None
