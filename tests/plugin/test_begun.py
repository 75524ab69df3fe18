"""What a `Sandbox` is told has its effect however it is begun and ended, and nothing of it remains."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any, Final

import pytest

from mock_server.testing import ControlRefused, RunningServer, Sandbox, SandboxServer, SandboxUnreachable
from mock_server.testing.outcomes import PaymentOutcome

AT: Final = "2031-05-06T07:08:09+00:00"
BEGINS: Final[dict[str, tuple[dict[str, Any], Callable[[Sandbox], bool]]]] = {
    "scenario": ({"scenario": "issuer_down_then_up"}, lambda it: it.client.pay()["status"] == "failed"),
    "several": ({"scenario": ["slow_network", {"name": "mine", "rules": []}]}, lambda it: len(_active(it)) == 2),
    "clock": ({"clock": AT}, lambda it: it.clock.now.isoformat() == AT),
    "frozen": ({"clock": "frozen"}, lambda it: it.clock.state()["frozen"] is True),
    "dialect": ({"dialect": "hyperswitch"}, lambda it: it.control.get("/dialect")["dialect"] == "hyperswitch"),
    "outcome": (
        {"outcome": PaymentOutcome("lost_card", {"decline": "lost_card"})},
        lambda it: it.client.pay()["status"] == "failed",
    ),
    "seed": ({"seed": "7", "name": "it", "clock": AT}, lambda it: it.client.pay()["payment_id"] == _of_seed(it)),
}


def _active(it: Sandbox) -> list[str]:
    return list(it.control.get("/scenarios")["active"])


def _of_seed(it: Sandbox) -> str:
    with Sandbox(it.url, seed="7", name="it", clock=AT) as other:
        return str(other.client.pay()["payment_id"])


@contextmanager
def in_a_block(begins: dict[str, Any], **server: Any) -> Iterator[Sandbox]:
    it = Sandbox(**begins, **server)
    try:
        with it as same:
            yield same
            for on in it.scenarios.on():  # not every case meets what its scenario expects
                it.scenarios.turn_off(on)
    finally:
        it.close()


@contextmanager
def alone(begins: dict[str, Any], **server: Any) -> Iterator[Sandbox]:
    it = Sandbox(**begins, **server)
    try:
        yield it
    finally:
        it.close()


WAYS: Final = (in_a_block, alone)


@pytest.mark.parametrize(("what", "way"), [*product(BEGINS, WAYS)], ids=lambda one: getattr(one, "__name__", one))
def test_what_it_is_told_is_so(what: str, way: Any, sandbox: Sandbox) -> None:
    begins, is_so = BEGINS[what]
    with way(begins, server=sandbox._server) as it:
        assert is_so(it)


WRONG: Final[tuple[dict[str, Any], ...]] = (
    {"scenario": "no_such"},
    {"scenario": {"rulez": []}},
    {"clock": "yesterday"},
    {"dialect": "latin"},
    {"scenario": "no/such.yaml"},
)


@pytest.mark.parametrize("begins", WRONG, ids=str)
def test_what_cannot_be_so_is_refused_at_once_and_ends_its_threads(begins: dict[str, Any]) -> None:
    before = {*threading.enumerate()}
    with pytest.raises((ControlRefused, OSError, ValueError)):
        Sandbox(**begins)
    for thread in {*threading.enumerate()} - before:
        thread.join()


def test_so_is_a_server_that_is_not_there(inside: SandboxServer) -> None:
    with pytest.raises(SandboxUnreachable):
        Sandbox("http://127.0.0.1:1", clock=AT)
    far = RunningServer(inside.url)
    assert Sandbox(server=far, api_key="snd_somebodys_own").client.get("/health").status == 200
    far.stop()
