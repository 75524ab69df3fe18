"""An answer agrees with itself, whatever another call does between any two transactions of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import pytest

from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.wire import Reply, Wire, wire

T = TypeVar("T")
Act = Callable[[Wire, str], Reply]


class BusySpace(Space):
    """A space in which `between` comes before each transaction."""

    between: Callable[[], object] | None = None

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False, apart: bool = False) -> T:
        between, BusySpace.between = BusySpace.between, None
        if between is not None:
            between()
            BusySpace.between = between
        return super().transact(work, ends=ends, apart=apart)


class BusyStore(Store):
    def _space(self, name: str, state: Any) -> Space:
        return BusySpace(name, next(self._generations), state, self._on_drop, self._make_room_for)


@contextmanager
def among(act: Callable[[], object]) -> Iterator[None]:
    BusySpace.between = act
    try:
        yield
    finally:
        BusySpace.between = None


CALLS: Final[dict[str, Act]] = {
    "retrieve": lambda api, payment: api.get(f"/payments/{payment}"),
    "expanded": lambda api, payment: api.get(f"/payments/{payment}?expand_attempts=true&expand_captures=true"),
    "sync": lambda api, payment: api.post("/payments/sync", {"payment_id": payment}),
    "metadata": lambda api, payment: api.post(f"/payments/{payment}/update_metadata", {"metadata": {"a": 1}}),
    "record": lambda api, payment: api.get("/_sandbox/records/payments"),
}
ACTS: Final[dict[str, Act]] = {
    "refund": lambda api, payment: api.post("/refunds", {"payment_id": payment, "amount": 10}),
    "dispute": lambda api, payment: api.post(
        f"/_sandbox/payments/{payment}/dispute", {"reason": "fraudulent", "amount": 10}
    ),
}
"""What others do meanwhile, as often as it is possible."""


def sums(shown: dict[str, Any]) -> tuple[object, ...]:
    """The amounts of the parts that a payment shows."""
    refunded = sum(one["amount"] for one in shown["refunds"] or ())
    return refunded or None, sum(int(one["amount"]) for one in shown["disputes"] or ()) or None


def told(shown: dict[str, Any]) -> tuple[object, ...]:
    """The sums that it shows."""
    return tuple(shown["state_metadata"][f"total_{name}_amount"] for name in ("refunded", "disputed"))


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("before", ["refund", "dispute", "both"])
def test_a_payment_agrees_with_its_parts(call: Act, act: Act, before: str) -> None:
    api = wire(store=BusyStore())
    payment = api.pay()["payment_id"]
    for name in ("refund", "dispute"):
        if before in (name, "both"):
            assert ACTS[name](api, payment).status == 200
    with among(lambda: act(api, payment)):
        answer = call(api, payment)
    assert answer.status == 200
    for shown in answer.json.get("data", [answer.json]):
        assert sums(shown) == told(shown)
