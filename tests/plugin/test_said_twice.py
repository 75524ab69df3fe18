"""What is said to the fixture twice or at a place that is none is refused in words: it must not be taken silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.scenario.schema.answers import ThenBlock
from mock_server.testing import Sandbox, SandboxServer


@pytest.fixture(scope="module")
def sandbox(inside: SandboxServer) -> Any:
    with Sandbox(server=inside) as workspace:
        workspace.client.pay()
        yield workspace


@pytest.mark.parametrize("key", ThenBlock.keys())
def test_an_outcome_that_is_said_twice_is_refused(key: str, sandbox: Sandbox) -> None:
    other: Any
    for other in ("succeeded", None):
        with pytest.raises(TypeError, match=rf"next\(\) takes {key} once"):
            sandbox.next("charge", {key: "failed"}, **{key: other})
    assert sandbox.client.pay()["status"] == "succeeded"


def test_what_is_said_in_parts_is_one_outcome(sandbox: Sandbox) -> None:
    sandbox.next("charge", {"outcome": "failed"}, decline="lost_card")
    assert sandbox.client.pay()["error_message"] == "Payment declined: lost card"


NOWHERE: Final = ("/hook", "http:///hook", "", "ftp://localhost/hook", "http://localhost:99999/hook", "//x", "a b")


TOLD: Final[dict[str, Callable[[Sandbox, str], object]]] = {
    "deliver": lambda it, to: it.webhooks.deliver(to=to),
    "probe": lambda it, to: it.probe(to),
}


@pytest.mark.parametrize("to", NOWHERE)
@pytest.mark.parametrize("method", TOLD)
def test_a_receiver_that_is_no_address_is_named(method: str, to: str, sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="expected an app") as refused:
        TOLD[method](sandbox, to)
    assert repr(to) in str(refused.value)
    assert "`path`" in str(refused.value)


@pytest.mark.parametrize("then", ["lost_card", "", 5, [], ["lost_card"], b"x", True, 1.5], ids=repr)
def test_an_outcome_of_another_kind_is_refused(then: Any, sandbox: Sandbox) -> None:
    with pytest.raises(TypeError, match="is not a mapping"):
        sandbox.next("charge", then)


NO_EVENTS: Final[tuple[Any, ...]] = (5, True, b"evt_1", [], {}, {"event_id": 5}, ("evt_1",), "a payment")
TAKES: Final[dict[str, Callable[[Sandbox, Any], object]]] = {
    "deliver": lambda it, told: it.webhooks.deliver(told, to=lambda environ, start: []),
    "signed": lambda it, told: it.webhooks.signed(told),
    "resend": lambda it, told: it.webhooks.resend(told),
}


@pytest.mark.parametrize("what", NO_EVENTS, ids=repr)
@pytest.mark.parametrize("method", TAKES)
def test_what_is_no_event_is_refused(method: str, what: Any, sandbox: Sandbox) -> None:
    told = [sandbox.client.pay(), sandbox.client.pay().json()] if what == "a payment" else [what]
    for one in told:
        with pytest.raises(TypeError, match="has no event_id"):
            TAKES[method](sandbox, one)
