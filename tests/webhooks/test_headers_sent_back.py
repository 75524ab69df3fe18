"""A client that reads a profile, changes one field and sends the whole back, changes that field and no other."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.requests.profiles import PROFILE
from mock_server.dialects import get
from tests.counts import times
from tests.webhooks.shops import HOOK, Mall, mall

FIELD: Final = "outgoing_webhook_custom_http_headers"
VALUES: Final = ("x", "abcd", "abcde", "Bearer hush-hush", "***", "ab***de", "a" * 200)[: times(5, soak=7)]
HEADERS: Final[dict[str, Any]] = {
    "none": {},
    "all": {f"X-Own-{at}": value for at, value in enumerate(VALUES)},
    **{value[:20]: {"X-Own": value} for value in VALUES[: times(0, soak=7)]},
}


@pytest.fixture(params=["hyperswitch", "interface"])
def shops(request: pytest.FixtureRequest) -> Mall:
    return mall(dialect=get(request.param))


def received(shops: Mall, profile_id: str) -> dict[str, str]:
    """The profile's own headers, as its receiver gets them now."""
    shops.api.pay(profile_id=profile_id)
    shops.deliver()
    return {name: value for name, value in shops.shop.got[-1].headers.items() if name.startswith("X-Own")}


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("sent", HEADERS.values(), ids=HEADERS)
def test_what_was_read_can_be_sent_back(shops: Mall, sent: dict[str, str], method: str) -> None:
    api = shops.api
    base = f"/account/{api.pay()['merchant_id']}/business_profile"
    body = {"profile_name": "one", "webhook_details": {"webhook_url": HOOK}, **({FIELD: sent} if sent else {})}
    made = api.post(base, body)
    path = f"{base}/{made['profile_id']}"
    for name in ("two", "three"):
        before = api.get(path).json
        known = PROFILE.of(api.sandbox.dialect).schema.fields  # what a client's types know; other names are refused
        sent_back = {name: value for name, value in before.items() if name in known}
        reply = api.call(method, path, {**sent_back, "profile_name": name})
        assert (reply.status, reply.json) == (200, {**before, "profile_name": name})
        assert api.get(path).json == {**before, "profile_name": name}
        assert received(shops, made["profile_id"]) == sent


def test_another_value_is_stored_as_it_is_sent(shops: Mall) -> None:
    api = shops.api
    base = f"/account/{api.pay()['merchant_id']}/business_profile"
    body = {"profile_name": "one", "webhook_details": {"webhook_url": HOOK}, FIELD: {"X-Own-A": "old-value"}}
    made = api.post(base, body)
    shown = made[FIELD]["X-Own-A"]
    changed = {"X-Own-A": "new-value", "X-Own-B": shown}
    api.post(f"{base}/{made['profile_id']}", {FIELD: changed})
    assert received(shops, made["profile_id"]) == changed
