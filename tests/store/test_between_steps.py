"""What looks at a space or closes it without its lock, while another thread changes it between any two of its steps."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from msgspec import structs

from mock_server.clock import SystemClock
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.space import LastingSpace
from mock_server.lasting.store import LastingStore
from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue
from tests.counts import times
from tests.store.conftest import nothing
from tests.store.things import THINGS, thing

TURNS: Final = 2
"""The change comes so often at one place, which can be in a loop."""
ROOM: Final = times(900, soak=3_000)
KINDS: Final = [structs.replace(THINGS, name=f"thing{number}") for number in range(ROOM + 5)]
Change = Callable[[Transaction, int], object]
CHANGES: Final[dict[str, Change]] = {
    "a record of another kind": lambda tx, number: tx.put(KINDS[number], thing("a")),
    "a line of another log": lambda tx, number: tx.append(f"log{number}", number),
    "another fact": lambda tx, number: tx.set_fact(f"{delivery_queue.PREFIX}{number}", {"on_its_way": [number]}),
    "another stream": lambda tx, number: tx.next(f"stream{number}"),
}
LOOKS: Final[dict[str, Callable[[Store, Space], object]]] = {
    "close": lambda store, space: store.close(space.name),
    "replace": lambda store, space: store.replace(space.name, nothing),
    "clear": lambda store, space: store.clear("stays"),
    "open": lambda store, space: store.open(space.name, nothing),
    "kept bytes": lambda store, space: space.kept_bytes(),
    "unsaved rows": lambda store, space: [one.unsaved for one in (space,) if isinstance(one, LastingSpace)],
    "what is behind": lambda store, space: space.lists_slowly(THINGS.name, by_index=True),
    "the last line": lambda store, space: (space.last("log"), space.dropped("log")),
    "what is being sent": lambda store, space: delivery_queue.earliest(space.state.facts),
}
"""What is done with spaces from outside of their transactions."""


@contextmanager
def between_steps(space: Space, change: Change) -> Iterator[list[int]]:
    """Within it, the change comes at every step of this thread that does not hold the space's lock; gives how often."""
    made, seen = list[int](), Counter[object]()

    def step(frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        seen[place := (frame.f_code, frame.f_lasti)] += 1
        if (
            seen[place] <= TURNS
            and len(made) < ROOM
            and IS_OURS(frame.f_code.co_filename)
            and not space._gate._lock.locked()
        ):
            sys.settrace(None)
            space.transact(lambda tx: change(tx, len(made)))
            made.append(len(made))
            sys.settrace(step)
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        yield made
    finally:
        sys.settrace(before)


IS_OURS: Final = re.compile(r"mock_server/(store/|webhooks/delivery_queue|lasting/space)").search
"""Where no lock is held but the space's own, which a change needs too."""


def in_memory(path: Path) -> Store:
    return Store()


def in_a_file(path: Path) -> Store:
    return LastingStore(DataFile(str(path / "store.sqlite")), KINDS, SystemClock())


@pytest.mark.parametrize("make", [in_memory, in_a_file], ids=lambda make: make.__name__)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_no_step_is_disturbed(
    look: Callable[[Store, Space], object], change: Change, make: Any, tmp_path: Path
) -> None:
    store = make(tmp_path)
    space = store.open("workspace", lambda tx: [change(tx, -number) for number in range(1, 4)])
    with between_steps(space, change) as made:
        look(store, space)
    assert made or look is LOOKS["unsaved rows"]  # which only a file has
    getattr(store, "end", lambda: None)()
