"""A challenge and a rule's answers: each sale takes one answer, and completing a challenge takes none.

The table: kinds of rules × ways to complete the challenge × cards. What each sale must come to is computed from the
number of the sale alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.wire import Wire, wire

Then = dict[str, Any]
ASKS: Final[Then] = {"challenge": "approved"}
ASKS_AND_DECLINES: Final[Then] = {"challenge": "approved", "decline": "stolen_card"}
BY_CLOCK: Final[Then] = {"challenge": {"result": "approved", "after": "5s"}}
DECLINES: Final[Then] = {"decline": "insufficient_funds"}
SALES: Final = 6


class Sort(NamedTuple):
    """A scenario, and which answer each sale gets, by its number from 0; None: the card decides."""

    scenario: dict[str, Any]
    answer: Callable[[int], Then | None]


def rule(then: Any, **more: Any) -> dict[str, Any]:
    return {"rules": [{"on": "charge", **more, "then": then}]}


def first(many: int, then: Then) -> Callable[[int], Then | None]:
    return lambda number: then if number < many else None


def each_nth(nth: int, then: Then) -> Callable[[int], Then | None]:
    return lambda number: None if (number + 1) % nth else then


def each(then: Then) -> list[tuple[str, Sort]]:
    """Every way to say how often, for one answer."""
    name = json.dumps(then)
    return [
        *((f"times {n} {name}", Sort(rule(then, times=n), first(n, then))) for n in (1, 2, 4)),
        *((f"every {n} {name}", Sort(rule(then, every=n), each_nth(n, then))) for n in (1, 2, 3)),
        (f"skip {name}", Sort(rule(then, skip=1, times=1), lambda i: then if i == 1 else None)),
        (
            f"skip, every {name}",
            Sort(rule(then, skip=1, every=2), lambda i: then if i and not i % 2 else None),
        ),
        (
            f"list {name}",
            Sort(rule([then, DECLINES]), lambda i: then if i == 0 else DECLINES),
        ),
        (
            f"cycle {name}",
            Sort(rule([then, DECLINES, then], repeat="cycle"), lambda i: DECLINES if i % 3 == 1 else then),
        ),
        (f"stop {name}", Sort(rule([then, DECLINES], repeat="stop"), lambda i: (then, DECLINES, *[None] * 9)[i])),
        (f"two {name}", Sort(rule([then, then, {"outcome": "succeeded"}]), lambda i: then if i < 2 else {})),
        (
            f"chaos {name}",
            Sort(
                {**rule(then, times=2), "chaos": {"decline": {"insufficient_funds": 1}}},
                lambda i: then if i < 2 else DECLINES,
            ),
        ),
        (
            f"two rules {name}",
            Sort(
                {"rules": [{"on": "charge", "times": 1, "then": then}, {"on": "charge", "then": DECLINES}]},
                lambda i: then if i == 0 else DECLINES,
            ),
        ),
    ]


SORTS: Final = dict(sort for then in (ASKS, ASKS_AND_DECLINES, BY_CLOCK) for sort in each(then))
CARDS: Final = {"success": None, "lost_card": "lost_card", "3ds_required": None}
Complete = Callable[[Wire, str], object]
WAYS: Final[dict[str, Complete]] = {
    "call": lambda api, payment: api.post(f"/payments/{payment}/complete_authorize"),
    "bank": lambda api, payment: api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"}),
    "clock": lambda api, payment: api.post("/_sandbox/clock/advance", {"by": "10s"}),
}
CELLS: Final = [
    (sort, way, card) for sort, way, card in product(SORTS, WAYS, CARDS) if (way == "clock") <= ("after" in sort)
]
SHOWN: Final = CELLS if SOAK else Random("challenges").sample(CELLS, 40)


def ended(api: Wire, way: str, card: str) -> tuple[bool, str]:
    """One sale: whether it was challenged by the rule or the card, and how it ended."""
    paid = api.pay(card, return_url="https://shop.example/back").json
    was = paid["status"] == "requires_action"
    if was:
        WAYS[way](api, paid["payment_id"])
        paid = api.get(f"/payments/{paid['payment_id']}").json
        if paid["status"] == "requires_action":  # a card's own challenge has no fixed end
            WAYS["bank"](api, paid["payment_id"])
            paid = api.get(f"/payments/{paid['payment_id']}").json
    details = paid["error_details"]
    return was, details["connector_details"]["reason"] if details else paid["status"]


def expected(sort: Sort, number: int, card: str) -> tuple[bool, str]:
    then = sort.answer(number)
    if then is None:
        return card == "3ds_required", CARDS[card] or "succeeded"
    if "challenge" in then:
        return True, then.get("decline") or CARDS[card] or "succeeded"
    return False, then.get("decline") or "succeeded"


@pytest.mark.parametrize(("sort", "way", "card"), SHOWN, ids=lambda value: str(value))
def test_each_sale_takes_one_answer_and_its_challenge_none(sort: str, way: str, card: str) -> None:
    api = wire(clock=ManualClock())
    api.call(
        "PUT", "/_sandbox/scenarios/table", raw=json.dumps(SORTS[sort].scenario).encode(),
        headers={"Content-Type": "application/json"},
    )  # fmt: skip
    assert api.post("/_sandbox/scenarios/table/activate").status == 200
    found = [ended(api, way, card) for _ in range(SALES)]
    assert found == [expected(SORTS[sort], number, card) for number in range(SALES)]
