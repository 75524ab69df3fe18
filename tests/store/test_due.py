from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.store.due_queue import DueQueue
from mock_server.store.protocol import NEVER, Due
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.counts import times


def taken(space: Space, until: int, what: tuple[str, ...] | None = None) -> list[tuple[int, str]]:
    def work(tx: Transaction) -> list[tuple[int, str]]:
        found = []
        while (due := tx.take_due(until, what)) is not None:
            found.append((due.at, due.subject))
        return found

    return space.transact(work)


def schedule(space: Space, *entries: tuple[int, str, str]) -> None:
    def work(tx: Transaction) -> None:
        for at, what, subject in entries:
            tx.schedule(at, what, subject)

    space.transact(work)


def test_the_earliest_first_and_of_one_instant_the_first_scheduled(space: Space) -> None:
    schedule(space, (30, "x", "c"), (10, "y", "a"), (30, "x", "d"), (20, "x", "b"), (30, "w", "e"))
    assert taken(space, 9) == []
    assert taken(space, 29) == [(10, "a"), (20, "b")]
    assert taken(space, 30) == [(30, "c"), (30, "d"), (30, "e")]


def test_what_waits_for_one_subject_in_order(space: Space) -> None:
    schedule(space, (30, "x", "a"), (10, "y", "b"), (20, "y", "a"), (20, "x", "a"))
    mine = space.transact(lambda tx: tx.due_of("a"))
    assert [(due.at, due.what) for due in mine] == [(20, "y"), (20, "x"), (30, "x")]
    assert [due.at for due in space.transact(lambda tx: tx.due_of("b"))] == [10]
    assert taken(space, 20) == [(10, "b"), (20, "a"), (20, "a")]
    assert [due.at for due in space.transact(lambda tx: tx.due_of("a"))] == [30]
    assert not space.transact(lambda tx: tx.due_of("nobody"))


def test_entries_of_some_sorts(space: Space) -> None:
    schedule(space, (1, "deliver", "a"), (2, "expire", "b"), (3, "settle", "c"), (4, "expire", "d"))
    assert taken(space, 9, ("expire", "unknown")) == [(2, "b"), (4, "d")]
    assert taken(space, 9, ("settle", "deliver")) == [(1, "a"), (3, "c")]


def test_what_is_due_is_taken_back_by_subject(space: Space) -> None:
    schedule(space, (1, "x", "a"), (2, "y", "a"), (3, "x", "a"), (4, "x", "b"))
    assert space.transact(lambda tx: tx.unschedule("x", "a")) == 2
    assert space.transact(lambda tx: tx.unschedule("x", "a")) == 0
    assert space.transact(lambda tx: tx.unschedule(None, "nobody")) == 0
    assert [due.at for due in space.transact(lambda tx: tx.all_due())] == [2, 4]
    assert space.transact(lambda tx: tx.unschedule(None, "a")) == 1
    assert taken(space, 9) == [(4, "b")]


def test_an_entry_tells_all_it_was_given(space: Space) -> None:
    due = space.transact(lambda tx: tx.schedule(5, "settle", "pay_1", "succeeded"))
    assert due == Due(5, 0, "settle", "pay_1", "succeeded")
    assert space.transact(lambda tx: tx.next_due()) == due
    assert space.transact(lambda tx: tx.take_due(5)) == due
    assert space.transact(lambda tx: tx.next_due()) is None


def test_instants_far_apart_and_going_back(space: Space) -> None:
    """Spans come near and go far again."""
    day = 86_400_000
    schedule(space, (3 * day, "x", "c"), (day, "x", "a"), (day + 1, "x", "a1"))
    assert space.due_at() == day
    schedule(space, (5, "x", "soon"), (2 * day, "x", "b"))
    assert space.due_at() == 5
    assert taken(space, day) == [(5, "soon"), (day, "a")]
    schedule(space, (6, "x", "late"))
    assert taken(space, NEVER) == [(6, "late"), (day + 1, "a1"), (2 * day, "b"), (3 * day, "c")]


