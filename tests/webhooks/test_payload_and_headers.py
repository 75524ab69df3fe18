"""The inbox has the body and the headers of one request, the last that was sent, whatever was done to the others."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from random import Random
from typing import Any, Final

import pytest

from tests.counts import times
from tests.webhooks.shops import HOOK, Mall, mall

RULES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"body": "stale"},
    {"body": "stale", "copies": 2},
    {"signature": "wrong"},
    {"signature": "missing", "body": "stale"},
    {"copies": 2, "concurrently": True},
)
"""What can be done to an attempt."""


def held_together(shop: Mall) -> None:
    for event in shop.inbox():
        sent = [got for got in shop.shop.got if got.envelope["event_id"] == event["event_id"]]
        assert event["payload"].encode() == sent[-1].body
        assert dict(event["headers"]).get("X-Webhook-Signature-512") == sent[-1].signature


@pytest.mark.parametrize("seed", range(times(6, soak=300)))
def test_an_event_is_shown_as_it_was_sent_last(seed: int) -> None:
    chance, shop = Random(seed), mall()
    shop.scenario({"on": "webhook.*", "then": [chance.choice(RULES) for _ in range(8)]})
    payment_id = shop.api.pay(capture_method="manual")["payment_id"]
    shop.shop.answers = [chance.choice((200, 500)) for _ in range(6)]
    shop.deliver()
    held_together(shop)
    assert shop.api.post(f"/payments/{payment_id}/capture", {}).status == 200
    shop.deliver()
    for _ in range(chance.randint(1, 4)):
        event_id = chance.choice(shop.inbox())["event_id"]
        if chance.random() < 0.5:
            assert shop.api.post(f"/_sandbox/webhooks/{event_id}/resend").status == 200
        else:
            shop.advance("6m")
        held_together(shop)


def by_profile(shop: Mall) -> None:
    merchant_id = shop.workspace.merchant_id
    own = {"payment_response_hash_key": "k" * 64, "webhook_details": {"webhook_url": HOOK}}
    assert shop.api.post(f"/account/{merchant_id}/business_profile/pro_shop", own).status == 200
    shop.api.pay()


def by_scenario(shop: Mall) -> None:
    shop.scenario({"on": "webhook.*", "then": {"signature": "wrong"}})
    shop.api.pay()


def by_time(shop: Mall) -> None:
    shop.api.pay()
    shop.deliver()
    assert shop.api.put("/_sandbox/webhooks/target", {"url": HOOK, "secret": "a new one"}).status == 200


OTHERWISE: Final[dict[str, Callable[[Mall], None]]] = {
    "with the profile's own": by_profile,
    "with a wrong one that a scenario chose": by_scenario,
    "with an earlier one": by_time,
}


@pytest.mark.parametrize("said", OTHERWISE)
def test_the_page_knows_every_secret_that_may_have_signed(said: str) -> None:
    shop = mall()
    shop.api.pay()
    OTHERWISE[said](shop)
    shop.deliver()
    event = shop.inbox()[-1]
    page = shop.api.get(f"/_sandbox/ui/{shop.workspace.space.name}/webhooks/{event['event_id']}").raw.decode()
    assert said in " ".join(unescape(page).partition("(not made with the workspace's present secret")[2].split())
