"""What an issuer (or a bank, a wallet, a network) can answer, and why the sandbox chose that answer.

Every source of an outcome (header, one-shot queue, scenario rule, card, method) gives these values, and the engine
carries them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field


class OutcomeStatus(StrEnum):
    """The issuer's answer (ours: the outcomes of the scenario language)."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REQUIRES_ACTION = "requires_action"
    PENDING = "pending"
    REQUIRES_MERCHANT_ACTION = "requires_merchant_action"
    PARTIALLY_AUTHORIZED = "partially_authorized"
    WON = "won"
    LOST = "lost"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Challenge(StrEnum):
    """How a challenge or a hosted page ends (ours: decisions, Cards)."""

    APPROVED = "approved"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    UNAVAILABLE = "unavailable"
    ABANDONED = "abandoned"


CHALLENGE_DECLINE: dict[Challenge, str] = {
    Challenge.DECLINED: "authentication_failed",
    Challenge.CANCELLED: "cancelled_by_customer",
    Challenge.EXPIRED: "session_timeout",
    Challenge.UNAVAILABLE: "authentication_unavailable",
}
"""The decline of each failed challenge; after `approved` the issuer decides, after `abandoned` nothing happens."""


class Settles(Struct, frozen=True):
    """When and how an open answer ends: after a time of the workspace, or after a number of retrieves."""

    word: OutcomeStatus = OutcomeStatus.SUCCEEDED
    after_ms: int | None = None
    after_polls: int | None = None
    decline: str | None = None


class DisputePlan(Struct, frozen=True):
    """A dispute that the card's bank opens after the capture (facts §7.2); without an amount, over `percent` of it.

    `respond_ms` is the merchant's time to challenge it; None for the usual time.
    """

    reason: str
    stage: str = "dispute"
    after_ms: int = 0
    amount: int | None = None
    percent: int = 100
    respond_ms: int | None = None


class Outcome(Struct, frozen=True):
    """One answer of the issuer, with what follows from it.

    `challenge` is the fixed result of a challenge (None: a person or the control API decides); `challenge_after_ms`
    ends it by the workspace's clock; `then` is the issuer's answer after its approval. `settles` ends an open answer.
    `later` are the outcomes of later operations on the payment, by operation (`payments.capture`, `refunds.create`, …).
    `expires_ms` is the customer's time, or that of the authorization; None for the workspace's.
    """

    word: OutcomeStatus
    decline: str | None = None
    challenge: Challenge | None = None
    challenge_after_ms: int | None = None
    challenge_kind: str = "challenge"
    then: Outcome | None = None
    settles: Settles | None = None
    later: Mapping[str, Outcome] = field(default_factory=dict)
    approved_percent: int = 100
    disputes: tuple[DisputePlan, ...] = ()
    expires_ms: int | None = None
    checks: Mapping[str, str] = field(default_factory=dict)

    @property
    def ends(self) -> str | None:
        """How it ends, if that is fixed."""
        return self.challenge or (self.settles.word if self.settles else None)


APPROVED = Outcome(OutcomeStatus.SUCCEEDED)


class NearMiss(Struct, frozen=True):
    """A rule that was checked and did not match, with the first condition that was not true."""

    rule: str
    failed: str


class Reason(Struct, frozen=True):
    """Why an outcome was chosen: by what (card, rule, header …), its row or line, and the inputs that mattered."""

    by: str
    text: str
    rule: str | None = None
    inputs: Mapping[str, object] = field(default_factory=dict)
    near_misses: tuple[NearMiss, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether it chose something; otherwise it only lists rules that did not match."""
        return self.by != LEFT_ALONE


LEFT_ALONE: Final = "line"
"""The source when nothing was decided: rules for the connection were checked, and none matched."""


class Decision(Struct, frozen=True):
    """An outcome and its reason."""

    outcome: Outcome
    because: Reason


BY_HEADER: Final = "header X-Sandbox-Outcome"


class CallContext(Struct, frozen=True):
    """The call as the deciders may read it, without card numbers and keys.

    `wanted` is its own `X-Sandbox-Outcome`, `scenarios` its own `X-Sandbox-Scenario` (`none` ends the search),
    `payment_scenarios` those of its metadata; `subject` selects the random stream.
    """

    operation: str = "sandbox"
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    wanted: str | None = None
    wanted_by: str = BY_HEADER
    scenarios: tuple[str, ...] | None = None
    payment_scenarios: tuple[str, ...] | None = None
    subject: str | None = None
    by_client: bool = False
    holder: str | None = None
    """The customer that the call's ephemeral key is for; None for other keys."""


NO_CALL = CallContext()
"""For work that no call asked for."""


class DecisionRequest(Struct, frozen=True):
    """One question to the deciders: about what, in which call.

    `names` are what a rule's `on` can match (`charge`, the operation). `records` are `payment`, `card` and others, for
    paths such as `payment.metadata.order_id`. `wanted` is the call's wish or the payment's `metadata.sandbox_outcome`,
    `payment_scenarios` are the payment's, or those of the call that creates it. `again`: an event is sent again.
    """

    names: tuple[str, ...]
    operation: str
    now: int
    call: CallContext = NO_CALL
    records: Mapping[str, object] = field(default_factory=dict)
    attempt: int = 1
    wanted: str | None = None
    wanted_by: str = BY_HEADER
    payment_scenarios: tuple[str, ...] | None = None
    again: bool = False
