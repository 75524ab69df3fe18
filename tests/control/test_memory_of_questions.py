"""What a call that reads takes of memory while it is answered: all of a long journal at once would be too much."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Final

from mock_server.domain.api_keys import ApiKey, parse
from mock_server.store.protocol import JOURNAL
from tests.control import full_workspace
from tests.control.reading_all import Bare, Look, looks
from tests.counts import times
from tests.wire import KEY, wire

A_LINE: Final = 1_100
"""Bytes for each line of the journal: most calls look at parts of all lines, and keep few."""
WRITTEN: Final = 25_000
"""Bytes for each line that is in the answer, which has five kilobytes of it."""
MORE: Final = {"/_sandbox/verdicts": 9_000}
"""What keeps all lines, to compare each with others."""


def test_a_question_for_a_little_takes_little_of_a_long_journal() -> None:
    """Each call that reads and each page, for one item, and the whole journal, before and after many payments more."""
    api, key = wire(), parse(KEY)
    full_workspace.full(api)
    assert isinstance(key, ApiKey)
    workspace = api.sandbox.workspace(key)
    whole = list(looks(workspace, KEY))
    many = [
        look._replace(path=look.path.replace("limit=1000", "limit=10000")) for look in whole if "journal?" in look.path
    ]
    asked = [*map(_for_one, whole), *many]
    lines, taken = [0, 0], [list[int](), list[int]()]
    few = times(600, soak=5_000)  # more than are read at a time
    for round_, more in enumerate((few, few // 2)):
        for _ in range(more):
            api.pay()
        lines[round_] = workspace.space.last(JOURNAL)
        gc.freeze()  # for good: each collection looks at what is new, and not at the journal and what other tests left
        taken[round_] = [_taken(Bare(api), look, is_first=not round_) for look in asked]
    added = lines[1] - lines[0]
    most = [before + _most(look.path) * added for look, before in zip(asked, taken[0], strict=True)]
    much = [(look, allowed) for look, allowed, after in zip(asked, most, taken[1], strict=True) if after > allowed]
    # What another thread takes in the meantime is counted too, so each is asked again.
    again = {str(look): after for look, allowed in much if (after := _taken(Bare(api), look)) > allowed}
    assert again == {}


def _most(path: str) -> int:
    return MORE.get(path, WRITTEN if "limit=10000" in path else A_LINE)


def _for_one(look: Look) -> Look:
    return look._replace(path=look.path.replace("limit=1000", "limit=1").replace("limit=100", "limit=1"))


def _taken(client: Bare, look: Look, *, is_first: bool = False) -> int:
    if is_first:
        client.call(*look)  # imports, and what is cached
    gc.collect()
    tracemalloc.start()
    try:
        client.call(*look)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
