"""The block under `then`, and the blocks in it: what is said in each of the three channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.domain import declines
from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import Challenge
from mock_server.domain.statuses import ALIASES
from mock_server.scenario.conditions.on import events
from mock_server.scenario.model.answers import ALLOWED
from mock_server.scenario.schema.block import Nested, SchemaBlock, sentence
from mock_server.scenario.schema.containers import MappingOf, OneOf
from mock_server.scenario.schema.kinds import (
    ErrorCode,
    HeaderName,
    HeaderValue,
    ScenarioDuration,
    ScenarioKind,
    ScenarioText,
    ScenarioWhole,
    Span,
    Truth,
    Word,
    anything,
)

OUTCOMES: Final = tuple(dict.fromkeys(word for row in ALLOWED for word in row.words))
SETTLE_WORDS: Final = tuple(dict.fromkeys(word for row in ALLOWED for word in row.settles_as))
FAILED: Final = "failed"
EFFECTS: Final = ("none", "kept")
POINTS: Final = ("before_response", "during_redirect")
SIGNATURES: Final = ("wrong", "missing")


def word_or_block(word: ScenarioKind, key: str, block: type[SchemaBlock], wanted: str, about: str = "") -> OneOf:
    """A block, or one word where that says enough: a block that has it under `key`."""
    nested = Nested(block)
    return WordOrBlock(key, lambda value: nested if isinstance(value, dict) else word, (word, nested), wanted, about)


class WordOrBlock(OneOf):
    """A block in one of its two forms."""

    def __init__(self, key: str, *options: Any) -> None:
        super().__init__(*options)
        self.key = key

    def read(self, value: Any) -> Any:
        made = super().read(value)
        return made if isinstance(value, dict) else {self.key: made}


def decline(about: str = "") -> Word:
    """A name of the catalogue of declines."""
    return Word(declines.names, "decline", about)


class SettlesBlock(SchemaBlock):
    """When an open answer closes, and how."""

    what: ClassVar[str] = "settles"
    after = ScenarioDuration("By the workspace's clock.")
    after_polls = ScenarioWhole(1, 1_000, "After so many retrieves of the payment.")
    as_ = Word(SETTLE_WORDS, about="How it closes; succeeded if not said.", data_key="as")
    decline = decline("Why it fails.")

    @validates_schema(skip_on_field_errors=False)
    def _one_way(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "after" in data and "after_polls" in data:
            raise sentence("settles has both after and after_polls; one of them closes the answer")
        if "decline" in data and data.get("as_") != "failed":
            raise ValidationError({"decline": ["needs as: failed beside it"]})


class ChallengeBlock(SchemaBlock):
    """How a challenge ends, and when by the workspace's clock."""

    what: ClassVar[str] = "challenge"
    result = Word(list(Challenge), about="How it ends.", required=True)
    after = ScenarioDuration("Ends by itself after this time, page opened or not.")


class PartBlock(SchemaBlock):
    """How one later operation ends."""

    what: ClassVar[str] = "an outcome of a later operation"
    outcome = Word(("succeeded", "failed", "pending"), about="What comes of it.")
    decline = decline("Why it fails.")
    settles = Nested(SettlesBlock, "When it closes, where it is pending.")


def _later(about: str) -> OneOf:
    return word_or_block(Word(("succeeded", "failed", "pending")), "outcome", PartBlock, "an outcome", about)


class LaterBlock(SchemaBlock):
    """What later operations on this payment will do, each as a word or a block."""

    what: ClassVar[str] = "later"
    capture = _later("Captures of the payment.")
    cancel = _later("Cancels of the payment.")
    incremental_authorization = _later("Raises of the authorization.")
    refund = _later("Refunds of the payment.")


class ErrorBlock(SchemaBlock):
    """An error with a code, status or text of the scenario's own."""

    what: ClassVar[str] = "error"
    code = ErrorCode("A code of the catalogue of errors.", required=True)
    status = ScenarioWhole(400, 599, "The HTTP status; the code's own if not said.")
    message = ScenarioText("The text; the code's own if not said.", longest=1_000)


class RespondBlock(SchemaBlock):
    """A whole answer, as written."""

    what: ClassVar[str] = "respond"
    status = ScenarioWhole(200, 599, "The HTTP status.", required=True)
    headers = MappingOf(HeaderValue(), HeaderName(), "Headers of the answer.")
    body = anything("Text as it stands; anything else as JSON.")


