"""What one call changes is saved together, although on threads others come between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

from mock_server.lasting.space import Use
from mock_server.lasting.state import COUNTER
from mock_server.lasting.store import LastingStore
from mock_server.store.space import Space
from tests.store.reopening import opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LastingStore]:
    made = opened(tmp_path / "state.sqlite")
    yield made
    made.end()


def saved(store: LastingStore) -> set[str]:
    """The counters of all spaces that a process would find that starts now."""
    return {key.decode() for (key,) in store.saver.file.reads("SELECT key FROM rows WHERE part = %s", COUNTER)}


def add(space: Space, name: str) -> None:
    space.transact(lambda tx: tx.add(name))


def test_half_of_what_is_done_as_one_is_not_saved(store: LastingStore) -> None:
    space, other = (store.open(name, lambda tx: None) for name in ("one", "other"))
    store.saver.save()
    steps, told = Barrier(2, timeout=60), []

    def call() -> None:
        with Use(is_one=True):
            space.transact(lambda tx: tx.counter("seen"))
            steps.wait()
            steps.wait()
            add(space, "done")
            steps.wait()
            steps.wait()
            add(space, "answered")
        steps.wait()

    thread = Thread(target=call)
    thread.start()
    steps.wait()
    add(space, "before")
    assert store.saver.save()
    assert "before" in saved(store)  # nobody waits for one that has changed nothing
    steps.wait()
    steps.wait()
    add(space, "between")
    add(other, "elsewhere")
    assert not store.saver.when_saved(space, lambda is_saved: told.append(is_saved))
    assert not store.saver.save()
    assert store.saver.is_unsaved(space)
    assert not store.saver.is_unsaved(other)
    assert store.saver.when_saved(other, lambda _: None)
    assert saved(store) >= {"before", "elsewhere"}
    assert saved(store).isdisjoint({"done", "between", "answered"})
    assert store.saver.settle()
    steps.wait()
    steps.wait()
    assert store.saver.save()
    assert saved(store) >= {"done", "between", "answered"}
    assert not store.saver.settle()
    assert told == [True]
    thread.join()


def test_what_ends_with_an_error_is_saved_too(store: LastingStore) -> None:
    space = store.open("one", lambda tx: None)

    def fail() -> None:
        with Use(is_one=True):
            add(space, "done")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.saver.save()
    assert "done" in saved(store)
