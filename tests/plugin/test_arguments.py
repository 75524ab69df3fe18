"""An argument that is empty or of a wrong kind is refused, wherever an assertion takes one: it would judge nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from inspect import signature
from typing import Any, Final

import pytest

from mock_server.testing import ControlRefused, Sandbox, SandboxServer
from mock_server.testing.journal import Journal
from mock_server.testing.webhooks import Webhooks

LASTS: Final[tuple[Any, ...]] = (-1, -0.1, True, "1", "", float("nan"), float("inf"), None, [], timedelta(seconds=1))
WRONG: Final[dict[str, tuple[Any, ...]]] = {
    "operation": ("", 5, b"payments.create", ["payments.create"], {}, True),
    "type": ("", 5, b"payment_succeeded", ["payment_succeeded"], True),
    "payment_id": ("", 5, 0, b"pay_1", [], {}, {"payment_id": ""}, {"refund_id": "ref_1"}, True),
    "status": ("", "x", "5", 20, 9999, "2000", True, 200.0, [200], b"200"),
    "body": ("", "amount", 5, 0, [], ["amount"], True, {"amount": {1}}),
    "times": (0, -1, True, False, 1.0, "1", [1]),
    "timeout": LASTS,
    "within": LASTS,
    "delivered": ("", "yes", 2, []),
}
"""By argument: what it cannot be."""
RIGHT: Final[dict[str, Any]] = {
    "operation": "payments.create",
    "type": "payment_succeeded",
    "times": 1,
    "timeout": 0,
    "within": 0,
}
FILTERS: Final = ("payment_id", "status", "body")
NEVER_CALLED: Final = ("journal.assert_called", "times", "0")
"""Also an assertion that nothing was there."""


def assertions() -> Iterator[tuple[str, str, Any]]:
    """Every argument of everything that asserts or lists, with every wrong value."""
    for room, cls in (("journal", Journal), ("webhooks", Webhooks)):
        for name in ("calls", "assert_called", "assert_not_called", "all", "none", "wait_for", "resend_all", "settle"):
            if not hasattr(cls, name):
                continue
            taken = [*signature(getattr(cls, name)).parameters][1:]
            for argument in [*(one for one in taken if one != "filters"), *(FILTERS if "filters" in taken else ())]:
                yield from ((f"{room}.{name}", argument, value) for value in WRONG[argument])


CASES: Final = [case for case in assertions() if (*case[:2], repr(case[2])) != NEVER_CALLED]


@pytest.fixture
def sandbox(inside: SandboxServer) -> Iterator[Sandbox]:
    with Sandbox(server=inside) as workspace:
        paid = workspace.client.pay(payment_id="pay_1").json()
        workspace.client.post("/refunds", {"payment_id": paid["payment_id"], "amount": 5})
        yield workspace


def call(sandbox: Sandbox, name: str, **given: Any) -> object:
    room, _, method = name.partition(".")
    asserts = getattr(getattr(sandbox, room), method)
    right = {key: value for key, value in RIGHT.items() if key in signature(asserts).parameters}
    if name in ("journal.assert_not_called", "webhooks.none"):  # they hold with what is right
        right |= {"operation": "customers.*"} if "operation" in right else {"type": "dispute_won"}
    given = {**right, **given}
    first = [given.pop(key) for key in ("operation", "type") if key in given]
    return asserts(*first, **given)


@pytest.mark.parametrize("name", dict.fromkeys(case[0] for case in CASES))
def test_what_is_right_is_taken(name: str, sandbox: Sandbox) -> None:
    call(sandbox, name)


@pytest.mark.parametrize(
    ("name", "argument", "value"), CASES, ids=lambda one: one if isinstance(one, str) else repr(one)
)
def test_what_is_wrong_is_refused(name: str, argument: str, value: Any, sandbox: Sandbox) -> None:
    with pytest.raises((AssertionError, ControlRefused, TypeError, ValueError)) as refused:
        call(sandbox, name, **{argument: value})
    said = str(refused.value).splitlines()[0]
    assert argument in said or "JSON" in said, said
    assert not said.startswith(("expected no", "'")) and " was " not in said, said


IDS: Final[dict[str, Callable[[Sandbox], str]]] = {
    "a refund's": lambda it: str(it.client.post("/refunds", {"payment_id": "pay_1", "amount": 1})["refund_id"]),
    "an event's": lambda it: it.webhooks.all()[-1].event_id,
    "a customer's": lambda it: str(it.client.post("/customers", {"name": "A"})["customer_id"]),
    "a payment's of another workspace": lambda it: elsewhere(it),
    "one that was made up": lambda it: f"pay_{'x' * 20}",
    "a refund that was made up": lambda it: f"ref_{'x' * 20}",
}
EMPTY: Final[dict[str, Callable[[Sandbox, str], object]]] = {
    "assert_not_called": lambda it, one: it.journal.assert_not_called("payments.capture", payment_id=one),
    "assert_not_called, a pattern": lambda it, one: it.journal.assert_not_called("*", payment_id=one),
    "assert_called": lambda it, one: it.journal.assert_called("refunds.create", times=0, payment_id=one),
    "calls": lambda it, one: it.journal.calls(payment_id=one),
    "all": lambda it, one: it.webhooks.all(payment_id=one),
    "none": lambda it, one: it.webhooks.none(payment_id=one, within=0),
    "none, a type": lambda it, one: it.webhooks.none("dispute_won", payment_id=one, within=0),
}


def elsewhere(sandbox: Sandbox) -> str:
    with Sandbox(sandbox.url) as other:
        return str(other.client.pay()["payment_id"])


@pytest.mark.parametrize("of", IDS)
@pytest.mark.parametrize("asserts", EMPTY)
def test_an_id_that_no_payment_was_given_is_refused(asserts: str, of: str, sandbox: Sandbox) -> None:
    one = IDS[of](sandbox)
    with pytest.raises((ControlRefused, AssertionError), match=one):
        EMPTY[asserts](sandbox, one)


@pytest.mark.parametrize("asserts", EMPTY)
def test_an_id_of_the_shops_own_need_not_be_there(asserts: str, sandbox: Sandbox) -> None:
    """That a shop has not made the payment that it would have given this id."""
    EMPTY[asserts](sandbox, "order-42")


def test_a_payment_is_known_whatever_happened_to_it(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay().json()
    sandbox.journal.clear()
    sandbox.journal.assert_not_called("*", payment_id=paid)
    sandbox.webhooks.none("dispute_won", payment_id=paid, within=0)


@pytest.mark.parametrize("by", [60, 0, -1, 1.5, True, False, "60", "", "-5m", [], b"1h", {}, timedelta(-1)], ids=repr)
def test_a_time_without_a_unit_is_none(by: Any, sandbox: Sandbox) -> None:
    before = sandbox.clock.freeze()
    with pytest.raises((TypeError, ValueError, ControlRefused), match=r"advance|by"):
        sandbox.clock.advance(by)
    assert sandbox.clock.now == before
