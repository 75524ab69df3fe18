"""Every parameter of a list's query changes what is listed, or its description says that it has no effect.

For each parameter of each list, in both dialects: values of every kind that it takes, one of which must change the
answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow.fields import Field

from mock_server.contract.kinds.objects import Items
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.kinds.values import Flag, Instant, Whole
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.saving import mandate
from tests.causes.raising import ADMIN
from tests.routes.good import GOOD, caller
from tests.wire import Wire, card_data, wire

NO_EFFECT: Final = "no effect"
IN_A_BODY: Final = "in a body"
NOT_FILTERS: Final = {"client_secret", "starting_after", "ending_before"}
"""Whose list it is, and places in it, which tests/dialects/test_public_lists.py and others try."""
LISTS: Final = (
    "payments.list", "customers.list", "customers.payment_methods", "customers.mandates", "payment_methods.list",
    "profiles.list", "api_keys.list", "connectors.list", "events.list", "mandates.list", "refunds.list",
    "disputes.list", "blocklist.list",
)  # fmt: skip
DIALECTS: Final = {"interface": INTERFACE, "hyperswitch": HYPERSWITCH}
OTHERWISE: Final = {
    ("customers.mandates", "customer_id"): "the path says it",
    ("refunds.list", "hyperswitch"): "the public API lists by a body alone",
}
MANY: Final = 20
LIMITED: Final = {
    "payment_method_type": "credit",
    "minimum_amount": 100,
    "accepted_countries": {"type": "enable_only", "list": ["DE"]},
    "accepted_currencies": {"type": "enable_only", "list": ["EUR"]},
}
"""What an account accepts, of all that a caller can ask for."""


def values(field: Field[Any]) -> Iterator[str]:
    """Values that a parameter takes, some of which nothing has."""
    inner = field.inner if isinstance(field, Items) else field
    if isinstance(inner, Choice):
        yield from inner.words[:: max(1, len(inner.words) // MANY)]
    elif isinstance(inner, Flag):
        yield from ("true", "false")
    elif isinstance(inner, Instant):
        yield from ("2000-01-01", "2100-01-01")
    elif isinstance(inner, Whole):
        yield from ("0", "1", "1000000")
    else:
        yield "nobody"


def listed(api: Wire, row: Operation) -> str:
    """The path of a list that has something, made as for a call that succeeds."""
    good = GOOD[row.name](api)
    for card in ("4242424242424242", "5555555555554444"):
        api.post("/customers", {"customer_id": f"cus_{card}"})
        api.post("/payment_methods", {"customer_id": "cus_saver", "payment_method": "card", "card": card_data(card)})
        made = api.pay(card)
        paid, own = made["payment_id"], made["merchant_id"]
        api.post("/refunds", {"payment_id": paid, "amount": 1})
        api.post(f"/_sandbox/payments/{paid}/dispute", {"reason": "fraudulent", "amount": 1})
        mandate(api)
        api.post("/blocklist", {"type": "card_bin", "data": f"60110{card[0]}"})
        api.as_key(ADMIN).post(f"/api_keys/{own}", {"name": card[:4], "expiration": "never"})
        account = {"connector_name": "stripe_test", "connector_type": "payment_processor", "connector_label": card[:4]}
        enabled = [{"payment_method": "card", "payment_method_types": [LIMITED]}]
        api.post(f"/account/{own}/connectors", {**account, "payment_methods_enabled": enabled})
    return good.path(row).partition("?")[0]


@pytest.mark.parametrize(
    ("name", "dialect"), [(name, dialect) for name in LISTS for dialect in DIALECTS if (name, dialect) not in OTHERWISE]
)
def test_a_parameter_changes_the_list_or_says_that_it_does_not(dialect: str, name: str) -> None:
    api, row = wire(dialect=DIALECTS[dialect]), BY_NAME[name]
    client, path = caller(api, row), listed(api, row)
    before = client.get(path)
    assert before.status == 200, before.raw
    shape: Any = row.takes[1]
    idle = [
        key
        for key, field in shape.of(DIALECTS[dialect]).schema.load_fields.items()
        if key not in NOT_FILTERS and (name, key) not in OTHERWISE
        if NO_EFFECT not in field.metadata["description"] and IN_A_BODY not in field.metadata["description"]
        if not any(
            (reply := client.get(f"{path}?{key}={value}")).status == 200 and reply.raw != before.raw
            for value in values(field)
        )
    ]
    assert not idle
