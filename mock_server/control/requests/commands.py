"""What a control call asks for, as frozen imperatives. Instants and durations of the world in ms."""

from __future__ import annotations

from dataclasses import dataclass

from mock_server.domain.outcomes import Challenge, Word


@dataclass(frozen=True, slots=True)
class ResetWorld:
    """A new world, with a seed and a name of its own."""

    seed: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class FreezeClock:
    """Stop the clock, now or at an instant."""

    at: int | None = None


@dataclass(frozen=True, slots=True)
class AdvanceClock:
    """Lead the clock on by a time, or to an instant; `deliver` sends the webhooks that fall due on the way."""

    by: int | None = None
    to: int | None = None
    deliver: bool = True


@dataclass(frozen=True, slots=True)
class Authenticate:
    """End a challenge or a customer's page."""

    result: Challenge


@dataclass(frozen=True, slots=True)
class Settle:
    """Close an open payment; `amount` (minor units) is what came of a transfer, `decline` names why it fails."""

    word: Word
    amount: int | None = None
    decline: str | None = None


@dataclass(frozen=True, slots=True)
class Fail:
    """Fail an open payment for a named reason."""

    decline: str


@dataclass(frozen=True, slots=True)
class Expire:
    """End a session, a customer's time or an authorization."""

    what: str


@dataclass(frozen=True, slots=True)
class LookAtJournal:
    """Which lines: filters, those after a number, at most so many; and how long to wait for how many."""

    operation: str | None = None
    payment_id: str | None = None
    status: str | None = None
    after: int = 0
    limit: int = 100
    wait_ms: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True)
class LookAtInbox:
    """Which events: filters, at most so many; and how long to wait for how many."""

    type: str | None = None
    payment_id: str | None = None
    limit: int = 100
    wait_ms: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True)
class SetTarget:
    """Where events go, and what they are signed with; for one profile, or for all that have no address."""

    url: str | None = None
    secret: str | None = None
    profile_id: str | None = None


@dataclass(frozen=True, slots=True)
class TakeSnapshot:
    """Whether the journal is kept too."""

    journal: bool = False
