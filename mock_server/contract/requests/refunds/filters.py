"""What a list of refunds can be filtered by (interface §8.2, facts §1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.fields import Amount, Choice, OneOrMany, Part, Text, currency_code
from mock_server.contract.requests.payments.payment import METHOD_WORDS, TYPE_WORDS
from mock_server.contract.requests.schema import Body

_I: Final = "interface §8.2"
_F: Final = "facts §1.2"


class AmountBounds(Body):
    """From how much to how much, both included; either can be left out."""

    start_amount = Amount("At least so much.", source=_F, example=100)
    end_amount = Amount("At most so much.", source=_F, example=5000)


class AmountRange(Part):
    """The bounds of an amount, loaded as a pair."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, partial: Any = None, **kwargs: Any) -> Any:
        loaded = super()._deserialize(value, attr, data, partial, **kwargs)
        return loaded.get("start_amount"), loaded.get("end_amount")


def refund_filters(statuses: tuple[str, ...]) -> Mapping[str, Any]:
    """The filters by the engine's names; `statuses` are the words that the dialect understands."""
    return {**money_filters(), **_own(statuses)}


def money_filters() -> Mapping[str, Any]:
    """What everything that happens to a payment's money can be filtered by."""
    methods = tuple(dict.fromkeys((*METHOD_WORDS, *TYPE_WORDS)))
    return {
        "payment_id": OneOrMany(Text(), "Payment.", source=_F, example="pay_order_1001"),
        "customer_id": OneOrMany(Text(), "Customer.", source=_I, example="cus_shopper_42"),
        "currency": OneOrMany(currency_code(), "Currency.", source=_I, example="USD"),
        "payment_method": OneOrMany(Choice(methods), "The payment's category or type.", source=_I, example="card"),
        "payment_method_type": OneOrMany(Choice(TYPE_WORDS), "The payment's type.", source="ours", example="credit"),
        "profile_id": OneOrMany(Text(), "Business profile.", source=_F, example="pro_0123456789abcdefghij"),
        "connector": OneOrMany(Text(), "Connector.", source=_F),
        "merchant_connector_id": OneOrMany(Text(), "Connector account.", source=_F, example="mca_0123456789abcdefghij"),
    }


def _own(statuses: tuple[str, ...]) -> Mapping[str, Any]:
    return {
        "status": OneOrMany(Choice(statuses), "Status.", source=_I, example="succeeded"),
        "refund_status": OneOrMany(Choice(statuses), "Another name of status.", source=_F, example="succeeded"),
        "refund_id": OneOrMany(Text(), "Refund.", source=_F, example="ref_order_1001"),
        "amount_filter": AmountRange(lambda: AmountBounds, "Bounds of the amount, in a body.", source=_F),
        "start_amount": OneOrMany(Amount(), "At least so much, in a query.", source="ours", example=100),
        "end_amount": OneOrMany(Amount(), "At most so much, in a query.", source="ours", example=5000),
    }
