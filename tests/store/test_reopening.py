"""What the contract is tried with: a store that is really opened again, whatever else runs in this process."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Event, Thread

from tests.store.conftest import nothing
from tests.store.reopening import ReopeningStore, opened


def test_a_store_is_opened_between_calls_although_other_threads_run(tmp_path: Path) -> None:
    is_over = Event()
    other = Thread(target=is_over.wait)
    other.start()
    try:
        store = ReopeningStore(partial(opened, tmp_path / "store.sqlite"), 2)
        store.open("a", nothing)
        for _ in range(9):
            assert store.names() == ["a"]
        store.end()
        assert store.reopened == 5
    finally:
        is_over.set()
        other.join()
