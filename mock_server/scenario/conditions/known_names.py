"""The names a scenario can use, read from the tables of the ground floor."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Final

from mock_server.contract.operations import CHARGE, NAMES
from mock_server.domain import declines
from mock_server.domain.events import EventType
from mock_server.domain.methods import NEXT_ACTIONS
from mock_server.scenario.conditions.on import matches

ERROR_CODES: Final[ContextVar[frozenset[str] | None]] = ContextVar("error_codes", default=None)
"""The error codes of the dialect in use, where the caller hands them in; None checks their form alone."""

PAGES: Final = ("page.challenge", *(f"page.{flow}" for flow in NEXT_ACTIONS))
"""The pages a customer sees (ours)."""


def events() -> tuple[str, ...]:
    """What `webhook.…` can be followed by."""
    return tuple(event.value for event in EventType)


@cache
def names() -> frozenset[str]:
    """Everything that `on` can name."""
    return frozenset((CHARGE, *NAMES, *PAGES, *(f"webhook.{event}" for event in events())))


@lru_cache(maxsize=1024)
def covered(on: str) -> frozenset[str]:
    """The names that one name or pattern of `on` reaches."""
    if "*" not in on:
        return frozenset((on,)) & names()
    return frozenset(name for name in names() if matches(on, name))


def decline_names() -> tuple[str, ...]:
    """Every name of the catalogue of declines."""
    return declines.names()
