"""What a control call asks for, as frozen imperatives. Instants and durations of the workspace in ms."""

from __future__ import annotations

from typing import NamedTuple

from mock_server.domain.outcomes import Challenge, OutcomeStatus


class ResetWorkspace(NamedTuple):
    """A new workspace, with a seed and a name of its own."""

    seed: str | None = None
    name: str | None = None


class FreezeClock(NamedTuple):
    """Stop the clock, now or at an instant."""

    at: int | None = None


class AdvanceClock(NamedTuple):
    """Advance the clock by a time, or to an instant; `deliver` sends the webhooks that fall due on the way."""

    by: int | None = None
    to: int | None = None
    deliver: bool = True


class Authenticate(NamedTuple):
    """End a challenge or a customer's page."""

    result: Challenge


class Settle(NamedTuple):
    """Close an open payment; `amount` (minor units) is what came of a transfer, `decline` names why it fails."""

    word: OutcomeStatus
    amount: int | None = None
    decline: str | None = None


class Fail(NamedTuple):
    """Fail an open payment for a named reason."""

    decline: str


class Expire(NamedTuple):
    """End a session, a customer's time or an authorization."""

    what: str


class LookAtJournal(NamedTuple):
    """Which lines: filters, those after a number, at most so many; and how long to wait for how many."""

    operation: str | None = None
    payment_id: str | None = None
    status: str | None = None
    after: int = 0
    limit: int = 100
    wait_ms: int = 0
    enough: int = 1


class LookAtTimeline(NamedTuple):
    """In which form a timeline is told, and whether its text is coloured for a terminal."""

    format: str = "json"
    colour: bool = False


class TakeSnapshot(NamedTuple):
    """Whether the journal is kept too."""

    journal: bool = False
