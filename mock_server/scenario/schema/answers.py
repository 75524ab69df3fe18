"""The block under `then`, and the blocks in it: the answers in each of the three channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.domain import declines
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import Challenge
from mock_server.domain.statuses import ALIASES, DisputeStage
from mock_server.scenario.conditions.on import EVENTS
from mock_server.scenario.conditions.when import show
from mock_server.scenario.model.answers import ALLOWED, ISSUER_KEYS, LATER_NAMES, LATER_WORDS, POINTS, allowed_on
from mock_server.scenario.schema import kinds
from mock_server.scenario.schema.block import KeySentence, ListOf, MappingOf, Nested, OneOf, SchemaBlock, sentence

OUTCOMES: Final = tuple(dict.fromkeys(word for row in ALLOWED for word in row.words))
SETTLE_WORDS: Final = tuple(dict.fromkeys(word for row in ALLOWED for word in row.settles_as))
FAILED: Final = "failed"
OPEN = PENDING, ACTION, REVIEW = "pending", "requires_action", "requires_merchant_action"
EFFECTS: Final = ("none", "kept")


class WordOrBlock(OneOf):
    """A block, or one word for a block that has only this `key`."""

    def __init__(self, word: kinds.ScenarioKind, key: str, block: type[SchemaBlock], about: str = "") -> None:
        nested = Nested(block)
        super().__init__(lambda value: nested if isinstance(value, dict) else word, (word, nested), about)
        self.key = key

    def read(self, value: Any) -> Any:
        made = super().read(value)
        return made if isinstance(value, dict) else {self.key: made}


def decline(about: str = "") -> kinds.Word:
    """A name of the catalogue of declines."""
    return kinds.Word(declines.names(), "decline", about)


class SettlesBlock(SchemaBlock):
    """When a pending outcome settles, and how."""

    after = kinds.ScenarioDuration("Time until it settles, by the workspace's clock.")
    after_polls = kinds.ScenarioWhole(1, 1_000, "Number of times the payment is retrieved before it settles.")
    as_ = kinds.Word(SETTLE_WORDS, about="Final status. Defaults to succeeded.", data_key="as")
    decline = decline("Reason for the failure.")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _one_way(self, data: dict[str, Any], original: dict[str, Any], **kwargs: Any) -> None:
        if len({"after", "after_polls"} & original.keys()) != 1:
            raise sentence("settles needs either after or after_polls; without settles, nothing follows")
        if "decline" in data and data.get("as_") != "failed":
            raise ValidationError({"decline": ["needs as: failed"]})


class ChallengeBlock(SchemaBlock):
    """How a challenge ends, and when by the workspace's clock."""

    result = kinds.Word(list(Challenge), about="Result.", required=True)
    after = kinds.ScenarioDuration("Time after which it completes automatically.")


class DisputeBlock(SchemaBlock):
    """A dispute that the card's bank opens after the capture."""

    after = kinds.ScenarioDuration("Time after the capture, by the workspace's clock. Defaults to 0s.")
    reason = kinds.Word(list(REASON_CODES), "reason of a dispute", "Reason. Defaults to general.")
    stage = kinds.Word(list(DisputeStage), about="Stage in which it opens. Defaults to dispute.")
    amount = OneOf(
        lambda value: kinds.Percent() if isinstance(value, str) else kinds.ScenarioWhole(1),
        (kinds.ScenarioWhole(1), kinds.Percent()),
        "In minor units, or a share of what was captured such as 50%. Defaults to all of it, which is the most.",
    )
    respond_within = kinds.ScenarioDuration("Time to challenge it. Defaults to 7d.", least_ms=1)


class PartBlock(SchemaBlock):
    """How one later operation ends."""

    what: ClassVar[str] = "an outcome of a later operation"
    outcome = kinds.Word(LATER_WORDS, about="Outcome.")
    decline = decline("Reason for the failure.")
    settles = Nested(SettlesBlock, "When it settles, if the outcome is pending.")

    @validates_schema(skip_on_field_errors=False)
    def _sound(self, data: dict[str, Any], **kwargs: Any) -> None:
        errors = {key: [message] for key, is_wrong, message in _RULES if key in data and is_wrong(data)}
        if errors:
            raise ValidationError(errors)


def _later(about: str) -> OneOf:
    return WordOrBlock(kinds.Word(LATER_WORDS), "outcome", PartBlock, about)


class LaterBlock(SchemaBlock):
    """What later operations on this payment will do, each as a word or a block."""

    capture = _later("Captures of the payment.")
    cancel = _later("Cancels of the payment.")
    incremental_authorization = _later("Increments of the authorization.")
    refund = _later("Refunds of the payment.")

    @validates_schema(skip_on_field_errors=False)
    def _possible(self, data: dict[str, Any], **kwargs: Any) -> None:
        if errors := {name: found for name, answer in data.items() if (found := impossible(LATER_NAMES[name], answer))}:
            raise ValidationError(errors)