class DelayBlock(SchemaBlock):
    """A delay that is drawn anew for each call."""

    what: ClassVar[str] = "delay"
    between = Span("Anything from the first to the second.")
    p50 = ScenarioDuration("Half of the calls wait less.")
    p99 = ScenarioDuration("One call in a hundred waits longer.")

    @validates_schema(skip_on_field_errors=False)
    def _one_sort(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "between" in data and ("p50" in data or "p99" in data):
            raise sentence("delay has both between and percentiles; say one of them")
        if "p50" in data and "p99" in data and not 0 < data["p50"] < data["p99"]:
            raise ValidationError({"p99": ["must be longer than p50, which must not be 0"]})

    @validates_schema(skip_on_field_errors=True)
    def _complete(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "between" not in data and not {"p50", "p99"} <= set(data):
            raise sentence("delay needs between, or p50 and p99")


class DeliverBlock(SchemaBlock):
    """When a delivery leaves."""

    what: ClassVar[str] = "deliver"
    delay = ScenarioDuration("Later, by the workspace's clock.")
    following = Word(events, "event", "Only after this event of the same payment was delivered.")

    @validates_schema(skip_on_field_errors=True)
    def _one_way(self, data: dict[str, Any], **kwargs: Any) -> None:
        if len(data) != 1:
            raise sentence("deliver needs either delay or following")


class IssuerBlock(SchemaBlock):
    """What the issuer says."""

    outcome = Word((*OUTCOMES, *ALIASES), about="What the issuer says.")
    decline = decline("Why the issuer declines; implies failed.")
    challenge = word_or_block(
        Word(list(Challenge)),
        "result",
        ChallengeBlock,
        "how a challenge ends",
        "How the customer's challenge ends; implies requires_action.",
    )
    settles = Nested(SettlesBlock, "When the answer closes; implies pending.")
    later = Nested(LaterBlock, "What later operations on this payment will do.")

    @validates_schema(skip_on_field_errors=False)
    def _sound(self, data: dict[str, Any], **kwargs: Any) -> None:
        errors = {key: [message] for key, cannot_stand, message in _RULES if key in data and cannot_stand(data)}
        if errors:
            raise ValidationError(errors)


class ThenBlock(IssuerBlock):
    """One answer of a rule: the issuer's keys, and those of the line and of webhooks."""

    what: ClassVar[str] = "then"

    @classmethod
    def hint(cls, value: object) -> str:
        """An outcome's word alone was surely meant as one."""
        return f"; write {{outcome: {value}}}" if value in OUTCOMES else ""

    # the line
    error = word_or_block(
        ErrorCode(), "code", ErrorBlock, "an error code", "An error of the API instead of its answer."
    )
    respond = Nested(RespondBlock, "A whole answer, as written.")
    delay = word_or_block(
        ScenarioDuration(), "fixed", DelayBlock, "a duration", "How long the answer waits, in real time."
    )
    fault = Word(list(LineFault), about="How the line breaks.")
    effect = Word(EFFECTS, about="kept: the operation takes place although the client does not learn of it.")
    headers = MappingOf(HeaderValue(), HeaderName(), "Headers added to the answer.")
    # the webhook
    deliver = word_or_block(Word(POINTS), "at", DeliverBlock, "when the delivery leaves", "When the delivery leaves.")
    drop = Truth("true: it is never sent.")
    copies = ScenarioWhole(1, 100, "How often it is sent, the first time included.")
    concurrently = Truth("true: all copies leave at the same moment.")
    signature = Word(SIGNATURES, about="What is wrong with its signature.")
    body = Word(("stale",), about="stale: the object as it was before this event.")


ISSUER_KEYS: Final = ("outcome", "decline", "challenge", "settles", "later")
LINE_KEYS: Final = ("error", "respond", "delay", "fault", "effect", "headers")
WEBHOOK_KEYS: Final = ("deliver", "drop", "copies", "concurrently", "signature", "body")


def _other_than(*words: str) -> Callable[[dict[str, Any]], bool]:
    return lambda data: "outcome" in data and data["outcome"] not in words


def _challenge_fails(data: dict[str, Any]) -> bool:
    return "challenge" in data and data["challenge"].get("result", "approved") != "approved"


def _decline_does_not_fit(data: dict[str, Any]) -> bool:
    return "settles" not in data and _other_than("failed", "requires_action")(data)


def _settles_does_not_fit(data: dict[str, Any]) -> bool:
    return "challenge" not in data and _other_than("pending", "requires_merchant_action", "requires_action")(data)


_RULES: Final[tuple[tuple[str, Callable[[dict[str, Any]], object], str], ...]] = (
    ("decline", _decline_does_not_fit, "needs outcome: failed, or none at all"),
    ("decline", _challenge_fails, "can only follow a challenge that is approved"),
    ("challenge", _other_than("requires_action"), "needs outcome: requires_action, or none at all"),
    ("settles", _settles_does_not_fit, "needs outcome: pending, or none at all"),
    ("settles", _challenge_fails, "can only follow a challenge that is approved"),
    ("settles", lambda it: "decline" in it and it["settles"].get("as_") != FAILED, "needs as: failed beside a decline"),
    ("later", lambda it: "decline" in it or it.get("outcome") == "failed", "has nothing to follow: the charge fails"),
    ("respond", lambda it: "error" in it, "cannot stand beside error; one answer is given"),
    ("effect", lambda it: not {"error", "fault", "respond"} & it.keys(), "needs error, fault or respond beside it"),
    ("copies", lambda it: it["copies"] > 1 and it.get("drop") is True, "cannot stand beside drop: true"),
    ("concurrently", lambda it: it["concurrently"] and it.get("copies", 1) < 2, "needs copies of 2 or more"),
)
"""Keys that cannot stand beside what else there is, with the reason."""
