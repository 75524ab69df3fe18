"""From the values under `then` to what each channel does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import Challenge, Outcome, OutcomeStatus, Settles
from mock_server.scenario.model.answers import (
    LATER_NAMES,
    Delay,
    DelayKind,
    Deliver,
    ErrorAnswer,
    LineRule,
    RawAnswer,
    WebhookRule,
    say,
    say_line,
    say_webhook,
)
from mock_server.scenario.model.scenario import Then
from mock_server.scenario.schema.answers import ISSUER_KEYS, LINE_KEYS, WEBHOOK_KEYS


def then_of(values: Mapping[str, Any]) -> Then:
    """One answer, channel by channel."""
    issuer, line, webhook = outcome_of(values), line_of(values), webhook_of(values)
    said = (issuer and say(issuer), line and say_line(line), webhook and say_webhook(webhook))
    return Then(issuer, line, webhook, "; ".join(text for text in said if text))


def outcome_of(values: Mapping[str, Any]) -> Outcome | None:
    """What the issuer says; None where nothing is said of it."""
    if not any(key in values for key in ISSUER_KEYS):
        return None
    settles = _settles(values)
    later = {LATER_NAMES[name]: _later(word) for name, word in values.get("later", {}).items()}
    word = _word(values)
    if word is OutcomeStatus.REQUIRES_ACTION:
        return _challenged(values, settles, later)
    decline = values.get("decline") if word is OutcomeStatus.FAILED else None
    return Outcome(word, decline=decline, settles=settles, later=later)


def _word(values: Mapping[str, Any]) -> OutcomeStatus:
    """The outcome's word, as said or as implied."""
    if "outcome" in values:
        return OutcomeStatus(values["outcome"])
    if "challenge" in values:
        return OutcomeStatus.REQUIRES_ACTION
    if "settles" in values:
        return OutcomeStatus.PENDING
    return OutcomeStatus.FAILED if "decline" in values else OutcomeStatus.SUCCEEDED


def _challenged(values: Mapping[str, Any], settles: Settles | None, later: Mapping[str, Outcome]) -> Outcome:
    """A challenge, and what the issuer says once it is passed, where that is said."""
    challenge = values.get("challenge")
    result, after = (challenge["result"], challenge.get("after")) if isinstance(challenge, dict) else (challenge, None)
    return Outcome(
        OutcomeStatus.REQUIRES_ACTION,
        challenge=None if result is None else Challenge(result),
        challenge_after_ms=after,
        then=_once_passed(values, settles, later),
        later=later,
    )


def _once_passed(values: Mapping[str, Any], settles: Settles | None, later: Mapping[str, Outcome]) -> Outcome | None:
    if settles is not None:
        return Outcome(OutcomeStatus.PENDING, settles=settles, later=later)
    if "decline" in values:
        return Outcome(OutcomeStatus.FAILED, decline=values["decline"])
    return Outcome(OutcomeStatus.SUCCEEDED, later=later) if later else None


def _settles(values: Mapping[str, Any]) -> Settles | None:
    settles = values.get("settles")
    if settles is None:
        return None
    decline = settles.get("decline", values.get("decline"))
    word = OutcomeStatus(settles.get("as_", "succeeded"))
    return Settles(
        word, settles.get("after"), settles.get("after_polls"), decline if word is OutcomeStatus.FAILED else None
    )


def _later(word: str | Mapping[str, Any]) -> Outcome:
    values = {"outcome": word} if isinstance(word, str) else word
    return outcome_of(values) or Outcome(OutcomeStatus.SUCCEEDED)


def line_of(values: Mapping[str, Any]) -> LineRule | None:
    """What the line does; None where nothing is said of it."""
    if not any(key in values for key in LINE_KEYS):
        return None
    return LineRule(
        error=_error(values.get("error")),
        respond=_raw(values.get("respond")),
        delay=_delay(values.get("delay")),
        fault=LineFault(values["fault"]) if "fault" in values else None,
        kept=values.get("effect") == "kept",
        headers=values.get("headers", {}),
    )


def _error(error: str | Mapping[str, Any] | None) -> ErrorAnswer | None:
    if error is None or isinstance(error, str):
        return None if error is None else ErrorAnswer(error)
    return ErrorAnswer(error["code"], error.get("status"), error.get("message"))


def _raw(respond: Mapping[str, Any] | None) -> RawAnswer | None:
    if respond is None:
        return None
    return RawAnswer(respond["status"], respond.get("headers", {}), respond.get("body"))


def _delay(delay: int | Mapping[str, Any] | None) -> Delay | None:
    if delay is None:
        return None
    if isinstance(delay, int):
        return Delay(DelayKind.FIXED, delay, delay)
    if "between" in delay:
        return Delay(DelayKind.BETWEEN, *delay["between"])
    return Delay(DelayKind.PERCENTILES, delay["p50"], delay["p99"])


def webhook_of(values: Mapping[str, Any]) -> WebhookRule | None:
    """What happens to a delivery; None where nothing is said of it."""
    if not any(key in values for key in WEBHOOK_KEYS):
        return None
    return WebhookRule(
        deliver=_deliver(values.get("deliver")),
        drop=values.get("drop", False),
        copies=values.get("copies", 1),
        concurrently=values.get("concurrently", False),
        signature=values.get("signature"),
        stale=values.get("body") == "stale",
    )


def _deliver(deliver: str | Mapping[str, Any] | None) -> Deliver | None:
    if deliver is None:
        return None
    if isinstance(deliver, str):
        return Deliver(before_response=deliver == "before_response", during_redirect=deliver == "during_redirect")
    return Deliver(delay_ms=deliver.get("delay"), following=deliver.get("following"))
