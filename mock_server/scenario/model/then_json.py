"""Answers as a rule's `then` would say them: the way back from what was decided to the language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mock_server.domain.outcomes import Outcome, OutcomeStatus, Settles

if TYPE_CHECKING:
    from mock_server.scenario.model.answers import LineRule

Json = dict[str, Any]


def then_of(outcome: Outcome) -> Json:
    """An issuer's answer under `then`."""
    later = {name: then_of(one) for name, one in _later_of(outcome).items()}
    return {**_word_of(outcome), **({"later": later} if later else {})}


def _word_of(outcome: Outcome) -> Json:
    if outcome.word is OutcomeStatus.REQUIRES_ACTION:
        return _challenged(outcome)
    if outcome.word is OutcomeStatus.FAILED and outcome.decline is not None:
        return {"decline": outcome.decline}
    if outcome.settles is not None:
        return {"settles": _settles(outcome.settles), **_open(outcome)}
    return {"outcome": outcome.word.value}


def _open(outcome: Outcome) -> Json:
    """The word of an answer that settles later, where it is not the usual one."""
    return {} if outcome.word is OutcomeStatus.PENDING else {"outcome": outcome.word.value}


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


def _later_of(outcome: Outcome) -> Mapping[str, Outcome]:
    from mock_server.scenario.model.allowed_outcomes import LATER_NAMES

    short = {operation: name for name, operation in LATER_NAMES.items()}
    return {short[name]: one for name, one in outcome.later.items() if name in short}


def line_then_of(rule: LineRule, delay_ms: int) -> Json:
    """What was done to one call's line under `then`, its delay as it was drawn."""
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
