"""A set-up call that is refused leaves nothing: no account whose id is then taken, and no part of a change."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.dialects import get
from tests.wire import Reply, Wire, wire

ADMIN: Final = {"api-key": "an admin's"}
SENT: Final = {
    "merchant_name": "new",
    "metadata": {"a": "b"},
    "organization_id": "org_new",
    "return_url": "https://a.test",
}
REFUSED: Final[dict[str, dict[str, Any]]] = {
    "unknown profile": {"default_profile": "pro_nobody"},
    "status without event": {"webhook_details": {"payment_statuses_enabled": ["requires_payment_method"]}},
    "wrong field": {"merchant_name": 1},
    "wrong field inside": {"webhook_details": {"webhook_url": "nowhere"}},
}


def _call(api: Wire, method: str, path: str, body: object = None) -> Reply:
    return api.call(method, path, body, headers=ADMIN)


@pytest.fixture(params=("interface", "hyperswitch"))
def api(request: pytest.FixtureRequest) -> Wire:
    return wire(dialect=get(request.param))


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_create_leaves_nothing(api: Wire, name: str) -> None:
    assert 400 <= _call(api, "POST", "/accounts", {"merchant_id": "mer_a", **SENT, **REFUSED[name]}).status < 500
    assert _call(api, "GET", "/accounts/mer_a").status == 404
    assert not any(kind["rows"] for kind in api.sandbox.server.dump()["records"].values())
    made = _call(api, "POST", "/accounts", {"merchant_id": "mer_a", **SENT})
    assert made.status == 200, made.raw
    assert made["merchant_name"] == "new"


@pytest.mark.parametrize("of_key", [False, True], ids=["set up", "begun by its key"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_update_changes_nothing(api: Wire, name: str, of_key: bool) -> None:
    merchant_id = api.pay()["merchant_id"] if of_key else "mer_a"
    made = of_key or _call(api, "POST", "/accounts", {"merchant_id": "mer_a", "merchant_name": "old"}).status == 200
    path = f"/accounts/{merchant_id}"
    before = _call(api, "GET", path)
    assert made and before.status == 200
    assert 400 <= _call(api, "POST", path, {**SENT, **REFUSED[name]}).status < 500
    assert _call(api, "GET", path).json == before.json
    assert _call(api, "POST", path, SENT)["merchant_name"] == "new"
