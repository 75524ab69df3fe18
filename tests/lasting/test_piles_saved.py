"""A call that finds a pile of due events saves them as they are applied: nothing waits until it has them all."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from mock_server.engine import timeline
from mock_server.lasting.space import Use
from mock_server.lasting.store import LastingStore
from mock_server.sandbox.workspace import AT_ONCE
from tests.api.places import workspace as workspace_of
from tests.clocks import ManualClock
from tests.sandbox.test_piles import left, pile
from tests.wire import Wire, wire

MANY = 3 * AT_ONCE


def opened(path: Path, clock: ManualClock) -> tuple[Wire, LastingStore]:
    api = wire(clock=clock, data=path)
    assert api.sandbox.lasting is not None
    return api, api.sandbox.lasting


@pytest.mark.parametrize("sort", timeline.SORTS)
def test_each_slice_of_a_pile_is_saved_by_itself(sort: str, tmp_path: Path) -> None:
    path, clock = tmp_path / "state.sqlite", ManualClock()
    api, store = opened(path, clock)
    workspace = workspace_of(api)
    pile(workspace, sort, MANY)
    assert store.saver.save()
    clock.advance(1)
    ends: list[tuple[int, tuple[int, int]]] = []
    with Use(is_one=True):
        assert store.space(workspace.space.name) == workspace.space
        while workspace.apply_due(clock.now_ms()):
            assert store.saver.save(), "held until the call ends"
            ends.append((left(workspace), killed(path, tmp_path / f"{len(ends)}.sqlite", clock)))
        workspace.space.transact(lambda tx: tx.add("own"))
        assert not store.saver.save(), "what the call itself changes is saved with its end"
    assert [now for now, _ in ends] == [now for _, (now, _) in ends] == [2 * AT_ONCE, AT_ONCE, 0]
    assert len({events for _, (_, events) in ends}) == 1, "no event is lost or applied twice"
    store.end()


def killed(path: Path, to: Path, clock: ManualClock) -> tuple[int, int]:
    """What a start would find if the server were killed now: due events, and the events that came of all of them."""
    for suffix in ("", "-wal"):
        copy(f"{path}{suffix}", f"{to}{suffix}")
    api, store = opened(to, clock)
    workspace = workspace_of(api)
    found = left(workspace)
    workspace.catch_up()
    told = sum(len(table.rows) for table in workspace.space.state.by_kind.values())
    store.end()
    return found, told
