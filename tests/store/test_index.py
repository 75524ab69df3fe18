from __future__ import annotations

import random
import threading
import time
from functools import partial
from itertools import count, islice

from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.domain.paging import Query
from mock_server.store.index import HOLES, Indexed
from tests.counts import times
from tests.store.naive import NaiveSpace
from tests.store.things import THINGS, Colour, Thing, thing

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "remove", "remove", "undo", "ask", "tidy", "complete"]),
        st.integers(0, 15),
        st.integers(0, 20),
        st.sampled_from(Colour),
    ),
    min_size=10,
    max_size=120,
)


@settings(max_examples=times(200, soak=2000))
@given(
    acts=ACTS,
    decoded_cost=st.sampled_from([0, 3, 10**9]),
    holes=st.sampled_from([0, 10, 10**9]),
    first=st.sampled_from([0, 50]),
)
def test_any_way_of_putting_in_order_gives_the_same_order(
    acts: list[tuple[str, int, int, Colour]], decoded_cost: int, holes: int, first: int
) -> None:
    """Record by record or index by index, indexed at once or some at a time, holes closed early, late or never."""
    driven = Driven(Indexed(THINGS.indexes, decoded_cost=decoded_cost, holes=holes), first)
    for act, number, created, colour in acts:
        getattr(driven, act)(str(number), created, colour)
    driven.complete_all()
    driven.ask("", 0, Colour.RED)


def test_what_goes_at_the_front_is_forgotten_and_the_rest_stays_where_it_is() -> None:
    """As in a full inbox: many come at the end, as many go at the front, and now and then one comes late."""
    dice, forgotten = random.Random(27), 0
    for _ in range(times(1, soak=100)):
        driven, comes = Driven(Indexed(THINGS.indexes), dice.choice((0, 50))), count()
        for _ in range(30):
            for number in islice(comes, dice.choice((1, 600, 1500))):
                driven.put(str(number), 100 + number // 3, dice.choice([*Colour]))
            oldest = sorted(driven.naive.rows.items(), key=lambda row: (row[1].record.created, row[1].number))
            for key, _ in oldest[: dice.choice((1, 300, 1500, 3000))]:
                driven.remove(key, 0, Colour.RED)
                driven.tidy()
            for act in dice.choices([driven.put, driven.remove, driven.undo], k=3):
                act(f"late {dice.randrange(9)}", dice.randrange(5000), dice.choice([*Colour]))
            driven.complete("", dice.choice((0, 1, 500, 5000)), Colour.RED)
            driven.ask("", dice.randrange(5000), dice.choice([*Colour]))
            driven.tidy()
            assert len(driven.indexed.ranks.created) < len(driven.naive.rows) * 2 + 2 * HOLES
        forgotten += driven.indexed.ranks.gone
    assert forgotten > HOLES


def test_putting_many_in_order_lets_others_have_their_turn() -> None:
    """No single call sorts everything: that kept all workspaces waiting, as a history's refunds come in no order.

    What counts is how much this thread has computed between two turns of another one, however busy the machine is.
    """
    chance, indexed, longest, is_over = random.Random(1), Indexed[object](()), 0.0, threading.Event()
    ranks = indexed.ranks
    for number in range(300_000):
        indexed.enter(chance.randrange(10**6), number, "", None)
    clock = time.pthread_getcpuclockid(threading.get_ident())

    def look() -> None:
        nonlocal longest
        before = time.clock_gettime(clock)
        while not is_over.is_set():
            now = time.clock_gettime(clock)
            longest, before = max(longest, now - before), now

    other = threading.Thread(target=look)
    other.start()
    first, order = ranks.due_order()
    is_over.set()
    other.join()
    assert order == sorted(range(first, len(ranks)), key=lambda at: (ranks.created[at], ranks.numbers[at]))
    assert longest < 0.2, "sorting them at once takes three times that"


class Driven:
    """An index and plain lists, told the same."""

    def __init__(self, indexed: Indexed[Thing], first: int) -> None:
        self.indexed = indexed
        self.naive = NaiveSpace(next_number=first)

    def put(self, key: str, created: int, colour: Colour) -> None:
        row = self.naive.rows.get(key)
        if row is None:
            record = thing(key, created, colour=colour, owner=key)
            self.indexed.enter(created, self.naive.next_number, key, record)
        else:
            record = thing(key, row.record.created, colour=colour, owner=key)
            self.indexed.change(record.created, row.number, row.record, record)
        self.naive.put(record)

    def remove(self, key: str, _: int, __: Colour) -> None:
        row = self.naive.rows.get(key)
        if row is not None:
            self.indexed.leave(row.record.created, row.number, partial(self.read, key))
            self.naive.remove(key)

    def undo(self, key: str, created: int, colour: Colour) -> None:
        """A put or a removal that is taken back, with a question in between."""
        row = self.naive.rows.get(key)
        if row is not None:
            self.indexed.leave(row.record.created, row.number, partial(self.read, key))
            self.indexed.match(Query(created_gte=3), self.read)
            self.indexed.come_back(row.record.created, row.number, row.record)
            return
        record = thing(key, created, colour=colour, owner=key)
        before = self.naive.copy()
        self.indexed.enter(created, self.naive.next_number, key, record)
        self.naive.put(record)
        self.ask(key, created, colour)
        self.indexed.withdraw(created, before.next_number, lambda: record)
        self.naive = before

    def tidy(self, *_: object) -> None:
        self.indexed.tidy(len(self.naive.rows), self.read)

    def complete(self, _: str, most: int, __: Colour) -> None:
        """A few more are entered into the indexes that wait, so that most runs end before all are."""
        waiting = self.indexed.waiting
        most = most % 5 if most < 100 else most
        assert self.indexed.complete(self.read, most) == (waiting <= most) == (not self.indexed.waiting_names)

    def complete_all(self) -> None:
        assert self.indexed.complete(self.read)

    def ask(self, _: str, created: int, colour: Colour) -> None:
        for query in (
            Query(),
            Query(filters={"owner": tuple(self.naive.rows)}, created_lte=created),
            Query(filters={"colour": (colour,)}, created_gte=created, ascending=True),
        ):
            if not self.indexed.waiting_names.isdisjoint(query.filters):
                continue
            match = self.indexed.match(query, self.read)
            found = match.page(0, match.total, ascending=query.ascending)
            keys = [self.indexed.ranks.keys[at] for at in found]
            assert keys == [record.key for record in self.naive.matches(query)]

    def read(self, key: str) -> Thing:
        return self.naive.rows[key].record
