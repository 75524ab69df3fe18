"""What a story is played with: a client, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from msgspec import Struct

from mock_server.scenario.story.requests import Request


class Reply(Struct, frozen=True):
    """A whole answer; header names in small letters, `body` as parsed JSON (None where there is none)."""

    status: int
    headers: Mapping[str, str]
    body: Any = None


class LineBroken(Exception):
    """The call came to no whole answer: `reset`, `empty`, `truncated`, `malformed` or `timeout`."""

    def __init__(self, how: str) -> None:
        super().__init__(f"the line broke: {how}")
        self.how = how


class Client(Protocol):
    """Sends one request; puts the api key in where the headers have none. Raises LineBroken."""

    @property
    def publishable_key(self) -> str:
        """The key that a browser would use: `$publishable_key` in a story."""
        ...

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> Reply: ...


NO_REPLY: Final = Reply(0, {})


@dataclass(slots=True)
class Played:
    """How far a story has come: the answers by name, and the last request, for `again`."""

    client: Client
    cards: Mapping[str, str] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)
    last: Request | None = None
