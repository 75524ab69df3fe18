"""What a list of payments can be filtered by (interface §8.2, facts §1.1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.requests.fields import Choice, OneOrMany, Text, currency_code
from mock_server.contract.requests.payments.payment import METHOD_WORDS, TYPE_WORDS

_I: Final = "interface §8.2"
_F: Final = "facts §1.1.1"


def payment_filters(statuses: tuple[str, ...]) -> Mapping[str, OneOrMany]:
    """The filters by the engine's names; `statuses` are the words that the dialect understands."""
    methods = tuple(dict.fromkeys((*METHOD_WORDS, *TYPE_WORDS)))
    return {
        "status": OneOrMany(Choice(statuses), "Status.", source=_I, example="succeeded"),
        "customer_id": OneOrMany(Text(), "Customer.", source=_I, example="cus_shopper_42"),
        "currency": OneOrMany(currency_code(), "Currency.", source=_I, example="USD"),
        "payment_method": OneOrMany(Choice(methods), "Category or type.", source=_I, example="card"),
        "payment_method_type": OneOrMany(Choice(TYPE_WORDS), "Type.", source=_F, example="credit"),
        "profile_id": OneOrMany(Text(), "Business profile.", source=_F, example="pro_0123456789abcdefghij"),
        "connector": OneOrMany(Text(), "Connector.", source=_F),
        "merchant_connector_id": OneOrMany(Text(), "Connector account.", source=_F, example="mca_0123456789abcdefghij"),
        "authentication_type": OneOrMany(Choice(("three_ds", "no_three_ds")), "With or without 3D Secure.", source=_F),
        "card_network": OneOrMany(Text(), "Brand of the card.", source=_F, example="Visa"),
        "merchant_order_reference_id": OneOrMany(Text(), "Your own order reference.", source=_F),
        "customer_email": OneOrMany(Text(), "Customer's e-mail.", source=_F),
    }
