"""The whole file, its assertions, and the language as a JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.contract.kinds.base import Json
from mock_server.contract.operations import CHARGE, NAMES
from mock_server.domain import card_brands, limits
from mock_server.domain.cards import CardType
from mock_server.domain.faults import LineFault
from mock_server.scenario.conditions.on import EVENTS, RECORDS, covered
from mock_server.scenario.conditions.paths import compile_fact
from mock_server.scenario.conditions.when import show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema import kinds
from mock_server.scenario.schema.answers import EFFECTS, IssuerBlock, decline, impossible
from mock_server.scenario.schema.block import KeySentence, ListOf, MappingOf, Nested, SchemaBlock, sentence
from mock_server.scenario.schema.given import GivenBlock
from mock_server.scenario.schema.rule import NextBlock, OnName, RuleBlock, When
from mock_server.scenario.story.requests import CONNECTIONS, UNREAD, VERBS
from mock_server.settings import ROWS
from mock_server.settings.load import text_of

SUBJECTS: Final = ("calls", *RECORDS, "webhooks")


class CallName(OnName):
    """A name or pattern of calls of the API, without charges, pages and webhooks."""

    KNOWN = NAMES


class Subject(kinds.ScenarioKind):
    """What is counted: a `when` over its own fields; for calls and webhooks a name alone means `on` or `type`."""

    def __init__(self, subject: str, about: str = "") -> None:
        super().__init__(about)
        self.short = {"calls": "on", "webhooks": "type"}.get(subject)
        self.when = When(lambda text: compile_fact(subject, text))
        self.on = ListOf(CallName(), lone=True, most=50)

    def json(self) -> Json:
        found = self.when.json()
        return {"anyOf": [{"type": "string"}, found]} if self.short else found

    def read(self, value: Any) -> dict[str, Any]:
        if isinstance(value, str) and self.short:
            if self.short == "on":
                return {"on": [CallName().deserialize(value)], "where": ()}
            return {"where": self.when.deserialize({self.short: value})}
        if not isinstance(value, dict):
            raise kinds.wrong(value, "a mapping" + (f", or a name for {self.short}" if self.short else ""))
        made: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        rest = dict(value)
        try:
            if self.short == "on" and "on" in rest:
                made["on"] = self.on.deserialize(rest.pop("on"))
        except ValidationError as found:
            errors["on"] = found.messages
        try:
            made["where"] = self.when.deserialize(rest)
        except ValidationError as found:
            errors.update(found.messages)  # type: ignore[arg-type]  # a mapping by path
        if errors:
            raise ValidationError(errors)
        return made


class OrderStep(kinds.ScenarioKind):
    """One step of `in_order`: `calls.payments.create`, `webhooks.payment_succeeded`."""

    json_form: ClassVar[Json] = {"type": "string", "pattern": r"^(calls|webhooks)\."}

    def read(self, value: Any) -> tuple[str, str]:
        subject, dot, name = value.partition(".") if isinstance(value, str) else ("", "", "")
        if subject not in ("calls", "webhooks") or not dot:
            raise kinds.wrong(value, "calls.<operation> or webhooks.<event>")
        known = NAMES if subject == "calls" else EVENTS
        if name not in known and not (subject == "calls" and "*" in name and covered(name) & NAMES):
            raise ValidationError(f"has no such step: {show(value)}{nearest(name, known)}")
        return subject, name


class ExpectBlock(SchemaBlock):
    """One expectation."""

    what: ClassVar[str] = "an assertion"
    calls = Subject("calls", "Received calls, including repeated ones and those with a lost answer.")
    payments = Subject("payments", "Payments in the workspace.")
    refunds = Subject("refunds", "Refunds in the workspace.")
    disputes = Subject("disputes", "Disputes in the workspace.")
    customers = Subject("customers", "Customers in the workspace.")
    webhooks = Subject("webhooks", "Delivery attempts of webhooks.")
    exactly = kinds.ScenarioWhole(0, about="Exactly this many.")
    at_least = kinds.ScenarioWhole(0, about="At least this many.")
    at_most = kinds.ScenarioWhole(0, about="At most this many.")
    unique_by = kinds.ScenarioText("All have different values at this path.", longest=200)
    in_order = ListOf(OrderStep(), "These happened in this order, possibly with others in between.", least=2)

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _one_subject(self, data: dict[str, Any], original: Any, **kwargs: Any) -> None:
        found = [key for key in (*SUBJECTS, "in_order") if key in original]
        if len(found) != 1:
            there = " and ".join(found) or "none of them"
            raise sentence(
                f"an assertion must have exactly one of {', '.join(SUBJECTS)}, in_order; this one has {there}"
            )
        if found == ["in_order"] and (extra := [key for key in _BOUNDS if key in original]):
            raise ValidationError({extra[0]: ["cannot be combined with in_order"]})

    @validates_schema(skip_on_field_errors=True)
    def _bounds(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "exactly" in data and ("at_least" in data or "at_most" in data):
            raise ValidationError({"exactly": ["cannot be combined with at_least or at_most"]})
        if data.get("at_least", 0) > data.get("at_most", data.get("at_least", 0)):
            raise ValidationError({"at_least": ["is greater than at_most"]})
        if data.get("at_least") == 0 and "at_most" not in data:
            raise ValidationError({"at_least": ["is always true with 0"]})
        if "unique_by" in data and ("calls" in data or "webhooks" in data):
            raise ValidationError({"unique_by": ["works only for records, not for calls or webhooks"]})
        if any(data.get("unique_by") == f"{subject[:-1]}_id" for subject in SUBJECTS if subject in data):
            raise ValidationError({"unique_by": ["is always true of the records' own IDs"]})
        if "unique_by" in data and any(bound in data for bound in _BOUNDS[:3]):
            raise ValidationError({"unique_by": ["cannot be combined with exactly, at_least or at_most"]})


_BOUNDS: Final = ("exactly", "at_least", "at_most", "unique_by")


VERSION: Final = 1


class Version(kinds.ScenarioKind):
    """The language's version."""

    json_form: ClassVar[Json] = {"type": "integer", "const": VERSION}

    def read(self, value: Any) -> int:
        if isinstance(value, bool) or value != VERSION:
            raise ValidationError(f"must be {VERSION}, not {show(value)}")
        return VERSION


