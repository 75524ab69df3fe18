"""The answers of issuer, connection and webhooks: as frozen values, in a few words, and as written under `then`.

One table says which outcomes are allowed on which operations (scenario language, "An outcome").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field

from mock_server.contract.operations import CHARGE
from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import DisputePlan, Outcome, OutcomeStatus, Settles
from mock_server.settings.durations import show_duration

ISSUER_KEYS: Final = ("outcome", "decline", "challenge", "settles", "dispute", "expires", "later")
"""What an answer can say about the issuer."""


class AllowedOutcomes(Struct, frozen=True):
    """The outcomes that are allowed on some operations."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    keys: tuple[str, ...]
    settles_as: tuple[str, ...] = ("succeeded", "failed")


_CHARGE_WORDS: Final = ("succeeded", "failed", "requires_action", "pending", "requires_merchant_action")
LATER_WORDS: Final = ("succeeded", "failed", "pending")
_LATER: Final = ("payments.capture", "payments.cancel", "refunds.create")
_DISPUTE_WORDS: Final = ("won", "lost", "cancelled", "expired")
LEADING_TO_CHARGE: Final = ("payments.create", "payments.confirm", "payments.complete_authorize")

ALLOWED: Final = (
    AllowedOutcomes((CHARGE, *LEADING_TO_CHARGE), _CHARGE_WORDS, ISSUER_KEYS),
    AllowedOutcomes(_LATER, LATER_WORDS, ("outcome", "decline", "settles")),
    AllowedOutcomes(("payments.incremental_authorization",), ("succeeded", "failed"), ("outcome", "decline")),
    AllowedOutcomes(
        ("disputes.submit_evidence", "disputes.*"), _DISPUTE_WORDS, ("outcome", "settles"), settles_as=_DISPUTE_WORDS
    ),
)
"""The rows of the language's table; operations without a row have no outcome."""

LATER_NAMES: Final = {
    "capture": "payments.capture",
    "cancel": "payments.cancel",
    "incremental_authorization": "payments.incremental_authorization",
    "refund": "refunds.create",
}

DEFAULT_DECLINE: Final = {
    "payments.capture": "capture_failed",
    "payments.cancel": "void_failed",
    "refunds.create": "refund_failed",
}
"""The decline of `failed` alone; for other operations `generic_decline`."""


def allowed_on(name: str) -> AllowedOutcomes | None:
    """The row for one name or pattern of `on`; None if it has no outcome."""
    return next((row for row in ALLOWED if name in row.names), None)


def with_decline(outcome: Outcome, operation: str) -> Outcome:
    """The outcome, with the operation's usual decline if it fails without one."""
    if outcome.word is not OutcomeStatus.FAILED or outcome.decline is not None:
        return outcome
    return Outcome(OutcomeStatus.FAILED, decline=DEFAULT_DECLINE.get(operation, "generic_decline"))


def say(outcome: Outcome) -> str:
    """An outcome in a few words, for a reason: `failed (insufficient_funds)`, `pending, then succeeded`."""
    said = outcome.word.value
    if outcome.challenge is not None:
        said += f" ({outcome.challenge})"
    elif outcome.decline is not None:
        said += f" ({outcome.decline})"
    if outcome.settles is not None:
        said += f", then {outcome.settles.word}"
    if outcome.then is not None:
        said += f", then {say(outcome.then)}"
    for plan in outcome.disputes:
        said += f", then disputed after {show_duration(plan.after_ms)}: {plan.reason}"
    if outcome.expires_ms is not None:
        said += f"; expires after {show_duration(outcome.expires_ms)}"
    return said + "".join(f"; later {name} {say(after)}" for name, after in outcome.later.items())


class Delay(Struct, frozen=True):
    """A wait in real milliseconds from `low` to `high`, or with `percentiles` half under `low` and 1 % over `high`."""

    low: int
    high: int
    percentiles: bool = False


class ErrorAnswer(Struct, frozen=True):
    """An error of the catalogue by its code, or one of the scenario's own."""

    code: str
    status: int | None = None
    message: str | None = None


