"""What is found by an index is what reading everything finds, whichever calls overlap or begin at one instant."""

from __future__ import annotations

from math import inf
from operator import attrgetter
from random import Random
from typing import Any, Final

import pytest

from mock_server.verdict.calls import ClientCall
from mock_server.verdict.indexes import during, front, grouped, last_end, next_alike, next_in, once, text
from tests.counts import times

SEEDS: Final = range(times(100, soak=3_000))
VALUES: Final[tuple[Any, ...]] = (
    None, True, 2, "1", [], [1], [2], {}, {"a": 1}, {"a": 1, "b": [2]}, {"b": [2], "a": 1}, [{"b": [{"c": [1]}]}],
)  # fmt: skip


def calls(chance: Random) -> list[ClientCall]:
    """Calls in order, many of which overlap, begin together or have one key."""
    made = [
        ClientCall(
            {
                "began_us": chance.randrange(20),
                "took_ms": chance.choice((0, 0.001, 0.004, 0.02)),
                "path": chance.choice(("/payments", "/refunds")),
                "payment_id": chance.choice(("pay_1", "pay_2")),
                "idempotency": chance.choice((None, ["a", ""], ["b", ""])),
            },
            place,
        )
        for place in range(chance.randrange(30))
    ]
    return sorted(made, key=attrgetter("order"))


@pytest.mark.parametrize("seed", SEEDS)
def test_an_index_finds_what_reading_everything_finds(seed: int) -> None:
    chance = Random(seed)
    row = calls(chance)
    path, same, payment = map(attrgetter, ("path", "same", "payment_id"))
    find = {unlike: next_alike(iter(row), path, unlike) for unlike in (same, payment)}
    ends = last_end(row)
    for call in row:
        after = [other for other in row if other.began_us > call.began_us]
        assert next_in(row, call) is next(iter(after), None)
        for unlike, found in find.items():
            fits = (other for other in after if other.path == call.path and unlike(other) != unlike(call))
            assert found(call) is next(fits, None)
    for at in range(-1, 22):
        assert ends(at) == max((call.ended_us for call in row if call.began_us < at), default=-inf)
        attempt = {"began_us": at, "took_ms": chance.choice((-1, -0.998, -0.99))}
        until = at + (attempt["took_ms"] + 1) * 1_000
        assert row[during(row, attempt)] == [call for call in row if at <= call.began_us <= until]
    others = [call for call in row if call.same != row[0].same]
    assert front(row) == [*row[:1], *others[:1]]
    assert all(found == [call for call in row if call.path == way] for way, found in grouped(row, path).items())


def test_what_is_equal_has_one_key_whatever_the_order_of_its_members() -> None:
    for one in VALUES:
        for other in VALUES:
            assert (text(one) == text(other)) is (one == other)


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_value_may_be_as_deep_as_it_likes(depth: int) -> None:
    deep: Any = 1
    for _ in range(depth):
        deep = [deep]
    assert text(deep) == text(deep)


def test_a_result_is_worked_out_once_for_each_object_and_key() -> None:
    asked = []

    class Shop:
        @once
        def doubled(self, number: int) -> int:
            asked.append(number)
            return 2 * number

    one, other = Shop(), Shop()
    assert [one.doubled(1), one.doubled(2), one.doubled(1), other.doubled(1)] == [2, 4, 2, 2]
    assert asked == [1, 2, 1]