class CardNumber(kinds.ScenarioKind):
    """The number of a test card."""

    json_form: ClassVar[Json] = {"type": "string", "pattern": "^([0-9] ?){12,19}$"}

    def read(self, value: Any) -> str:
        digits = card_brands.digits_of(str(value))
        if not (digits.isascii() and digits.isdecimal() and 12 <= len(digits) <= 19):
            raise ValidationError(f"{value} is not a card number of 12 to 19 digits")
        return digits


class CardBlock(IssuerBlock):
    """A test card of the scenario: the issuer's keys, a name, a brand."""

    what: ClassVar[str] = "a card"
    name = kinds.Name("Details of the card that are stored and shown.", required=True)
    brand = kinds.Word(
        [brand.slug for brand in card_brands.BRANDS], about="Card brand. Defaults to the one of the first digits."
    )
    type = kinds.Word(list(CardType), about="Card type. Defaults to credit.")

    @validates_schema(skip_on_field_errors=False)
    def _possible(self, data: dict[str, Any], **kwargs: Any) -> None:
        if errors := impossible(CHARGE, data):
            raise ValidationError(errors)


class ChaosBlock(SchemaBlock):
    """Random failures: at most one per call, and one per delivery."""

    connection_reset = kinds.Share("The connection is reset.")
    empty_response = kinds.Share("The connection ends without an answer.")
    truncated_body = kinds.Share("The body ends halfway.")
    malformed_json = kinds.Share("The body is not JSON.")
    slow_body = kinds.Share("The body arrives very slowly.")
    hang = kinds.Share("No answer arrives before the client gives up.")
    error = MappingOf(kinds.Share(), kinds.ErrorCode(), "API errors, by code.")
    effect = kinds.Word(EFFECTS, about="kept: the operation is performed although the connection fails.")
    decline = MappingOf(kinds.Share(), decline(), "Declines of the issuer, by name.")
    webhook_copies = kinds.Share("A delivery is sent twice.")
    webhook_drop = kinds.Share("A delivery is never sent.")

    @validates_schema(skip_on_field_errors=True)
    def _at_most_all(self, data: dict[str, Any], **kwargs: Any) -> None:
        totals = {
            "the connection": sum(data.get(f.value, 0.0) for f in LineFault) + sum(data.get("error", {}).values()),
            "the issuer": sum(data.get("decline", {}).values()),
            "webhooks": data.get("webhook_copies", 0.0) + data.get("webhook_drop", 0.0),
        }
        if "effect" in data and not totals["the connection"]:
            raise ValidationError({"effect": ["needs a fault or an error"]})
        for what, total in totals.items():
            if total > 1 + 1e-9:
                raise ValidationError(f"adds up to {total * 100:g}% for {what}; the maximum is 100%")


class SettingsTable(kinds.ScenarioKind):
    """Settings of the workspace while the scenario is active, as `--name value` would take them."""

    def json(self) -> Json:
        any_of: Json = {"type": ["string", "number", "boolean"]}
        shown = {name: {"description": ROWS[name].doc, **any_of} for name in WORKSPACE_SETTINGS}
        return {"type": "object", "properties": shown, "additionalProperties": False}

    def read(self, value: Any) -> dict[str, object]:
        if not isinstance(value, Mapping):
            raise kinds.wrong(value, "a mapping of settings")
        return dict(zip(value, kinds.read_each(value.items(), _setting), strict=True))


WORKSPACE_SETTINGS: Final = (
    "rate_limit", "unknown_cards", "unknown_fields", "unknown_profiles", "session_expiry", "authorization_expiry",
    "page_expiry", "voucher_expiry", "transfer_expiry", "transfer_seen_after", "before_response_timeout",
    "advance_delivery_timeout",
)  # fmt: skip
"""The settings that can differ from workspace to workspace (ours); their forms are those of the table of settings."""


