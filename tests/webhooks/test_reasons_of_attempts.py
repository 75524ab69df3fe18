"""The reason of an attempt tells what was done to it, whichever attempt it is, and nothing else.

So does an event whose next attempt is not made: it names the rule, and says that it is not sent again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from mock_server.domain.events import WHY, SkipReason
from mock_server.scenario.model.answers import POINTS, Deliver, WebhookRule
from tests.webhooks.shops import HOOK, Mall, mall

INBOX: Final = "/_sandbox/webhooks"
LEFT: Final[dict[str, Any]] = {
    **{said: {"deliver": name} for name, said in POINTS.items()},
    "2000 ms later": {"deliver": {"delay": "2s"}},
    "after payment_failed": {"deliver": {"following": "payment_failed"}},
}
"""When a first attempt leaves, by what its reason says. A later attempt leaves when it is due."""
DONE: Final[dict[str, Any]] = {
    "2 copies": {"copies": 2},
    "at the same moment": {"copies": 2, "concurrently": True},
    "signature wrong": {"signature": "wrong"},
    "signature missing": {"signature": "missing"},
    "body of an earlier state": {"body": "stale"},
    "dropped": {"drop": True},
}
"""What is decided for each attempt, by what its reason says."""


def refused_once(shop: Mall, rule: dict[str, Any]) -> None:
    """A retry, to which the rule applies."""
    shop.shop.answers = [500]
    shop.api.pay()
    shop.deliver()
    shop.scenario({"on": "webhook.*", "then": rule})
    shop.advance("90s")


def by_hand(shop: Mall, rule: dict[str, Any]) -> None:
    """An event that was accepted, and is sent again."""
    shop.api.pay()
    shop.deliver()
    shop.scenario({"on": "webhook.*", "then": rule})
    resend(shop)


def unheard_before(shop: Mall, rule: dict[str, Any]) -> None:
    """The first attempt of all, but by hand."""
    shop.api.put(f"{INBOX}/target", {"url": None})
    shop.api.pay()
    shop.scenario({"on": "webhook.*", "then": rule})
    shop.api.put(f"{INBOX}/target", {"url": HOOK})
    resend(shop)


def resend(shop: Mall) -> Any:
    return shop.api.post(f"{INBOX}/{shop.inbox()[0]['event_id']}/resend").json


LATER: Final = (refused_once, by_hand, unheard_before)


def test_every_key_of_a_rule_is_tried() -> None:
    tried = {name for rule in (*LEFT.values(), *DONE.values()) for name in rule}
    assert tried == {"body", *WebhookRule.__struct_fields__} - {"stale"}
    delayed = {name for rule in LEFT.values() for name in rule["deliver"] if isinstance(rule["deliver"], dict)}
    assert {"at", *delayed} == set(Deliver.__struct_fields__)


@pytest.mark.parametrize("attempt", LATER)
@pytest.mark.parametrize("said", LEFT)
def test_a_later_attempt_is_not_said_to_leave_as_a_first_one(attempt: Callable[..., None], said: str) -> None:
    shop = mall()
    attempt(shop, LEFT[said])
    (event,) = shop.inbox()
    assert event["deliveries"][-1]["status"] == 200
    assert [one for one in (*event["because"], event["deliveries"][-1]["because"] or "") if said in one] == []


@pytest.mark.parametrize("attempt", LATER)
@pytest.mark.parametrize("said", DONE)
def test_a_later_attempt_is_said_to_be_as_the_rule_made_it(attempt: Callable[..., None], said: str) -> None:
    shop = mall()
    attempt(shop, DONE[said])
    (event,) = shop.inbox()
    assert said in event["because"][-1]
    assert "rule 1" in event["because"][-1]
    if said != "dropped":
        assert said in event["deliveries"][-1]["because"]


class Ending(NamedTuple):
    """How the attempts of an event end, and what says so."""

    fate: SkipReason
    act: Callable[[Mall], object]


def dropped(shop: Mall) -> None:
    shop.scenario({"on": "webhook.*", "then": {"drop": True}})


def nowhere(shop: Mall) -> None:
    shop.api.put(f"{INBOX}/target", {"url": None})


ENDINGS: Final = (
    Ending(SkipReason.DROPPED, dropped),
    Ending(SkipReason.UNHEARD, nowhere),
    Ending(SkipReason.GIVEN_UP, lambda shop: None),
)


@pytest.mark.parametrize("ends", ENDINGS, ids=lambda one: one.fate.value)
def test_a_history_says_why_an_event_is_not_sent_again(ends: Ending) -> None:
    shop = mall()
    shop.shop.always = 500
    payment_id = shop.api.pay()["payment_id"]
    shop.deliver()
    ends.act(shop)
    shop.advance("30h")
    (event,) = shop.inbox()
    assert (event["fate"], event["is_delivered"]) == (ends.fate, False)
    told = shop.api.get(f"/_sandbox/payments/{payment_id}/timeline?format=text").raw.decode()
    assert f"not sent again: {WHY[ends.fate]}" in told
    page = shop.api.get(f"/_sandbox/ui/{shop.workspace.space.name}/webhooks/{event['event_id']}").raw.decode()
    assert f"<dt>Not sent again</dt><dd>{WHY[ends.fate]}</dd>" in page


@pytest.mark.parametrize("ends", ENDINGS[:2], ids=lambda one: one.fate.value)
def test_what_was_accepted_has_no_reason_not_to_be_sent(ends: Ending) -> None:
    shop = mall()
    shop.api.pay()
    shop.deliver()
    ends.act(shop)
    asked = resend(shop)
    assert (asked["made"], asked["why"]) == ([], WHY[ends.fate]), "which is about this attempt"
    (event,) = shop.inbox()
    assert (event["is_delivered"], event["fate"], event["why"]) == (True, None, None)


def test_a_rule_is_not_used_up_by_an_attempt_that_goes_nowhere() -> None:
    shop = mall()
    shop.shop.answers = [500]
    shop.api.pay()
    shop.deliver()
    shop.scenario({"on": "webhook.*", "times": 1, "then": {"copies": 2}})
    nowhere(shop)
    shop.advance("90s")
    shop.api.put(f"{INBOX}/target", {"url": HOOK})
    assert len(resend(shop)["made"]) == 2
