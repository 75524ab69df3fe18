"""The delivery of events: the attempts that were made, and why none is planned (facts §6.2, §2.9)."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from mock_server.domain.commands import JsonText
from mock_server.domain.records import Record

INBOX = "inbox"
"""The log of events: one line per event, its id."""
ATTEMPTS = "attempts"
"""The log of attempts: one line per attempt, the ids of event and attempt."""
DELIVER = "deliver"
"""The scheduled event of a delivery: its subject is the event, its argument the kind of attempt."""
TARGET = "webhook_target"
"""The fact with the workspace's endpoint for events without one of their own: `url`, and `secret` or None."""


class AttemptKind(StrEnum):
    """Why an attempt was made (facts §2.9)."""

    INITIAL = "initial_attempt"
    AUTOMATIC = "automatic_retry"
    MANUAL = "manual_retry"


class SkipReason(StrEnum):
    """Why no attempt is made, or not yet (ours)."""

    UNHEARD = "nobody_listens"
    FILTERED = "filtered"
    DROPPED = "dropped"
    FOLLOWS = "follows"
    REDIRECT = "redirect"
    GIVEN_UP = "given_up"


WHY: Final[dict[SkipReason, str]] = {
    SkipReason.UNHEARD: "no endpoint configured: no webhook_url of the profile, the workspace or the server",
    SkipReason.FILTERED: "the profile's webhook_details exclude this status",
    SkipReason.DROPPED: "dropped by a scenario",
    SkipReason.FOLLOWS: "a scenario delays it until another event is delivered",
    SkipReason.REDIRECT: "a scenario delays it until the customer's page redirects",
    SkipReason.GIVEN_UP: "all automatic retries failed",
}
"""Why no attempt is planned, as a text."""


class DeliveryAttempt(Record, frozen=True, kw_only=True):
    """One request that delivered an event, and its answer.

    The first has the event's id, later ones have their own; `number` counts from 1, and `copy` the copies that a
    scenario sent. `made_at` is the workspace's time in ms, `took_ms` real; `began_us` is a real instant that only gives
    the order, as in the journal. Headers are JSON text: an array of [name, value]. `stale`: the body showed the object
    as it was before. `status` None: there was no answer, and `error` says why. `response_body` is the beginning of the
    body.
    """

    attempt_id: str
    event_id: str
    payment_id: str | None
    number: int
    copy: int = 1
    kind: AttemptKind
    made_at: int
    url: str
    headers: JsonText
    stale: bool = False
    status: int | None = None
    response_headers: JsonText = "[]"
    response_body: str = ""
    error: str | None = None
    took_ms: int = 0
    began_us: int = 0
    because: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the receiver accepted it."""
        return is_success(self.status)


def is_success(status: int | None) -> bool:
    """Whether a receiver accepted a request: any 2xx (facts §6.2); None: there was no answer."""
    return status is not None and 200 <= status <= 299


ALGORITHM: Final = "HMAC-SHA512"

Pair = tuple[str, str]


def signature(key: str, message: bytes) -> str:
    """The HMAC-SHA512 of a message under the bytes of a profile's response hash key, in lower-case hexadecimal."""
    return hmac.digest(key.encode(), message, "sha512").hex()


def query_message(pairs: Iterable[Pair]) -> bytes:
    """What a query's signature covers: its pairs, unquoted, sorted, as k=v with & between them (facts §6.3)."""
    return "&".join(f"{name}={value}" for name, value in sorted(pairs)).encode()


def signed_pairs(pairs: Iterable[Pair], key: str) -> list[Pair]:
    """The pairs, then their signature and its algorithm."""
    signed = list(pairs)
    found = signature(key, query_message(signed))
    return [*signed, ("signature", found), ("signature_algorithm", ALGORITHM)]
