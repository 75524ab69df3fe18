"""Calls over the rate limit, of which no body is read: which call repeats which one shows only by its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.rules import State
from tests.counts import times

RULE: Final = "retried-too-soon"
BODIES: Final[dict[str, dict[str, Any]]] = {
    "one": {},
    "two": {"amount": 777, "merchant_order_reference_id": "two"},
    "as long as one": {"amount": 4300},
    "long": {"order_details": [{"product_name": "p" * 40, "quantity": 1, "amount": 10}] * 250},
}
KEYS: Final = ("own", "none")
LIMITS: Final = ("real", "a scenario's")
Buy = Callable[[str, str | None], int]
"""Buys with this body and key; the status."""


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"workspaces": 10_000}) as found:
        yield found


def buys(sandbox: Sandbox) -> Buy:
    return lambda body, key: sandbox.client.pay(**BODIES[body], idempotency_key=key).status


def is_refused(sandbox: Sandbox, limit: str, calls: int, on: str = "payments.create") -> None:
    """The next calls are over the limit."""
    if limit == "real":
        sandbox.scenario("settings: {rate_limit: 1}\n")
        sandbox.clock.advance(minutes=2)
        assert sandbox.client.get("/customers/list").status == 200
    else:
        said = {"status": 429, "headers": {"Retry-After": "30"}, "body": {}}
        sandbox.next(on, respond=said, times=calls)


def state(sandbox: Sandbox) -> State:
    return next(one.state for one in sandbox.verdict().results if one.rule.id == RULE)


ORDERS: Final = [*product(BODIES, BODIES, KEYS, KEYS, LIMITS)]


@pytest.mark.parametrize(("first", "second", "key", "other_key", "limit"), ORDERS[:: times(5, soak=1)])
def test_two_orders_are_no_repetition(
    server: SandboxServer, first: str, second: str, key: str, other_key: str, limit: str
) -> None:
    """Of two calls without keys, whose bodies are the same as far as they are known, one may repeat the other."""
    with Sandbox(server=server, name=f"{first} {second} {key} {other_key} {limit}", seed="tests") as sandbox:
        is_refused(sandbox, limit, 2)
        buy = buys(sandbox)
        assert buy(first, "a" if key == "own" else None) == 429
        assert buy(second, "b" if other_key == "own" else None) == 429
        told = state(sandbox)
    is_one = first == second and (key, other_key, limit) == ("none", "none", "a scenario's")
    assert told == (State.FOUND if is_one else State.NOT_JUDGED)


@pytest.mark.parametrize(("body", "key", "limit"), [*product(BODIES, KEYS, LIMITS)])
def test_a_repetition_at_once_never_passes(server: SandboxServer, body: str, key: str, limit: str) -> None:
    with Sandbox(server=server, name=f"again {body} {key} {limit}", seed="tests") as sandbox:
        is_refused(sandbox, limit, 2)
        for _ in range(2):
            assert buys(sandbox)(body, "a" if key == "own" else None) == 429
        told = state(sandbox)
    assert told == (State.NOT_JUDGED if (key, limit) == ("none", "real") else State.FOUND)


@pytest.mark.parametrize(("body", "key", "limit"), [*product(BODIES, KEYS, LIMITS)])
def test_who_waits_is_right(server: SandboxServer, body: str, key: str, limit: str) -> None:
    with Sandbox(server=server, name=f"waits {body} {key} {limit}", seed="tests") as sandbox:
        is_refused(sandbox, limit, 1)
        for status in (429, 200):
            assert buys(sandbox)(body, "a" if key == "own" else None) == status
            sandbox.clock.advance(minutes=2)
        told = state(sandbox)
    assert told == State.WELL


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("is_same", [True, False])
def test_who_reads_on_does_not_pass(server: SandboxServer, limit: str, is_same: bool) -> None:
    with Sandbox(server=server, name=f"reads {limit} {is_same}", seed="tests") as sandbox:
        paid = [sandbox.client.pay()["payment_id"] for _ in range(3)]
        is_refused(sandbox, limit, 3, "payments.retrieve")
        for payment_id in [paid[0]] * 3 if is_same else paid:
            assert sandbox.client.get(f"/payments/{payment_id}").status == 429
        told = state(sandbox)
    assert told == (State.FOUND if is_same else State.NOT_JUDGED)