def test_a_schedule_that_was_taken_back_leaves_no_mark(space: Space) -> None:
    """Its number is given again, to an entry of another instant or sort."""

    def fails(tx: Transaction) -> None:
        tx.schedule(5, "x", "a")
        raise LookupError

    with pytest.raises(LookupError):
        space.transact(fails)
    schedule(space, (9, "x", "a"), (7, "x", "b"))
    assert taken(space, 9) == [(7, "b"), (9, "a")]
    schedule(space, (3, "x", "before"))
    with pytest.raises(LookupError):
        space.transact(fails)
    schedule(space, (5, "y", "a"))
    assert taken(space, 9, ("x",)) == [(3, "before")]
    assert taken(space, 9, ("y",)) == [(5, "a")]


Act = tuple[str, int, str, str]
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["schedule", "schedule", "schedule", "unschedule", "take", "take_some", "undo"]),
        st.integers(0, 9) | st.integers(0, 400_000),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=60,
)


@given(acts=ACTS)
@settings(max_examples=times(70, soak=1000))
def test_any_sequence_gives_what_a_sorted_list_gives(acts: list[Act]) -> None:
    queue, plain = DueQueue(), PlainQueue()
    for act, at, what, subject in acts:
        getattr(_Both, act)(queue, plain, at, what, subject)
        assert queue.earliest == (min(plain.entries).at if plain.entries else NEVER)
        assert queue.all() == [entry.due for entry in sorted(plain.entries)]
    assert queue.head() == (min(plain.entries).due if plain.entries else None)


class Ordered:
    """A due entry that sorts."""

    def __init__(self, due: Due) -> None:
        self.due = due
        self.at = due.at

    def __lt__(self, other: Ordered) -> bool:
        return (self.due.at, self.due.sequence) < (other.due.at, other.due.sequence)


class PlainQueue:
    def __init__(self) -> None:
        self.entries: list[Ordered] = []
        self.next_sequence = 0

    def take(self, until: int, wanted: Callable[[Due], bool]) -> Due | None:
        fitting = [entry for entry in self.entries if entry.at <= until and wanted(entry.due)]
        if not fitting:
            return None
        first = min(fitting)
        self.entries.remove(first)
        return first.due


class _Both:
    @staticmethod
    def schedule(queue: DueQueue, plain: PlainQueue, at: int, what: str, subject: str) -> None:
        due, _ = queue.schedule(at, what, subject, "")
        assert due.sequence == plain.next_sequence
        plain.next_sequence += 1
        plain.entries.append(Ordered(due))

    @staticmethod
    def unschedule(queue: DueQueue, plain: PlainQueue, at: int, what: str, subject: str) -> None:
        sort = what if at % 2 else None
        gone = queue.unschedule(sort, subject)
        kept = [e for e in plain.entries if e.due.subject != subject or sort not in (None, e.due.what)]
        assert len(plain.entries) - len(kept) == len(gone)
        plain.entries = kept

    @staticmethod
    def take(queue: DueQueue, plain: PlainQueue, at: int, what: str, subject: str) -> None:
        assert queue.take(at, None) == plain.take(at, lambda due: True)

    @staticmethod
    def take_some(queue: DueQueue, plain: PlainQueue, at: int, what: str, subject: str) -> None:
        assert queue.take(at, (what,)) == plain.take(at, lambda due: due.what == what)

    @staticmethod
    def undo(queue: DueQueue, plain: PlainQueue, at: int, what: str, subject: str) -> None:
        """What a failed transaction does: put in, taken, taken back, and all of it undone."""
        _, undo = queue.schedule(at, what, subject, "undone")
        first = queue.take(at, None)
        gone = queue.unschedule(None, subject)
        for due in reversed(gone):
            queue.put(due)
        if first is not None:
            queue.put(first)
        undo()


def test_marks_of_entries_that_are_gone_do_not_pile_up() -> None:
    queue = DueQueue()
    for number in range(20_000):
        queue.schedule(10**9 + number, "expire", str(number), "")
        if number % 100:
            queue.unschedule(None, str(number))
    assert len(queue.all()) == 200
    assert queue.marks < 5000
    assert queue.earliest == 10**9
