"""What is wrong with a call of the fixture is said once each, however many mistakes there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from mock_server.testing import ControlRefused, Sandbox

MISTAKES: Final[dict[str, Callable[[Sandbox], object]]] = {
    "an unknown outcome": lambda it: it.next("charge", declined="lost_card"),
    "an unknown operation without an outcome": lambda it: it.next("lost_card"),
    "an unknown event": lambda it: it.webhooks.wait_for("payment.succeeded", timeout=0.01),
    "an unknown scenario": lambda it: it.scenario("lost_respons"),
    "an unknown snapshot": lambda it: it.restore("nothing"),
    "a duration in words": lambda it: it.clock.advance("1 day"),
    "an instant in words": lambda it: it.clock.freeze("tomorrow"),
    "an unknown status": lambda it: it.journal.calls(status="foo"),
    "three mistakes of a scenario": lambda it: it.scenario({"rules": [{"on": "charg", "then": {"decline": "x"}}, {}]}),
    "an unknown result": lambda it: it.trigger.authenticate(it.client.pay("3ds_required"), "ok"),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_each_mistake_is_said_once(mistake: Callable[[Sandbox], object], sandbox: Sandbox) -> None:
    with pytest.raises(ControlRefused) as raised:
        mistake(sandbox)
    said = str(raised.value)
    assert raised.value.fields
    assert {one["message"]: said.count(one["message"]) for one in raised.value.fields} == {
        one["message"]: 1 for one in raised.value.fields
    }
