"""What an error says is taken is what is taken: all the values that it names together, and none of them alone.

For each cause of that kind, by the values of its row: the same ones again are refused, and any of them in another
combination are accepted.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, CauseGroup
from tests.api.money_places import fine, paid
from tests.causes.raising import ADMIN, BARE
from tests.routes.good import STRIPE
from tests.wire import Wire, wire

CALLS: Final[dict[Cause, tuple[str, dict[str, str]]]] = {
    Cause.PAYMENT_EXISTS: ("/payments", {"payment_id": "payment_id"}),
    Cause.REFUND_EXISTS: ("/refunds", {"refund_id": "refund_id"}),
    Cause.CUSTOMER_EXISTS: ("/customers", {"customer_id": "customer_id"}),
    Cause.MERCHANT_EXISTS: ("/accounts", {"merchant_id": "merchant_id"}),
    Cause.CONNECTOR_EXISTS: (
        "/account/{merchant_id}/connectors",
        {"label": "connector_label", "profile_id": "profile_id"},
    ),
    Cause.PROFILE_NAME_TAKEN: ("/account/{merchant_id}/business_profile", {"name": "profile_name"}),
}
"""By cause: the call that can be refused by it, and the field of each value of the cause."""
DIALECTS: Final = [INTERFACE, HYPERSWITCH]


def values(api: Wire, own: str, name: str) -> list[str]:
    """Two values of a field."""
    if name != "profile_id":
        return [f"{name}_1", f"{name}_2"]
    path = f"/account/{own}/business_profile"
    return [fine(api.post(path, {"profile_name": each}))["profile_id"] for each in ("one", "two")]


def test_every_cause_of_that_kind_is_tried() -> None:
    assert {cause for cause in Cause if cause.group is CauseGroup.CONFLICT and cause.params} == CALLS.keys()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("cause", CALLS)
def test_only_what_the_error_names_is_taken(cause: Cause, dialect: Dialect) -> None:
    path, fields = CALLS[cause]
    assert {*fields} == {*cause.params}
    api = wire(dialect=dialect)
    own = fine(api.post("/payments", BARE))["merchant_id"]
    always: dict[str, Any] = {
        "/payments": BARE,
        "/refunds": {"payment_id": paid(api), "amount": 1} if "refund" in path else {},
        "/account/{merchant_id}/connectors": STRIPE,
    }.get(path, {})
    client = api.as_key(ADMIN) if path == "/accounts" else api
    code = dialect.errors[cause].code
    for combined in product(*(values(api, own, name) for name in fields.values())):
        body = {**always, **dict(zip(fields.values(), combined, strict=True))}
        fine(client.post(path.format(merchant_id=own), body))
        again = client.post(path.format(merchant_id=own), body)
        assert (again.status, again.error["code"]) == (400, code), again.raw


def test_of_an_id_that_is_taken_the_error_names_what_has_it() -> None:
    api = wire()
    own = fine(api.post("/payments", BARE))["merchant_id"]
    path, (one, other) = f"/account/{own}/connectors", values(api, own, "profile_id")
    body = {**STRIPE, "merchant_connector_id": "mca_mine", "connector_label": "first", "profile_id": one}
    fine(api.post(path, body))
    said = api.post(path, {**body, "connector_label": "second", "profile_id": other}).error["message"]
    assert f"The profile {one} already has a connector account mca_mine;" in said