class RawAnswer(Struct, frozen=True):
    """An answer as written: text as it is, anything else as JSON."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None


class LineRule(Struct, frozen=True):
    """What happens to the connection of one call; `kept`: the operation takes place, the client does not see it."""

    error: ErrorAnswer | None = None
    respond: RawAnswer | None = None
    delay: Delay | None = None
    fault: LineFault | None = None
    kept: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def ends_call(self) -> bool:
        """Whether the operation does not take place; a slow body is a complete answer."""
        breaks = self.fault is not None and self.fault is not LineFault.SLOW_BODY
        return not self.kept and (self.error is not None or self.respond is not None or breaks)


class Deliver(Struct, frozen=True):
    """When a delivery leaves: at a fixed point, later by workspace time (ms), or after another event of the object."""

    at: str | None = None
    delay: int | None = None
    following: str | None = None


class WebhookRule(Struct, frozen=True):
    """What happens to one delivery; `copies` includes the first."""

    deliver: Deliver | None = None
    drop: bool = False
    copies: int = 1
    concurrently: bool = False
    signature: str | None = None
    stale: bool = False


def say_line(rule: LineRule) -> str:
    """A line rule in a few words."""
    parts = (
        "delay" if rule.delay else "",
        f"error {rule.error.code}" if rule.error else "",
        f"answer {rule.respond.status} as written" if rule.respond else "",
        rule.fault.value if rule.fault else "",
        f"headers {', '.join(rule.headers)}" if rule.headers else "",
        "after the operation took place" if rule.kept else "",
    )
    return ", ".join(filter(None, parts)) or "nothing"


def say_webhook(rule: WebhookRule, *, again: bool = False) -> str:
    """A webhook rule in a few words; `again`: for a later attempt, which leaves when it is due."""
    parts = (
        "dropped" if rule.drop else "",
        _deliver(rule.deliver) if rule.deliver and not again else "",
        f"{rule.copies} copies" if rule.copies > 1 else "",
        "at the same moment" if rule.concurrently else "",
        f"signature {rule.signature}" if rule.signature else "",
        "body of an earlier state" if rule.stale else "",
    )
    return ", ".join(filter(None, parts)) or "nothing"


POINTS: Final = {"before_response": "before the response", "during_redirect": "during the redirect"}
"""The fixed points at which a delivery can leave, in words."""


def _deliver(deliver: Deliver) -> str:
    if deliver.at is not None:
        return POINTS[deliver.at]
    return f"after {deliver.following}" if deliver.following is not None else f"{deliver.delay} ms later"


Json = dict[str, Any]


def outcome_as_then(outcome: Outcome) -> Json:
    """An issuer's answer under `then`."""
    if outcome.word is OutcomeStatus.REQUIRES_ACTION:
        said = _challenged(outcome)
    elif outcome.word is OutcomeStatus.FAILED and outcome.decline is not None:
        said = {"decline": outcome.decline}
    else:
        said = {"settles": _settles(outcome.settles)} if outcome.settles is not None else {}
        if outcome.settles is None or outcome.word is not OutcomeStatus.PENDING:
            said["outcome"] = outcome.word.value
    later = {name: outcome_as_then(outcome.later[on]) for name, on in LATER_NAMES.items() if on in outcome.later}
    if plans := outcome.disputes or (outcome.then.disputes if outcome.then else ()):
        said["dispute"] = [_dispute(plan) for plan in plans]
    if outcome.expires_ms is not None:
        said["expires"] = _ms(outcome.expires_ms)
    return {**said, **({"later": later} if later else {})}


def _dispute(plan: DisputePlan) -> Json:
    size = f"{plan.percent}%" if plan.amount is None else plan.amount
    said = {"reason": plan.reason, "stage": plan.stage, "after": _ms(plan.after_ms), "amount": size}
    return said if plan.respond_ms is None else {**said, "respond_within": _ms(plan.respond_ms)}


def _settles(settles: Settles) -> Json:
    when: Json = {"after": _ms(settles.after_ms)} if settles.after_ms is not None else {}
    if settles.after_polls is not None:
        when["after_polls"] = settles.after_polls
    return {**when, "as": settles.word.value, **({"decline": settles.decline} if settles.decline else {})}


def _challenged(outcome: Outcome) -> Json:
    if outcome.challenge is None:
        said: Json = {"outcome": OutcomeStatus.REQUIRES_ACTION.value}
    elif outcome.challenge_after_ms is None:
        said = {"challenge": outcome.challenge.value}
    else:
        said = {"challenge": {"result": outcome.challenge.value, "after": _ms(outcome.challenge_after_ms)}}
    after = outcome.then
    if after is not None and after.settles is not None:
        said["settles"] = _settles(after.settles)
    elif after is not None and after.word is OutcomeStatus.FAILED and after.decline is not None:
        said["decline"] = after.decline
    return said


def line_as_then(rule: LineRule, delay_ms: int) -> Json:
    """What happened to the connection of one call under `then`, with the delay that was drawn."""
    said: Json = {}
    if rule.error is not None:
        own = {"status": rule.error.status, "message": rule.error.message}
        own = {name: value for name, value in own.items() if value is not None}
        said["error"] = {"code": rule.error.code, **own} if own else rule.error.code
    if rule.respond is not None:
        said["respond"] = {"status": rule.respond.status, "headers": dict(rule.respond.headers)}
        said["respond"] |= {} if rule.respond.body is None else {"body": rule.respond.body}
    if rule.fault is not None:
        said["fault"] = rule.fault.value
    if delay_ms:
        said["delay"] = _ms(delay_ms)
    if rule.kept:
        said["effect"] = "kept"
    if rule.headers:
        said["headers"] = dict(rule.headers)
    return said


def _ms(duration: int) -> str:
    return f"{duration}ms"
