"""Sending an event again by hand changes nothing of what is planned for it, unless a receiver accepts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from mock_server.domain.events import SkipReason
from tests.webhooks.shops import HOOK, Mall, mall

INBOX: Final = "/_sandbox/webhooks"
TYPE: Final = "payment_authorized"
PLAN: Final = ("fate", "why", "waits_for", "next_attempt_at")


class Reason(NamedTuple):
    """Why an event is not delivered: what a scenario does, what is special, and what makes the planned attempt."""

    fate: SkipReason | None = None
    rule: dict[str, Any] | None = None
    target: bool = True
    statuses: tuple[str, ...] = ()
    fails: bool = False
    waits: str = ""
    goes_on: Callable[[Mall, str], object] | None = None


def captured(shop: Mall, payment_id: str) -> None:
    assert shop.api.post(f"/payments/{payment_id}/capture", {}).status == 200


def by_time(shop: Mall, payment_id: str) -> None:
    shop.advance("2m")


def redirected(shop: Mall, payment_id: str) -> None:
    shop.api.sandbox.post.redirecting(shop.workspace, payment_id)


REASONS: Final = {
    "it follows another one": Reason(
        SkipReason.FOLLOWS, {"deliver": {"following": "payment_succeeded"}}, goes_on=captured
    ),
    "it waits for the redirect": Reason(SkipReason.REDIRECT, {"deliver": "during_redirect"}, goes_on=redirected),
    "nobody came back": Reason(SkipReason.REDIRECT, {"deliver": "during_redirect"}, goes_on=by_time),
    "it is delayed": Reason(rule={"deliver": {"delay": "90s"}}, goes_on=by_time),
    "a retry is planned": Reason(fails=True, goes_on=by_time),
    "there was no endpoint": Reason(SkipReason.UNHEARD, target=False),
    "it is dropped": Reason(SkipReason.DROPPED, {"drop": True}),
    "its status is filtered": Reason(SkipReason.FILTERED, statuses=("succeeded",)),
    "it was given up": Reason(SkipReason.GIVEN_UP, fails=True, waits="30h"),
    "it was delivered": Reason(waits="1s"),
}


def held(reason: Reason) -> tuple[Mall, dict[str, Any]]:
    """An event that is not delivered for this reason."""
    shop = mall(target=False)
    if reason.target:
        aim(shop, HOOK)
    if reason.rule:
        shop.scenario({"on": f"webhook.{TYPE}", "then": reason.rule})
    if reason.statuses:
        shop.api.pay()  # so that there is a profile
        merchant = shop.workspace.merchant_id
        details = {"webhook_details": {"payment_statuses_enabled": list(reason.statuses)}}
        assert shop.api.post(f"/account/{merchant}/business_profile/pro_shop", details).status == 200
    shop.shop.always = 500 if reason.fails else 200
    shop.api.pay(capture_method="manual")
    shop.deliver()
    if reason.waits:
        shop.advance(reason.waits)
    return shop, event_of(shop)


def aim(shop: Mall, url: str | None) -> None:
    assert shop.api.put(f"{INBOX}/target", {"url": url}).status == 200


def event_of(shop: Mall) -> dict[str, Any]:
    (found,) = shop.inbox(f"?type={TYPE}")
    return dict(found)


def resend(shop: Mall, event: dict[str, Any], many: bool) -> None:
    if many:
        assert shop.api.post(f"{INBOX}/resend", {"event_ids": [event["event_id"]]})["count"] == 1
        shop.deliver()
    else:
        assert shop.api.post(f"{INBOX}/{event['event_id']}/resend").status == 200


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("ends", ["accepted", "refused", "no endpoint"])
@pytest.mark.parametrize("reason", REASONS)
def test_what_was_planned_still_happens(reason: str, ends: str, many: bool) -> None:
    why = REASONS[reason]
    shop, before = held(why)
    assert before["fate"] == why.fate
    shop.shop.always = {"accepted": 200, "refused": 500}.get(ends, 200)
    aim(shop, None if ends == "no endpoint" else HOOK)
    if why.fate is SkipReason.DROPPED:
        shop.api.post("/_sandbox/scenarios/trouble/deactivate")
    sent = len(shop.shop.got)
    resend(shop, before, many)
    after = event_of(shop)
    assert len(shop.shop.got) - sent == (ends != "no endpoint")
    if ends == "accepted":
        assert [after[name] for name in PLAN] == [None] * 4
    elif ends == "refused" or why.goes_on is not None:
        assert [after[name] for name in PLAN] == [before[name] for name in PLAN], "a failed one changes nothing"
    says = after["is_delivered"] or after["next_attempt_at"] or after["why"]
    assert says, "it says what will happen, or why nothing will"
    shop.shop.always = 200
    aim(shop, HOOK)
    sent = sum(got.type == TYPE for got in shop.shop.got)
    if why.goes_on is not None:
        why.goes_on(shop, before["payment_id"])
    shop.deliver()
    shop.advance("40h")
    again = sum(got.type == TYPE for got in shop.shop.got) - sent
    assert again == (why.goes_on is not None and ends != "accepted")
    if again:
        assert event_of(shop)["is_delivered"]


def no_endpoint(shop: Mall) -> None:
    aim(shop, None)


def rule_drops(shop: Mall) -> None:
    shop.scenario({"on": "webhook.*", "then": {"drop": True}})


@pytest.mark.parametrize("prevent", [no_endpoint, rule_drops])
@pytest.mark.parametrize("by_hand", [False, True])
def test_an_attempt_that_is_not_made_holds_up_nothing(prevent: Callable[[Mall], None], by_hand: bool) -> None:
    shop = mall(target=False)
    aim(shop, HOOK)
    payment_id = shop.api.pay(capture_method="manual")["payment_id"]
    if by_hand:
        shop.deliver()
        assert shop.api.post(f"{INBOX}/resend", {"event_ids": [event_of(shop)["event_id"]]}).json["count"] == 1
    prevent(shop)
    shop.deliver()
    aim(shop, HOOK)
    shop.api.post("/_sandbox/scenarios/trouble/deactivate")
    captured(shop, payment_id)
    resend(shop, event_of(shop), many=True)
    assert shop.shop.types[-2:] == ["payment_succeeded", TYPE]
