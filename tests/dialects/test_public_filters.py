"""A profile lists the statuses for which it gets events, whatever its filter says, and those are the ones it gets.

Every filter of a profile: none, an empty one, each status alone, and several, sent by each call that takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.events import EventType
from mock_server.domain.merchant import FILTERED, SENT_STATUSES
from mock_server.engine.kinds import PROFILES
from mock_server.store.transaction import Transaction
from mock_server.webhooks.planning import lets_through
from tests.api.places import workspace
from tests.routes.good import merchant
from tests.wire import Wire, wire

EVENTS: Final = {
    "payment_statuses_enabled": EventType.PAYMENT_SUCCEEDED,
    "refund_statuses_enabled": EventType.REFUND_SUCCEEDED,
}
HOOK: Final = {"webhook_url": "https://shop.example/hook"}


def lists(name: str) -> Iterator[list[str] | None]:
    words = [HYPERSWITCH.words[FILTERED[name]].get(word, word) for word in sorted(SENT_STATUSES[name])]
    yield from (None, [], words[:2], words)
    yield from ([word] for word in words)


@pytest.fixture(scope="module")
def shop() -> Wire:
    return wire(dialect=HYPERSWITCH)


@pytest.mark.parametrize("by", ["create", "update"])
@pytest.mark.parametrize("name", FILTERED)
def test_a_profile_lists_the_statuses_that_it_hears_of(shop: Wire, name: str, by: str) -> None:
    api = shop.as_key(f"snd_filters_{name}_{by}")
    path = f"/account/{merchant(api)}/business_profile"
    words: Any = HYPERSWITCH.words[FILTERED[name]]
    wrong = []
    for number, chosen in enumerate(lists(name)):
        body: dict[str, Any] = {"profile_name": f"shop_{number}", "webhook_details": {**HOOK, name: chosen}}
        made = api.post(path, body if by == "create" else {"profile_name": f"shop_{number}"}).json
        if by == "update":
            made = api.post(f"{path}/{made['profile_id']}", body).json
        profile = workspace(api).space.transact(partial(Transaction.get, kind=PROFILES, key=made["profile_id"]))
        heard = {words.get(word, word) for word in SENT_STATUSES[name] if lets_through(profile, EVENTS[name], word)}
        if set(made["webhook_details"][name]) != heard:
            wrong.append((chosen, made["webhook_details"][name]))
    assert not wrong, (len(wrong), wrong)