def impossible(name: str, answer: dict[str, Any]) -> dict[str, Any]:
    """The issuer's keys in an answer to one name or pattern of `on` that cannot be so, each with its errors."""
    return {key: found for key in ISSUER_KEYS if key in answer and (found := _issuer_key(name, key, answer))}


def _issuer_key(name: str, key: str, answer: dict[str, Any]) -> Any:
    row = allowed_on(name)
    if row is None:
        is_event = name.startswith("webhook.") and "*" not in name
        instead = f"allowed: {', '.join(WEBHOOK_KEYS if is_event else LINE_KEYS)}"
        kind = f"{name.partition('.')[0]}."
        asked = [one for row in ALLOWED for one in row.names if one.startswith(kind) and "*" not in one + name]
        instead += f"; {key} is for {', '.join(asked)}" if asked else ""
        return [KeySentence(f"{key} is not allowed on {name}, which does not involve the issuer; {instead}")]
    if key not in row.keys:
        return [KeySentence(f"{key} is not allowed on {name}; allowed: {', '.join(row.keys)}")]
    if key == "outcome" and answer["outcome"] not in row.words:
        return [f"{show(answer['outcome'])} cannot happen on {name}; allowed: {', '.join(row.words)}"]
    if key == "settles" and comes_back(answer) and name != "refunds.create":
        return ["needs outcome: pending, or no outcome; only a refund can fail after it succeeded"]
    word = answer["settles"].get("as_", "succeeded") if key == "settles" else None
    if word is not None and word not in row.settles_as:
        return {"as": [f"{show(word)} cannot happen on {name}; allowed: {', '.join(row.settles_as)}"]}
    return None


def comes_back(answer: dict[str, Any]) -> bool:
    """Whether the answer says that the operation succeeds first, and fails later."""
    return answer.get("outcome") == "succeeded" and _settles_failed(answer)


class ErrorBlock(SchemaBlock):
    """An error with a code, status or text of the scenario's own."""

    code = kinds.ErrorCode("An error code of the API.", required=True)
    status = kinds.ScenarioWhole(400, 599, "HTTP status. Defaults to that of the code.")
    message = kinds.ScenarioText("Error message. Defaults to that of the code.", longest=1_000)


class RespondBlock(SchemaBlock):
    """Complete answer to return."""

    status = kinds.ScenarioWhole(200, 599, "HTTP status.", required=True)
    headers = MappingOf(kinds.HeaderValue(longest=4_000), kinds.HeaderName(), "Headers of the answer.")
    body = kinds.anything("Text is sent as it is; anything else as JSON.")


class DelayBlock(SchemaBlock):
    """A delay that is drawn anew for each call."""

    between = kinds.Span("A random delay between the two.")
    p50 = kinds.ScenarioDuration("Median delay: half of the calls wait less.")
    p99 = kinds.ScenarioDuration("99th percentile: one call in a hundred waits longer.")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _one_sort(self, data: dict[str, Any], original: dict[str, Any], **kwargs: Any) -> None:
        if original.keys() & self.keys().keys() not in ({"between"}, {"p50", "p99"}):
            raise sentence("delay needs either between, or p50 and p99")
        if "p50" in data and "p99" in data and not 0 < data["p50"] < data["p99"]:
            raise ValidationError({"p99": ["must be longer than p50, which must not be 0"]})


class DeliverBlock(SchemaBlock):
    """When a delivery leaves."""

    delay = kinds.ScenarioDuration("Later, by the workspace's clock.")
    following = kinds.Word(EVENTS, "event", "Only after this event of the same payment is delivered.")

    @validates_schema(skip_on_field_errors=True)
    def _one_way(self, data: dict[str, Any], **kwargs: Any) -> None:
        if len(data) != 1:
            raise sentence("deliver needs either delay or following")


class IssuerBlock(PartBlock):
    """Outcome of the charge."""

    outcome = kinds.Word((*OUTCOMES, *ALIASES), about="Outcome of the charge.")
    decline = decline("Decline by the issuer; implies failed.")
    challenge = WordOrBlock(
        kinds.Word(list(Challenge)),
        "result",
        ChallengeBlock,
        "Result of the customer's 3-D Secure challenge; implies requires_action.",
    )
    settles = Nested(SettlesBlock, "When the payment settles; implies pending.")
    dispute = ListOf(
        WordOrBlock(kinds.Word(list(REASON_CODES)), "reason", DisputeBlock),
        "Disputes that the card's bank opens after the capture.",
        lone=True,
        most=10,
    )
    expires = kinds.ScenarioDuration(
        "Time until the authorization, or the customer's time for it, expires.", least_ms=1
    )
    later = Nested(LaterBlock, "Outcomes of later operations on this payment.")


