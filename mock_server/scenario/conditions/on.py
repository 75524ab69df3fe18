"""What `on` says: names of operations and events, patterns of them, and every name that there is."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from mock_server.contract.operations import CHARGE, NAMES
from mock_server.domain.events import EventType
from mock_server.domain.methods import NEXT_ACTIONS


class On(Struct, frozen=True):
    """What a rule listens to: exact names, and patterns whose `*` stands for anything."""

    names: frozenset[str]
    patterns: tuple[str, ...] = ()

    def covers(self, name: str) -> bool:
        """Whether a name is listened to; `*` and `payments.*` do not reach `webhook.…` or `charge`."""
        return name in self.names or any(matches(pattern, name) for pattern in self.patterns)

    def __str__(self) -> str:
        return ", ".join((*sorted(self.names), *self.patterns))


@lru_cache(maxsize=256)
def on_of(words: tuple[str, ...]) -> On:
    """Names and patterns apart."""
    return On(frozenset(w for w in words if "*" not in w), tuple(w for w in words if "*" in w))


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern covers a name; some families are only reached by patterns that begin with their word."""
    if "." not in name:
        return False
    family = name.split(".", 1)[0]
    if family in ("webhook", "page", "checkout") and not pattern.startswith(family + "."):
        return False
    return _fits(pattern.split("*"), name)


def _fits(parts: list[str], name: str) -> bool:
    first, *rest = parts
    if not rest:
        return name == first
    *middle, last = rest
    if not name.startswith(first) or len(name) < len(first) + len(last):
        return False
    at = len(first)
    end = len(name) - len(last)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(last) and at <= end


PAGES: Final = ("page.challenge", *(f"page.{flow}" for flow in NEXT_ACTIONS))
"""The pages a customer sees (ours)."""
CHECKOUT: Final = ("checkout.script", "checkout.frame")
"""What a shop's page loads of the stand-in for a checkout script (ours)."""


def events() -> tuple[str, ...]:
    """What `webhook.…` can be followed by."""
    return tuple(event.value for event in EventType)


@cache
def names() -> frozenset[str]:
    """Everything that `on` can name."""
    return frozenset((CHARGE, *NAMES, *PAGES, *CHECKOUT, *(f"webhook.{event}" for event in events())))


@lru_cache(maxsize=1024)
def covered(on: str) -> frozenset[str]:
    """The names that one name or pattern of `on` reaches."""
    if "*" not in on:
        return frozenset((on,)) & names()
    return frozenset(name for name in names() if matches(on, name))
