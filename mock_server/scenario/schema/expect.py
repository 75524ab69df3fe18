"""One assertion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.contract.kinds.base import Json
from mock_server.contract.operations import NAMES
from mock_server.domain.statuses import ALIASES, DisputeStage, DisputeStatus, PaymentStatus, RefundStatus
from mock_server.scenario.conditions.on import EVENTS, covered
from mock_server.scenario.conditions.paths import compile_fact
from mock_server.scenario.conditions.when import show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.block import ListOf, SchemaBlock, sentence
from mock_server.scenario.schema.kinds import ScenarioKind, ScenarioText, ScenarioWhole, wrong
from mock_server.scenario.schema.rule import OnName, When

SUBJECTS: Final = ("calls", "payments", "refunds", "disputes", "customers", "webhooks")
WORDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "payments": {"status": (*PaymentStatus, *ALIASES)},
    "refunds": {"status": tuple(RefundStatus)},
    "disputes": {"dispute_status": tuple(DisputeStatus), "dispute_stage": tuple(DisputeStage)},
    "webhooks": {"type": EVENTS},
}


class CallName(OnName):
    """A name or pattern of calls of the API, without charges, pages and webhooks."""

    KNOWN = NAMES


class Subject(ScenarioKind):
    """What is counted: a `when` over its own fields; for calls and webhooks a name alone means `on` or `type`."""

    def __init__(self, subject: str, about: str = "") -> None:
        super().__init__(about)
        self.short = {"calls": "on", "webhooks": "type"}.get(subject)
        self.when = When(lambda text: compile_fact(subject, text), WORDS.get(subject, {}))
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
            raise wrong(value, "a mapping" + (f", or a name for {self.short}" if self.short else ""))
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


class OrderStep(ScenarioKind):
    """One step of `in_order`: `calls.payments.create`, `webhooks.payment_succeeded`."""

    def json(self) -> Json:
        return {"type": "string", "pattern": r"^(calls|webhooks)\."}

    def read(self, value: Any) -> tuple[str, str]:
        subject, dot, name = value.partition(".") if isinstance(value, str) else ("", "", "")
        if subject not in ("calls", "webhooks") or not dot:
            raise wrong(value, "calls.<operation> or webhooks.<event>")
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
    exactly = ScenarioWhole(0, about="Exactly this many.")
    at_least = ScenarioWhole(0, about="At least this many.")
    at_most = ScenarioWhole(0, about="At most this many.")
    unique_by = ScenarioText("All have different values at this path.", longest=200)
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
        if "unique_by" in data and ("calls" in data or "webhooks" in data):
            raise ValidationError({"unique_by": ["works only for records, not for calls or webhooks"]})
        if "unique_by" in data and any(bound in data for bound in _BOUNDS[:3]):
            raise ValidationError({"unique_by": ["cannot be combined with exactly, at_least or at_most"]})


_BOUNDS: Final = ("exactly", "at_least", "at_most", "unique_by")
