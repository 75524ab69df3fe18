"""The cache of what was used recently: what was used last is in it, and it keeps its limit."""

from __future__ import annotations

import random

import pytest

from mock_server.recent import Recent
from tests.counts import times


@pytest.mark.parametrize("limit", [2, 3, 8, 9, 40])
@pytest.mark.parametrize("reads", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(times(10, soak=60)))
def test_what_was_used_lately_is_there_and_not_more_than_the_limit(limit: int, reads: float, seed: int) -> None:
    draw, cache = random.Random(seed), Recent[tuple[int, str], int](limit)
    used: dict[tuple[int, str], int] = {}
    for number in range(draw.randrange(1, 20 * limit)):
        place = (draw.randrange(2), str(draw.randrange(2 * limit)))
        if draw.random() > reads:
            cache.put(place, number)
            used.pop(place, None)
            used[place] = number
        elif cache.get(place) is not None:
            used[place] = used.pop(place)
        elif draw.random() < 0.1:
            cache.drop(place)
            used.pop(place, None)
    lately = [*used.items()][-(limit // 2) :]
    assert [(place, cache.get(place)) for place, _ in lately] == lately
    assert sum(cache.get(place) is not None for place in used) <= limit + 1


@pytest.mark.parametrize("limit", [2, 3, 8, 9, 40])
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_reading_it_between_writes_does_not_let_it_grow(limit: int, share: float) -> None:
    draw, cache = random.Random(limit), Recent[tuple[int, str], int](limit)
    for number in range(5 * limit):
        for earlier in range(number):
            if draw.random() < share:
                cache.get((0, str(earlier)))
        cache.put((0, str(number)), number)
    assert sum(cache.get((0, str(number))) is not None for number in range(5 * limit)) <= limit + 1
