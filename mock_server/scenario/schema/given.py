"""Records that exist before the first call."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.contract.kinds.rules import IS_EMAIL
from mock_server.contract.kinds.texts import CallerId
from mock_server.contract.kinds.values import Metadata
from mock_server.contract.notation import words
from mock_server.domain import cards, limits, money
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.payment import AUTOMATIC, MANUAL, MANUAL_MULTIPLE
from mock_server.domain.statuses import ALIASES, DisputeStage, DisputeStatus, PaymentStatus, RefundStatus
from mock_server.scenario.conditions.when import is_number, show
from mock_server.scenario.given.generated_payments import AMOUNT, LEAST, PAID, PEOPLE_OF, captured_of
from mock_server.scenario.model.mistakes import IS_KEPT, nearest
from mock_server.scenario.schema import kinds
from mock_server.scenario.schema.answers import decline
from mock_server.scenario.schema.block import ListOf, MappingOf, Nested, OneOf, SchemaBlock

MOST_COUNTED: Final = 1_000_000


class AmountSpan(kinds.ScenarioKind):
    """An amount in minor units, or a span of amounts."""

    def json(self) -> Json:
        whole = kinds.ScenarioWhole(0, limits.AMOUNT_MAX).json()
        return {"anyOf": [whole, {"type": "array", "items": whole, "minItems": 2, "maxItems": 2}]}

    def read(self, value: Any) -> tuple[int, int]:
        bounds = value if isinstance(value, list) and len(value) == 2 else [value, value]
        if not all(isinstance(b, int) and not isinstance(b, bool) and 0 <= b <= limits.AMOUNT_MAX for b in bounds):
            raise kinds.wrong(value, "an amount in minor units, or two such as [500, 20000]")
        low, high = bounds
        if low > high:
            raise ValidationError(f"must have the smaller amount first, not {show(value)}")
        return low, high


class Weights(kinds.ScenarioKind):
    """One word, or words with weights; read as words with shares of 1."""

    def __init__(self, word: kinds.ScenarioKind, about: str = "", **options: Any) -> None:
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
            raise ValidationError("is empty")
        return tuple((word, weight / total) for word, weight in weights.items())


class _Weight(kinds.ScenarioKind):
    def read(self, value: Any) -> float:
        if not is_number(value) or not 0 < value <= 1_000_000:
            raise kinds.wrong(value, "a weight over 0")
        return float(value)


def _narrowed(now: FieldKind, before: FieldKind) -> OneOf:
    """A value of a kind of which earlier versions took more."""
    return OneOf(lambda value: before if IS_KEPT.get() else now, (now,), now.about)


class Email(kinds.ScenarioText):
    """An email address."""

    only = IS_EMAIL


_EMAIL: Final = Email("Customer's email address.", limits.TEXT), kinds.ScenarioText(longest=limits.TEXT)
_METADATA: Final = Metadata("Metadata of the merchant."), MappingOf(kinds.anything())
_REASON: Final = kinds.ScenarioText("Reason of the merchant, as free text.", limits.TEXT), kinds.ScenarioText()
_CURRENCY: Final = [row.code for row in money.CURRENCIES], "currency of ISO 4217"


class TableCard(kinds.ScenarioKind):
    """A card of the built-in table, by name."""

    def json(self) -> Json:
        names = [row.name for row in cards.CARDS]
        return words([*names, *(name.removeprefix("visa_") for name in names if name.startswith("visa_"))])

    def read(self, value: Any) -> str:
        row = cards.by_name(value) if isinstance(value, str) else None
        if row is None or not row.listed:
            hint = nearest(value, [row.name for row in cards.CARDS])
            raise ValidationError(f"is not a card: {show(value)}{hint}")
        return row.name


def permit_amount(status: str, amount: int) -> None:
    """ValidationError for an amount with which no call makes a payment of this status."""
    if amount < LEAST.get(status, 0) and not IS_KEPT.get():
        raise ValidationError({"amount": [f"must be at least {LEAST[status]} for {status}, not {amount}"]})


class ManyPayments(SchemaBlock):
    """Generated payments."""

    what: ClassVar[str] = "given payments"
    count = kinds.ScenarioWhole(1, MOST_COUNTED, "Number of payments.", required=True)
    status = Weights(kinds.Word((*PaymentStatus, *ALIASES)), "A status, or statuses with weights.")
    over = kinds.ScenarioDuration("Period before activation over which they are spread.")
    amount = AmountSpan("Amount in minor units.")
    currency = Weights(kinds.Word(*_CURRENCY), "A currency, or currencies with weights.")
    card = Weights(TableCard(), "A card name, or card names with weights.")
    country = Weights(kinds.Word([row.code for row in PEOPLE_OF]), "Countries of the customers.")
    customers = kinds.ScenarioWhole(1, MOST_COUNTED, "Number of customers. Defaults to a fifth of the payments.")
    decline = Weights(decline(), "Declines of the failed payments.")
    refunds = kinds.Share("Share of paid payments that have a refund.")
    disputes = kinds.Share("Share of paid payments that have a dispute.")

    @validates_schema(skip_on_field_errors=True)
    def _fits(self, data: dict[str, Any], **kwargs: Any) -> None:
        for status, _ in data.get("status", ()):
            permit_amount(status, data.get("amount", AMOUNT)[0])


class OneRefund(SchemaBlock):
    """A refund of a given payment."""

    what: ClassVar[str] = "a given refund"
    refund_id = CallerId("ID. Generated if omitted.")
    amount = kinds.ScenarioWhole(1, limits.AMOUNT_MAX, "Amount in minor units. Defaults to all that was captured.")
    status = kinds.Word(list(RefundStatus), about="Status. Defaults to succeeded.")
    reason = _narrowed(*_REASON)
    ago = kinds.ScenarioDuration("Time before activation.")


class OneDispute(SchemaBlock):
    """A dispute of a given payment."""

    what: ClassVar[str] = "a given dispute"
    amount = kinds.ScenarioWhole(1, limits.AMOUNT_MAX, "Amount in minor units. Defaults to all that was captured.")
    reason = kinds.Word(list(REASON_CODES), "reason of a dispute", "Reason. Defaults to fraudulent.")
    stage = kinds.Word(list(DisputeStage), about="Stage of the dispute.")
    status = kinds.Word(list(DisputeStatus), about="Status.")
    ago = kinds.ScenarioDuration("Time before activation.")


class OnePayment(SchemaBlock):
    """A listed payment."""

    what: ClassVar[str] = "a given payment"
    payment_id = CallerId("ID. Generated if omitted.")
    amount = kinds.ScenarioWhole(0, limits.AMOUNT_MAX, "Amount in minor units.", required=True)
    currency = kinds.Word(*_CURRENCY, "Three-letter currency code.")
    status = kinds.Word((*PaymentStatus, *ALIASES), about="Status.")
    capture_method = kinds.Word((AUTOMATIC, MANUAL, MANUAL_MULTIPLE), about="Capture method.")
    card = TableCard("Test card that was used.")
    decline = decline("Decline that explains the failure.")
    customer_id = CallerId("The customer.")
    email = _narrowed(*_EMAIL)
    description = kinds.ScenarioText("Description.", longest=limits.DESCRIPTION)
    merchant_order_reference_id = kinds.ScenarioText(
        "Order reference of the merchant.", longest=limits.MERCHANT_ORDER_REFERENCE_ID
    )
    metadata = _narrowed(*_METADATA)
    ago = kinds.ScenarioDuration("Time before activation.")
    refunds = ListOf(Nested(OneRefund), "Refunds of the payment.", most=limits.REFUNDS_PER_PAYMENT)
    disputes = ListOf(Nested(OneDispute), "Disputes of the payment.", most=10)

    @validates_schema(skip_on_field_errors=True)
    def _fits(self, data: dict[str, Any], **kwargs: Any) -> None:
        permit_amount(data.get("status", "succeeded"), data["amount"])
        if "decline" in data and data.get("status") != "failed":
            raise ValidationError({"decline": ["needs status: failed"]})
        if ("refunds" in data or "disputes" in data) and data.get("status", "succeeded") not in PAID:
            raise ValidationError({"status": [f"must be one of {', '.join(PAID)} for refunds and disputes"]})
        captured = captured_of(data.get("status", "succeeded"), data["amount"])
        for name in ("refunds", "disputes"):
            rows = [(part.get("amount", captured), part.get("status")) for part in data.get(name, ())]
            held = sum(amount for amount, status in rows if status not in _VOID)
            if held > captured:
                raise ValidationError({name: [f"add up to {held}, and {captured} of the payment are captured"]})
            if not (IS_KEPT.get() or all(0 < amount <= captured for amount, _ in rows)):
                raise ValidationError({name: [f"must each be of at least 1, and of at most the {captured} captured"]})


_VOID: Final = (RefundStatus.FAILED, DisputeStatus.WON, DisputeStatus.CANCELLED)
"""Parts that took nothing from the payment, or gave it back."""


class OneCustomer(SchemaBlock):
    """A listed customer; missing fields are generated."""

    what: ClassVar[str] = "a given customer"
    customer_id = CallerId("ID of the customer.", required=True)
    name = kinds.ScenarioText("Full name.", longest=limits.TEXT)
    email = _narrowed(*_EMAIL)
    phone = kinds.ScenarioText("Telephone number.", longest=limits.TEXT)
    country = kinds.Word([row.code for row in PEOPLE_OF], about="Two-letter country code.")
    metadata = _narrowed(*_METADATA)


def _many_or_each(many: kinds.ScenarioKind, listed: kinds.ScenarioKind, about: str) -> OneOf:
    return OneOf(lambda value: listed if isinstance(value, list) else many, (many, listed), about)


class GivenBlock(SchemaBlock):
    """All given records."""

    customers = _many_or_each(
        kinds.ScenarioWhole(1, MOST_COUNTED), ListOf(Nested(OneCustomer)), "A number of customers, or a list of them."
    )
    payments = _many_or_each(
        Nested(ManyPayments), ListOf(Nested(OnePayment), most=100_000), "Generated payments, or a list of payments."
    )

    @validates_schema(skip_on_field_errors=True)
    def _each_id_once(self, data: dict[str, Any], **kwargs: Any) -> None:
        customers, payments = ([] if isinstance(one := data.get(name, ()), int | dict) else one for name in self.fields)
        refunds = [] if IS_KEPT.get() else [refund for payment in payments for refund in payment.get("refunds", ())]
        wrong: dict[str, list[str]] = {}
        for key, rows in (("customer_id", customers), ("payment_id", payments), ("refund_id", refunds)):
            for own, count in Counter(row.get(key) for row in rows).items():
                if own and count > 1:
                    name = "customers" if rows is customers else "payments"
                    wrong.setdefault(name, []).append(f"have the {key} {own} {count} times")
        if wrong:
            raise ValidationError(dict(wrong))
