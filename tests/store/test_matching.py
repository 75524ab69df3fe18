from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.store.matching import match
from mock_server.store.postings import Posting, Postings, grown
from tests.counts import times

LENGTH = 4000

BLOCKS = st.lists(
    st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 1500), st.integers(1, 7)), min_size=1, max_size=4
).map(lambda blocks: {at for first, length, step in blocks for at in range(first, min(first + length, LENGTH), step)})
"""Positions in blocks: matches lie close in one part of a workspace and hardly anywhere else."""


@settings(max_examples=times(50, soak=1000))
@given(
    indexes=st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.integers(0, 3), BLOCKS, min_size=1), min_size=1),
    wanted=st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple),
    dead=BLOCKS,
    window=st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).map(sorted) | st.just([0, LENGTH]),
    offset=st.integers(0, 50) | st.integers(0, LENGTH),
    limit=st.integers(1, 100),
    ascending=st.booleans(),
)
def test_a_page_and_its_total_are_those_of_plain_sets(
    indexes: dict[str, dict[int, set[int]]],
    wanted: tuple[int, ...],
    dead: set[int],
    window: list[int],
    offset: int,
    limit: int,
    ascending: bool,
) -> None:
    alive = set(range(LENGTH)) - dead
    start, stop = window
    expected = alive & set(range(start, stop))
    for values in indexes.values():
        expected &= set().union(*(values.get(value, set()) for value in wanted))
    found = match(
        {name: _postings(values, alive) for name, values in indexes.items()},
        _posting(alive),
        dict.fromkeys(indexes, wanted),
        start,
        stop,
    )
    ordered = sorted(expected, reverse=not ascending)
    assert found.total == len(ordered)
    assert found.page(offset, limit, ascending=ascending) == ordered[offset : offset + limit]
    assert set(found.among()) == expected


def _postings(values: dict[int, set[int]], alive: set[int]) -> Postings:
    made = Postings()
    for at in sorted(alive):
        own = tuple(value for value, positions in values.items() if at in positions)
        made.add(own if len(own) > 1 else own[0] if own else None, at)
    return made


def _posting(positions: set[int]) -> Posting | None:
    posting = None
    for at in sorted(positions):
        posting = at if posting is None else grown(posting, at)
    return posting
