"""A story that fails says so when nothing can change any more, and not before: what is still to come is waited for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any, Final, NamedTuple

import pytest

from mock_server.cli import playing
from mock_server.cli.playing import SECRET, control, perform, stage
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.scenario.loading.load import load_json
from mock_server.scenario.story import player
from mock_server.scenario.story.over_http import OverHttp

LONG_S: Final = 3600.0
"""How long a story waits here for what can still come: whoever waits for what cannot come never ends."""
SOON: Final = "400ms"
PAY: Final = {"do": "payments.create", "with": {"amount": 100, "currency": "EUR", "confirm": True, "card": "success"}}
PAID: Final = "webhook.payment_succeeded"


class Situation(NamedTuple):
    """What a payment leaves behind: its rules, steps, and how many deliveries and succeeded payments there are."""

    then: dict[str, Any] | None = None
    on: str = PAID
    before: tuple[dict[str, Any], ...] = ()
    deliveries: int = 1
    paid: int = 1


FROZEN: Final = ({"do": "clock.freeze"},)
SITUATIONS: Final = {
    "all is done": Situation(),
    "a frozen clock": Situation(before=FROZEN),
    "settles soon": Situation({"settles": {"after": SOON}}, "charge", deliveries=2),
    "settles next week": Situation({"settles": {"after": "7d"}}, "charge", deliveries=1, paid=0),
    "settles while the clock is frozen": Situation({"settles": {"after": SOON}}, "charge", FROZEN, 1, 0),
    "delivered soon": Situation({"deliver": {"delay": SOON}}),
    "delivered tomorrow": Situation({"deliver": {"delay": "1d"}}, deliveries=0),
    "delivered while the clock is frozen": Situation({"deliver": {"delay": SOON}}, before=FROZEN, deliveries=0),
    "copies": Situation({"copies": 3}, deliveries=3),
    "copies at once": Situation({"copies": 3, "concurrently": True}, deliveries=3),
    "dropped": Situation({"drop": True}, deliveries=0),
    "refused, and tried again later": Situation({"signature": "wrong"}, before=FROZEN),
    "follows what does not come": Situation({"deliver": {"following": "refund_succeeded"}}, deliveries=0),
    "before the response": Situation({"deliver": "before_response"}),
    "during the redirect, which does not come": Situation({"deliver": "during_redirect"}, before=FROZEN, deliveries=0),
    "no answer": Situation({"fault": "connection_reset", "effect": "kept"}, "payments.create"),
}
_names = (f"snd_case_of_a_story_{number}" for number in count())


@pytest.fixture(scope="module")
def first() -> Iterator[OverHttp]:
    with stage() as client:
        yield client


@pytest.fixture
def client(first: OverHttp, monkeypatch: pytest.MonkeyPatch) -> OverHttp:
    """A client with a workspace of its own, whose events go to the same receiver."""
    monkeypatch.setattr(playing, "SETTLE_S", LONG_S)
    monkeypatch.setattr(player, "WAIT_S", LONG_S)
    key = parse(next(_names))
    assert isinstance(key, ApiKey)
    own = replace(first, key=key)
    control(own, "PUT", "webhooks/target", {"url": control(first, "GET", "webhooks/target")["url"], "secret": SECRET})
    return own


def verdicts(client: OverHttp, found: Situation, **rest: Any) -> list[bool]:
    """Whether each line of the story after the payment holds."""
    rules = [{"on": found.on, "then": found.then}] if found.then else []
    see = {"connection": "reset"} if found.then and "fault" in found.then else {"http": 200}
    story = [*found.before, {**PAY, "see": see}, *rest.pop("steps", ())]
    text = json.dumps({"rules": rules, "story": story, **rest})
    lines = list(perform(load_json(text, "x.json", name="x").scenario, (), client))
    return [line.holds for line in lines[len(found.before) + 1 :]]


@pytest.mark.parametrize("name", SITUATIONS)
def test_an_assertion_waits_for_what_can_come_and_for_nothing_else(name: str, client: OverHttp) -> None:
    found = SITUATIONS[name]
    expect = [
        {"webhooks": {}, "exactly": found.deliveries},
        {"payments": {"status": "succeeded"}, "exactly": found.paid},
        {"webhooks": {}, "at_least": found.deliveries + 1},
        {"payments": {"status": "succeeded"}, "at_least": found.paid + 1},
        {"in_order": ["calls.payments.create", "webhooks.refund_succeeded"]},
    ]
    assert verdicts(client, found, expect=expect) == [True, True, False, False, False]


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_step_waits_for_what_can_come_and_for_nothing_else(name: str, client: OverHttp) -> None:
    found = SITUATIONS[name]
    seen = (found.deliveries, found.deliveries + 1, ["payment_succeeded"] * 3)
    assert verdicts(client, found, steps=[{"see": {"webhooks": one}} for one in seen]) == [True, False, False]
