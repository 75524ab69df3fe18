"""Which words of the issuer may stand where, and what a short word comes to (scenario language, "An outcome")."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from mock_server.contract.operations import CHARGE
from mock_server.domain.outcomes import Outcome, OutcomeStatus
from mock_server.scenario.conditions.on import matches

SETTLE_WORDS: Final = ("succeeded", "failed")
PART_KEYS: Final = ("outcome", "decline", "settles")
ALL_KEYS: Final = (*PART_KEYS, "challenge", "later")


class Allowed(Struct, frozen=True):
    """What the issuer may be told to say on some operations; `needs_charge`: only where the call leads to one."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    keys: tuple[str, ...]
    settles_as: tuple[str, ...] = SETTLE_WORDS
    needs_charge: bool = False

    def covers(self, on: str) -> bool:
        """Whether the row speaks of a name or of the pattern written in `on`."""
        return any(on == name or (name.endswith(".*") and "*" not in on and matches(name, on)) for name in self.names)


_CHARGE_WORDS: Final = ("succeeded", "failed", "requires_action", "pending", "requires_merchant_action")
_DISPUTE_WORDS: Final = ("won", "lost", "cancelled", "expired")
_CHARGING: Final = ("payments.create", "payments.confirm", "payments.complete_authorize")
_LATER: Final = ("payments.capture", "payments.cancel", "payments.incremental_authorization", "refunds.create")

ALLOWED: Final = (
    Allowed((CHARGE,), _CHARGE_WORDS, ALL_KEYS),
    Allowed(_CHARGING, _CHARGE_WORDS, ALL_KEYS, needs_charge=True),
    Allowed(_LATER, ("succeeded", "failed", "pending"), PART_KEYS),
    Allowed(("disputes.*",), _DISPUTE_WORDS, ("outcome", "settles"), settles_as=_DISPUTE_WORDS),
)
"""One row of the language's table each; what no row covers takes no word of the issuer."""

LATER_NAMES: Final = {
    "capture": "payments.capture",
    "cancel": "payments.cancel",
    "incremental_authorization": "payments.incremental_authorization",
    "refund": "refunds.create",
}
"""The short names of later operations under `later`."""

DEFAULT_DECLINE: Final = {
    "payments.capture": "capture_failed",
    "payments.cancel": "void_failed",
    "refunds.create": "refund_failed",
}
"""What `failed` alone means; anywhere else it is `generic_decline`."""


def allowed_on(name: str) -> Allowed | None:
    """The row for one name or pattern of `on`; None: no words of the issuer."""
    return next((row for row in ALLOWED if row.covers(name)), None)


def with_decline(outcome: Outcome, operation: str) -> Outcome:
    """The outcome with the operation's usual decline where it fails without a name."""
    if outcome.word is not OutcomeStatus.FAILED or outcome.decline is not None:
        return outcome
    return Outcome(OutcomeStatus.FAILED, decline=DEFAULT_DECLINE.get(operation, "generic_decline"))


def say(outcome: Outcome) -> str:
    """An outcome in a few words, for a because: `failed (insufficient_funds)`, `pending, then succeeded in 30 s`."""
    said = outcome.word.value
    if outcome.challenge is not None:
        said += f" ({outcome.challenge})"
    elif outcome.decline is not None:
        said += f" ({outcome.decline})"
    if outcome.settles is not None:
        said += f", then {outcome.settles.word}"
    if outcome.then is not None:
        said += f", then {say(outcome.then)}"
    return said + "".join(f"; later {name} {say(after)}" for name, after in outcome.later.items())
