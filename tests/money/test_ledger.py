"""Every sum that the API tells is the ledger's, to the minor unit, over thousands of random operations.

The ledger adds up the answers received and imports nothing of the project. The run is two thousand operations in
eight workspaces; with PAYMENT_SANDBOX_SOAK it is fifty thousand in two hundred.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

import pytest

from tests.counts import SOAK, times
from tests.money import figures, moves
from tests.money.ledger import Answer, count, total
from tests.money.till import Till, fine
from tests.wire import wire

WORKSPACES: Final = times(8, soak=200)
OPERATIONS: Final = 250
GROUPS: Final = times(2, soak=4)
"""The workspaces are spread over so many tests; every metric by every dimension is asked of each one's first."""

STATUSES = {"payments": "status", "refunds": "status", "disputes": "dispute_status"}
IDS = {"payments": "payment_id", "refunds": "refund_id", "disputes": "dispute_id"}


class Chance:
    """Choices of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, choices: Any) -> Any:
        return self.random.choice(list(choices))

    def number(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def move(self) -> moves.Move:
        return self.random.choices([move for move, _ in moves.MOVES], [weight for _, weight in moves.MOVES])[0]


def lived(till: Till, seed: int, operations: int = OPERATIONS) -> Till:
    """A workspace after so many random operations."""
    chance = Chance(seed)
    for _ in range(operations):
        chance.move()(till, chance)
    return till


def everything(till: Till, kind: str, **filters: Any) -> list[Answer]:
    """A list, all its pages; the pages say together what they say each."""
    found: list[Answer] = []
    while True:
        page = fine(till.api.post(f"/{kind}/list", {"limit": 100, "offset": len(found), **filters}))
        found += page["data"]
        assert page["has_more"] is (len(found) < page["total_count"])
        if not page["has_more"]:
            return found


def compare(till: Till) -> None:
    """All that the API says of the whole, beside the ledger."""
    for kind, status in STATUSES.items():
        kept: list[Answer] = getattr(till.ledger, kind)
        said = fine(till.api.get(f"/{kind}/aggregate"))["status_with_count"]
        assert {word: number for word, number in said.items() if number} == count(kept, status)
        listed = everything(till, kind)
        assert {one[IDS[kind]] for one in listed} == {one[IDS[kind]] for one in kept}
        assert total(listed) == total(kept)
        for word, number in count(kept, status).items():
            some = everything(till, kind, status=word)
            assert len(some) == number
            assert total(some) == total([one for one in kept if one[status] == word])
        for currency in ("USD", "EUR", "JPY"):
            some = everything(till, kind, currency=currency)
            assert total(some) == total([one for one in kept if one["currency"] == currency])
    received = everything(till, "payments")
    assert total(received, "amount_received") == sum(one.captured for one in till.ledger.accounts.values())


def test_there_are_thousands_of_operations() -> None:
    assert WORKSPACES * OPERATIONS >= 2_000


@pytest.mark.timeout(1800 if SOAK else 180)
@pytest.mark.parametrize("group", range(GROUPS))
def test_every_sum_is_the_ledgers(group: int) -> None:
    api, done, questions = wire(), Counter[str](), 0
    for workspace in range(group, WORKSPACES, GROUPS):
        till = lived(Till(api), workspace)
        compare(till)
        if workspace < GROUPS or SOAK:
            questions += figures.compare(till)
        done.update(count(till.ledger.payments, "status"))
        done.update({"refunds": len(till.ledger.refunds), "disputes": len(till.ledger.disputes)})
    assert len(done) >= 12, f"the operations reach too little: {done}"
    assert questions >= 150
    assert min(done["refunds"], done["disputes"], done["succeeded"]) > 15, done


def test_everything_that_is_offered_is_compared() -> None:
    dimensions, granularities, numbers = figures.offered()
    assert dimensions == {domain: set(reads) for domain, reads in figures.DIMENSION.items()}
    assert granularities == set(figures.MINUTES)
    assert numbers == {domain: set(sums([])) for domain, sums in figures.SUMS.items()}


def test_a_sum_that_is_off_by_one_is_seen() -> None:
    till = lived(Till(wire()), 1, 60)
    compare(till)
    some = next(one for one in till.ledger.accounts.values() if one.status == "succeeded")
    some.payment["amount"] += 1
    with pytest.raises(AssertionError):
        compare(till)
    with pytest.raises(AssertionError):
        figures.compare_reports(till)
    some.payment["amount"] -= 1
    some.payment["amount_received"] += 1
    with pytest.raises(AssertionError):
        figures.compare(till)
