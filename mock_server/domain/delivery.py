"""How an event reaches its receiver: the attempts that were made, and why one is not on its way (facts §6.2, §2.9)."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from mock_server.domain.commands import JsonText
from mock_server.domain.records import Record

INBOX = "inbox"
"""The log of events: one line an event, its id."""
ATTEMPTS = "attempts"
"""The log of attempts: one line an attempt, the ids of event and attempt."""
DELIVER = "deliver"
"""The due work of a delivery: subject is the event, argument the sort of attempt."""
TARGET = "webhook_target"
"""The fact that says where events go that have no address of their own: `url`, and `secret` or None."""


class AttemptKind(StrEnum):
    """Why an attempt was made (facts §2.9)."""

    INITIAL = "initial_attempt"
    AUTOMATIC = "automatic_retry"
    MANUAL = "manual_retry"


class SkipReason(StrEnum):
    """Why no attempt is made, or none as yet (ours)."""

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
"""Why no attempt is on its way."""


class DeliveryAttempt(Record, frozen=True, kw_only=True):
    """One request that carried an event to its receiver, and what came back.

    The first has the event's own id, later ones have their own; `number` counts from 1 and `copy` tells apart what a
    scenario sent several times. `made_at` is the workspace's time in ms, `took_ms` real; `began_us` is a real instant
    that is good for order alone, as in the journal. Headers are JSON text: an array of [name, value]. `stale`: the body
    showed the object as it was before. `status` None: nothing answered, as `error` says. `response_body` is the
    beginning of it.
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
        """Whether the receiver took it: any 2xx (facts §6.2)."""
        return is_success(self.status)


def is_success(status: int | None) -> bool:
    """Whether a receiver took a request: any 2xx (facts §6.2); None where there was no answer."""
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
    """The pairs with their signature and its algorithm behind them."""
    signed = list(pairs)
    found = signature(key, query_message(signed))
    return [*signed, ("signature", found), ("signature_algorithm", ALGORITHM)]
