"""A probe has its event whatever scenario is on and whatever `next` says, and takes nothing of what that is for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

import pytest

from mock_server.scenario.loading.library import Library
from mock_server.testing import Sandbox, SandboxServer
from tests.counts import times

CHARGES: Final = ("succeeded", "failed", "requires_action", "pending", "requires_merchant_action")


def turned_on(it: Sandbox, name: str) -> object:
    return it.scenarios.turn_on(name)


DECIDED: Final[dict[str, Callable[[Sandbox], object]]] = {
    **{f"scenario {name}": partial(turned_on, name=name) for name in Library().names()},
    **{f"next {one}": partial(Sandbox.next, outcome=one) for one in CHARGES},
    "chaos": lambda it: it.scenario({"name": "chaos", "chaos": {"error": {"HE_00": "100%"}}}),
    "an error": lambda it: it.scenario({"name": "down", "rules": [{"on": "*", "then": {"error": "HE_00"}}]}),
}


def receiver(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
    start_response("200 OK", [("Content-Length", "0")])
    return [b""]


@pytest.mark.parametrize("way", Random(1).sample(sorted(DECIDED), times(8, soak=len(DECIDED))))
def test_it_makes_its_own_event(way: str, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        DECIDED[way](sandbox)
        queue = sandbox.control.get("/next")
        (result,) = sandbox.probe(receiver, only=("valid",))
        assert result.state == "passed", result
        assert sandbox.control.get("/next") == queue
        for name in sandbox.scenarios.on():
            sandbox.scenarios.turn_off(name)


def test_without_an_event_it_says_so(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        sandbox.next("payments.create", error="HE_00")
        with pytest.raises(AssertionError, match="payment_succeeded was not created"):
            sandbox.probe(receiver, only=("valid",))