class ThenBlock(IssuerBlock):
    """One answer of a rule: the issuer's keys, and those of the line and of webhooks."""

    @classmethod
    def hint(cls, value: object) -> str:
        """How to write an outcome that was given as a word alone."""
        return f"; write {{outcome: {value}}}" if value in OUTCOMES else ""

    # the line
    error = WordOrBlock(kinds.ErrorCode(), "code", ErrorBlock, "API error to return instead of the real answer.")
    respond = Nested(RespondBlock, "Complete answer to return.")
    delay = WordOrBlock(kinds.ScenarioDuration(), "fixed", DelayBlock, "Delay of the answer, in real time.")
    fault = kinds.Word(list(LineFault), about="How the connection fails.")
    effect = kinds.Word(EFFECTS, about="kept: the operation is performed although the client gets no answer.")
    headers = MappingOf(
        kinds.HeaderValue("", 4_000), kinds.HeaderName(), "Headers of the answer, instead of ours of the same names."
    )
    # the webhook
    deliver = WordOrBlock(kinds.Word(POINTS), "at", DeliverBlock, "When the delivery is sent.")
    drop = kinds.Truth("true: it is never sent.")
    copies = kinds.ScenarioWhole(1, 100, "Number of times it is sent.")
    concurrently = kinds.Truth("true: all copies are sent at the same moment.")
    signature = kinds.Word(("wrong", "missing"), about="Fault in the signature.")
    body = kinds.Word(("stale",), about="stale: the body has the object as it was before this event.")


LINE_KEYS: Final = ("error", "respond", "delay", "fault", "effect", "headers")
WEBHOOK_KEYS: Final = ("deliver", "drop", "copies", "concurrently", "signature", "body")


def _other(data: dict[str, Any], *words: str) -> bool:
    return "outcome" in data and data["outcome"] not in words


def _fails(data: dict[str, Any]) -> bool:
    return "decline" in data or data.get("outcome") == FAILED


def _challenge_fails(data: dict[str, Any]) -> bool:
    return "challenge" in data and data["challenge"].get("result", "approved") != "approved"


def _settles_failed(data: dict[str, Any]) -> bool:
    return "settles" in data and data["settles"].get("as_") == FAILED


def _ends_call(data: dict[str, Any]) -> bool:
    breaks = data.get("fault", LineFault.SLOW_BODY) != LineFault.SLOW_BODY
    return data.get("effect") != "kept" and (breaks or "error" in data or "respond" in data)


SILENT: Final = [fault for fault in LineFault if not fault.has_status]
NEEDS: Final = "needs outcome: {}, or no outcome"
NO_EFFECT: Final = "has no effect: the charge fails"
_RULES: Final[tuple[tuple[str, Callable[[dict[str, Any]], object], str], ...]] = (
    ("decline", lambda it: "settles" not in it and _other(it, FAILED, ACTION), NEEDS.format(FAILED)),
    ("decline", _challenge_fails, "can only follow a challenge that is approved"),
    ("challenge", lambda it: _other(it, ACTION), NEEDS.format(ACTION)),
    ("challenge", lambda it: {"abandoned"} < {*it["challenge"].values()}, "has no after: nobody comes back"),
    ("settles", lambda it: "challenge" not in it and _other(it, *OPEN) and not comes_back(it), NEEDS.format(PENDING)),
    ("settles", lambda it: it.get("outcome") == REVIEW and "after_polls" in it["settles"], "needs after for a review"),
    ("settles", lambda it: "decline" in it and "decline" in it["settles"], "has a decline of its own: remove one"),
    ("settles", _challenge_fails, "can only follow a challenge that is approved"),
    ("settles", lambda it: "decline" in it and not _settles_failed(it), "needs as: failed for a decline"),
    ("later", lambda it: _fails(it) or _settles_failed(it), NO_EFFECT),
    ("dispute", lambda it: _fails(it) or _challenge_fails(it) or _settles_failed(it), NO_EFFECT),
    ("expires", lambda it: (_fails(it) or _settles_failed(it)) and "challenge" not in it, NO_EFFECT),
    *(
        (key, lambda it: it.get("fault") in SILENT, "has no effect: this fault sends no answer")
        for key in ("error", "respond", "headers")
    ),
    *((key, _ends_call, "has no effect: nothing is performed without effect: kept") for key in ISSUER_KEYS),
    ("respond", lambda it: "error" in it, "cannot be combined with error: there is only one answer"),
    ("effect", lambda it: not {"error", "fault", "respond"} & it.keys(), "needs error, fault or respond"),
    ("effect", lambda it: it["effect"] == "none" and "fault" in it and not _ends_call(it), "is kept with slow_body"),
    *((key, lambda it: it.get("drop"), "cannot be combined with drop: true") for key in WEBHOOK_KEYS if key != "drop"),
    ("concurrently", lambda it: it["concurrently"] and it.get("copies", 1) < 2, "needs copies: 2 or more"),
)
"""Keys that are not allowed beside others, with the reason."""
