"""Data that is there before the first call."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.contract.kinds.base import Json
from mock_server.domain import cards, money
from mock_server.domain.ids import problem_of
from mock_server.domain.limits import AMOUNT_MAX
from mock_server.domain.statuses import ALIASES, DisputeStage, DisputeStatus, PaymentStatus, RefundStatus
from mock_server.scenario.conditions.when import show
from mock_server.scenario.given.people import COUNTRIES
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.answers import decline
from mock_server.scenario.schema.block import Nested, SchemaBlock
from mock_server.scenario.schema.containers import ListOf, MappingOf, OneOf
from mock_server.scenario.schema.kinds import (
    ScenarioDuration,
    ScenarioKind,
    ScenarioText,
    ScenarioWhole,
    Share,
    Word,
    anything,
    wrong,
)

MOST_COUNTED: Final = 1_000_000


class OwnId(ScenarioKind):
    """An id of the caller's own."""

    def json(self) -> Json:
        return {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise wrong(value, "an id")
        problem = problem_of(value)
        if problem is not None:
            raise ValidationError(problem)
        return value


class AmountSpan(ScenarioKind):
    """An amount in minor units, or a span of amounts."""

    def json(self) -> Json:
        whole = ScenarioWhole(0, AMOUNT_MAX).json()
        return {"anyOf": [whole, {"type": "array", "items": whole, "minItems": 2, "maxItems": 2}]}

    def read(self, value: Any) -> tuple[int, int]:
        bounds = value if isinstance(value, list) and len(value) == 2 else [value, value]
        if not all(isinstance(b, int) and not isinstance(b, bool) and 0 <= b <= AMOUNT_MAX for b in bounds):
            raise wrong(value, "an amount in minor units, or two such as [500, 20000]")
        low, high = bounds
        if low > high:
            raise ValidationError(f"must have the smaller amount first, not {show(value)}")
        return low, high


class Weights(ScenarioKind):
    """One word, or words with their weights; becomes words with shares of 1."""

    def __init__(self, word: ScenarioKind, about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.word = word

    def json(self) -> Json:
        weights: Json = {"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0}}
        return {"anyOf": [self.word.json(), {**weights, "propertyNames": self.word.json()}]}

    def read(self, value: Any) -> tuple[tuple[str, float], ...]:
        if not isinstance(value, dict):
            return ((self.word.deserialize(value), 1.0),)
        weights = MappingOf(_Weight(), self.word).deserialize(value)
        total = sum(weights.values())
        if not total:
            raise ValidationError("names nothing to choose from")
        return tuple((word, weight / total) for word, weight in weights.items())


class _Weight(ScenarioKind):
    def read(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1_000_000:
            raise wrong(value, "a weight over 0")
        return float(value)


def _currency(about: str = "") -> Word:
    return Word([row.code for row in money.CURRENCIES], "currency of ISO 4217", about)


class TableCard(ScenarioKind):
    """A card of the built-in table, by name."""

    def json(self) -> Json:
        return {"enum": [row.name for row in cards.CARDS]}

    def read(self, value: Any) -> str:
        row = cards.by_name(value) if isinstance(value, str) else None
        if row is None or not row.listed:
            hint = nearest(value, [row.name for row in cards.CARDS]) if isinstance(value, str) else ""
            raise ValidationError(f"names no card: {show(value)}{hint}")
        return row.name


class ManyPayments(SchemaBlock):
    """Many payments, made up."""

    what: ClassVar[str] = "given payments"
    count = ScenarioWhole(1, MOST_COUNTED, "How many.", required=True)
    status = Weights(Word((*PaymentStatus, *ALIASES)), "One status, or statuses with weights.")
    over = ScenarioDuration("The stretch of time before the activation that they are spread over.")
    amount = AmountSpan("In minor units.")
    currency = Weights(_currency(), "One currency, or currencies with weights.")
    card = Weights(TableCard(), "One card, or cards with weights, by name.")
    country = Weights(Word([row.code for row in COUNTRIES]), "Where the customers live.")
    customers = ScenarioWhole(1, MOST_COUNTED, "Among how many customers; a fifth of the payments if not said.")
    decline = Weights(decline(), "Why failed payments failed.")
    refunds = Share("The share of paid payments that have a refund.")
    disputes = Share("The share of paid payments that have a dispute.")


class OneRefund(SchemaBlock):
    """A refund of a given payment."""

    what: ClassVar[str] = "a given refund"
    refund_id = OwnId("Its id; one is made up if not said.")
    amount = ScenarioWhole(1, AMOUNT_MAX, "In minor units; the whole payment if not said.")
    status = Word(list(RefundStatus), about="Where it stands; succeeded if not said.")
    reason = ScenarioText("Why, in the merchant's words.")
    ago = ScenarioDuration("How long before the activation.")


class OneDispute(SchemaBlock):
    """A dispute of a given payment."""

    what: ClassVar[str] = "a given dispute"
    amount = ScenarioWhole(1, AMOUNT_MAX, "In minor units; the whole payment if not said.")
    reason = ScenarioText("What the customer says.")
    stage = Word(list(DisputeStage), about="How far the bank has gone.")
    status = Word(list(DisputeStatus), about="Where it stands.")
    ago = ScenarioDuration("How long before the activation.")


class OnePayment(SchemaBlock):
    """A payment, written out."""

    what: ClassVar[str] = "a given payment"
    payment_id = OwnId("Its id; one is made up if not said.")
    amount = ScenarioWhole(0, AMOUNT_MAX, "In minor units.", required=True)
    currency = _currency("The currency's three letters.")
    status = Word((*PaymentStatus, *ALIASES), about="Where it stands.")
    capture_method = Word(("automatic", "manual", "manual_multiple"), about="How it is captured.")
    card = TableCard("The test card that it was paid with.")
    decline = decline("Why it failed.")
    customer_id = OwnId("Whose payment it is.")
    email = ScenarioText("The customer's e-mail address.", longest=255)
    description = ScenarioText("What it is for.", longest=1_000)
    merchant_order_reference_id = ScenarioText("The merchant's name for the order.", longest=255)
    metadata = MappingOf(anything(), about="The merchant's own data.", most=50)
    ago = ScenarioDuration("How long before the activation.")
    refunds = ListOf(Nested(OneRefund), "Its refunds.", most=10)
    disputes = ListOf(Nested(OneDispute), "Its disputes.", most=10)

    @validates_schema(skip_on_field_errors=True)
    def _fits(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "decline" in data and data.get("status") != "failed":
            raise ValidationError({"decline": ["needs status: failed beside it"]})
        if ("refunds" in data or "disputes" in data) and data.get("status", "succeeded") not in _PAID:
            raise ValidationError({"status": [f"must be one of {', '.join(_PAID)} for refunds and disputes"]})


_PAID: Final = ("succeeded", "partially_captured")


class OneCustomer(SchemaBlock):
    """A customer, written out; what is left out is made up."""

    what: ClassVar[str] = "a given customer"
    customer_id = OwnId("The customer's id.", required=True)
    name = ScenarioText("The full name.", longest=255)
    email = ScenarioText("The customer's e-mail address.", longest=255)
    phone = ScenarioText("The telephone number.", longest=255)
    country = Word([row.code for row in COUNTRIES], about="The country's two letters.")
    metadata = MappingOf(anything(), about="The merchant's own data.", most=50)


def _many_or_each(many: ScenarioKind, each: ScenarioKind, wanted: str, about: str) -> OneOf:
    return OneOf(lambda value: each if isinstance(value, list) else many, (many, each), wanted, about)


class GivenBlock(SchemaBlock):
    """Everything that is given."""

    what: ClassVar[str] = "given"
    customers = _many_or_each(
        ScenarioWhole(1, MOST_COUNTED), ListOf(Nested(OneCustomer)), "a number or a list", "How many, or each of them."
    )
    payments = _many_or_each(
        Nested(ManyPayments), ListOf(Nested(OnePayment), most=100_000), "a mapping or a list", "Many, or each of them."
    )