def _setting(name: str, value: Any) -> object:
    if name not in WORKSPACE_SETTINGS:
        hint = nearest(name, WORKSPACE_SETTINGS)
        raise ValidationError([KeySentence(f"{name} is not a setting of a workspace{hint}")])
    kind = ROWS[name].kind
    if isinstance(value, Mapping | list) or value is None:
        raise kinds.wrong(value, kind.allowed)
    try:
        return kind.read(text_of(value))
    except ValueError:
        raise kinds.wrong(value, kind.allowed) from None


class Verb(kinds.Word):
    """What a step does; an unknown one is kept as `UNREAD`, so that the rest of the step is checked too."""

    def read(self, value: Any) -> str:
        try:
            return super().read(value)
        except ValidationError as found:
            unread: Any = UNREAD
            raise ValidationError(found.messages, valid_data=unread) from None


class StepBlock(SchemaBlock):
    """One step."""

    what: ClassVar[str] = "a step of a story"
    do = Verb(VERBS, "step", "Operation or action: payments.create, again, clock.advance, customer.approve …")
    of = kinds.ScenarioText("Object to act on: $name of an earlier step.", longest=200)
    with_ = MappingOf(kinds.anything(), about="Request body; card can be the name of a test card.", data_key="with")
    by = kinds.ScenarioDuration("Duration for clock.advance.")
    key = kinds.HeaderValue("Idempotency key.", limits.IDEMPOTENCY_KEY)
    headers = MappingOf(kinds.HeaderValue(longest=4_000), kinds.HeaderName(), "Additional headers.")
    see = MappingOf(kinds.anything(), about="Expected result.")
    as_ = kinds.ScenarioText("Name under which later steps refer to its answer.", longest=40, data_key="as")
    bare = kinds.Truth("true: do not fill in profile_id.")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _sound(self, data: dict[str, Any], original: Mapping[str, Any], **kwargs: Any) -> None:
        do = data.get("do")
        if "do" not in original and "see" not in original:
            raise sentence("a step needs do or see")
        if do == "clock.advance" and "by" not in original:
            raise sentence("clock.advance needs by, such as 24h")
        inside = [("see", data.get("see") or {})]
        inside += [("with", data.get("with_") or {})] if data.get("do") == "next" else []
        kinds.read_each(inside, lambda key, it: (Nested(NextBlock).deserialize if key == "with" else _seen)(it))


def _seen(see: Mapping[str, Any]) -> object:
    known = [(key, value) for key, value in see.items() if key in SEEN_KINDS]
    return kinds.read_each(known, lambda key, value: SEEN_KINDS[key].deserialize(value))


class _Sent(kinds.ScenarioKind):
    def read(self, value: Any) -> Any:
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if not is_number and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise ValidationError("must be a list of events, or the number of deliveries")
        return value


SEEN_KINDS: Final = {"connection": kinds.Word(CONNECTIONS), "replayed": kinds.Truth(), "webhooks": _Sent()}


class ScenarioBlock(SchemaBlock):
    """A scenario."""

    what: ClassVar[str] = "a scenario"
    version = Version("Version of the scenario language.")
    name = kinds.Name("Unique name. Defaults to the file name without extension.")
    summary = kinds.ScenarioText("Purpose, in one sentence.", longest=2_000)
    extends = kinds.Name("Scenario whose cards, settings and rules are added after those of this one.")
    cards = MappingOf(
        Nested(CardBlock), CardNumber(), "Test cards of your own; they take precedence over the built-in ones."
    )
    given = Nested(GivenBlock, "Records that exist before the first call.")
    rules = ListOf(
        Nested(RuleBlock), "Rules, checked in order; in each channel the first that matches decides.", least=0
    )
    chaos = Nested(ChaosBlock, "Random failures.")
    settings = SettingsTable("Settings of the workspace while the scenario is on.")
    expect = ListOf(Nested(ExpectBlock), "Assertions that must be true at the end.", least=0)
    story = ListOf(Nested(StepBlock), "Steps of a client, with the expected results.", least=0, partly=True)


def json_schema() -> Json:
    """The language as a JSON Schema, for editors and `GET /_sandbox/scenarios/schema`, with each block in `$defs`."""
    blocks = {block.__name__: block.json() for block in _blocks(SchemaBlock)}
    top = blocks.pop(ScenarioBlock.__name__)
    used = sorted({*references([top, *blocks.values()])})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of payment-sandbox",
        **top,
        "$defs": {name: blocks[name] for name in used},
    }


def _blocks(block: type[SchemaBlock]) -> Iterator[type[SchemaBlock]]:
    for below in block.__subclasses__():
        yield below
        yield from _blocks(below)


def references(json: Any) -> Iterator[str]:
    """The names of the schemas that a schema refers to."""
    if isinstance(json, dict):
        if "$ref" in json:
            yield str(json["$ref"]).rpartition("/")[2]
        for value in json.values():
            yield from references(value)
    elif isinstance(json, list):
        for value in json:
            yield from references(value)
