"""What a check is, and what came of one."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mock_server.conformance.client import Client
from mock_server.conformance.target import Ability

if TYPE_CHECKING:
    from mock_server.conformance.answer import Broken


class Check(NamedTuple):
    """One thing that a client relies on: a name `group.what`, a sentence, where that is said, and how it is asked.

    `run` raises Broken where it does not hold. `needs` is what not every target has.
    """

    name: str
    about: str
    source: str
    run: Callable[[Client], object]
    needs: frozenset[Ability] = frozenset()

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


class Outcome(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Result(NamedTuple):
    """What came of a check, and how long that took; `reason` says why one was left out."""

    check: Check
    outcome: Outcome
    seconds: float = 0.0
    broken: Broken | None = None
    reason: str = ""
