"""What a card does, as a sentence for tables (ours); it is made from the card's row."""

from __future__ import annotations

from typing import Final

from mock_server.domain.issuer import Authenticates, Behaviour, ChallengeForm, Lookup
from mock_server.domain.outcomes import Outcome, OutcomeStatus

_WHEN: Final = {
    Authenticates.REQUIRED: "3-D Secure",
    Authenticates.UNLESS_SET_UP: "3-D Secure unless authenticated when it was saved",
    Authenticates.ALWAYS: "3-D Secure always",
    Authenticates.ON_REQUEST: "3-D Secure on request",
}
_LOOKUP: Final = {
    Lookup.AUTHENTICATED: " without a challenge",
    Lookup.ATTEMPTED: " attempted without a challenge",
    Lookup.REJECTED: " refused without a challenge",
    Lookup.UNAVAILABLE: " with its service down",
}
_FORM: Final = {ChallengeForm.ONE_TIME_CODE: " by one-time code", ChallengeForm.CAPTCHA: " by captcha"}
BY_HAND: Final = "when settled manually"
_UNITS: Final = ((86_400_000, "d"), (60_000, "min"), (1_000, "s"))


def card_effect(behaviour: Behaviour) -> str:
    """Return the result of a charge of such a card: `3-D Secure, then declined: insufficient_funds`."""
    on_request = behaviour.authenticates is Authenticates.ON_REQUEST
    how = _LOOKUP.get(behaviour.lookup, "") + _FORM.get(behaviour.form, "")
    parts = [_answer(behaviour)]
    # Every card authenticates on request; only what is special about a card is said.
    if behaviour.authenticates is not Authenticates.NEVER and (how or not on_request):
        parts.insert(0, _WHEN[behaviour.authenticates] + how)
    plain = f"{_outcome(behaviour.says)}; " if on_request and how else ""
    later = f"; when charged again later: {_outcome(behaviour.later)}" if behaviour.later else ""
    return plain + ", then ".join(parts) + later


def _answer(behaviour: Behaviour) -> str:
    if behaviour.lookup in {Lookup.REJECTED, Lookup.UNAVAILABLE}:
        return "failed"
    said = _outcome(behaviour.says)
    if behaviour.authenticates is Authenticates.NEVER and behaviour.says.word is OutcomeStatus.SUCCEEDED:
        said += "; no 3-D Secure"
    if behaviour.risk is not None:
        said += f"; risk {behaviour.risk.score}: {behaviour.risk.reason}"
    return said.replace(BY_HAND, f"{BY_HAND} or retrieved with force_sync") if behaviour.on_sync else said


def _outcome(outcome: Outcome) -> str:
    said = _word(outcome)
    wrong = [f"{name} {result}" for name, result in outcome.checks.items() if result != "pass"]
    if wrong:
        said += f" ({', '.join(wrong)})"
    for operation, answer in outcome.later.items():
        said += f"; {operation}: {_word(answer)}"
    for plan in outcome.disputes:
        share = "" if plan.percent == 100 else f" over {plan.percent}%"
        when = f" after {_span(plan.after_ms)}" if plan.after_ms else ""
        said += f"; then {plan.stage}{share}{when}: {plan.reason}"
    return said


def _word(outcome: Outcome) -> str:
    match outcome.word:
        case OutcomeStatus.FAILED:
            said = f"declined: {outcome.decline}"
        case OutcomeStatus.PARTIALLY_AUTHORIZED:
            said = f"{outcome.approved_percent}% approved with enable_partial_authorization, else {outcome.decline}"
        case OutcomeStatus.REQUIRES_MERCHANT_ACTION:
            said = "held for review"
        case word:
            said = str(word)
    settles = outcome.settles
    if settles is None:
        return said
    end = f"{settles.word} ({settles.decline})" if settles.decline else str(settles.word)
    return f"{said}, then {end} {BY_HAND if settles.after_ms is None else f'after {_span(settles.after_ms)}'}"


def _span(ms: int) -> str:
    size, unit = next((size, unit) for size, unit in _UNITS if ms % size == 0)
    return f"{ms // size} {unit}"
