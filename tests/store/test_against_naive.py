"""Any sequence of writes, failures and questions gives what plain lists would give."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec import structs

from mock_server.domain.paging import Query
from mock_server.store.memory import Store
from mock_server.store.transaction import Transaction
from tests.counts import times
from tests.store.conftest import memory, nothing, reopening, retrying
from tests.store.naive import NaiveSpace
from tests.store.things import THINGS, Colour, Thing

KEYS = st.integers(0, 40).map(str)
INSTANTS = st.integers(0, 30)
OWNERS = st.none() | st.integers(0, 5).map(str)
TAGS = st.lists(st.sampled_from("pqr"), max_size=3).map(tuple)
FLAGS = st.none() | st.booleans()


def things(keys: st.SearchStrategy[str], instants: st.SearchStrategy[int] = INSTANTS) -> st.SearchStrategy[Thing]:
    return st.builds(
        Thing,
        key=keys,
        created=instants,
        colour=st.none() | st.sampled_from(Colour),
        owner=OWNERS,
        tags=TAGS,
        flag=FLAGS,
        amount=st.integers(0, 3),
        must=st.none(),
    )


def filters() -> st.SearchStrategy[dict[str, tuple[object, ...]]]:
    colours = st.lists(st.sampled_from([*Colour, "black"]), max_size=3).map(tuple)
    owners = st.lists(st.sampled_from(["0", "1", "2", "bulk7", "bulk8", "nobody"]), max_size=3).map(tuple)
    tags = st.lists(st.sampled_from("pqrs"), max_size=2).map(tuple)
    flags = st.lists(st.booleans(), min_size=1, max_size=2).map(tuple)
    return st.fixed_dictionaries({}, optional={"colour": colours, "owner": owners, "tag": tags, "flag": flags})


CURSORS = st.none() | KEYS | st.integers(0, 89).map(lambda number: f"bulk1-{number}")
QUERIES = st.builds(
    Query,
    filters=filters(),
    created_gte=st.none() | st.integers(-1, 40),
    created_lte=st.none() | st.integers(-1, 400),
    limit=st.integers(1, 12),
    offset=st.integers(0, 30),
    ascending=st.booleans(),
    older_than=CURSORS,
    newer_than=CURSORS,
)

Step = Callable[[Transaction, NaiveSpace], object]


def put_step(record: Thing) -> Step:
    def step(tx: Transaction, naive: NaiveSpace) -> None:
        present = naive.rows.get(record.key)
        kept = record if present is None else structs.replace(record, created=present.record.created)
        tx.put(THINGS, kept)
        naive.put(kept)

    return step


def remove_step(key: str) -> Step:
    def step(tx: Transaction, naive: NaiveSpace) -> None:
        assert tx.remove(THINGS, key) == naive.remove(key)

    return step


def ask_step(asked: Query) -> Step:
    """Asks; of the cursors, only for those records that are there."""

    def step(tx: Transaction, naive: NaiveSpace) -> None:
        known = {name: key for name in ("older_than", "newer_than") if (key := getattr(asked, name)) in naive.rows}
        query = structs.replace(asked, **{"older_than": None, "newer_than": None, **known})
        expected = naive.matches(query)
        page = tx.find(THINGS, query)
        assert page.items == tuple(expected[query.offset : query.offset + query.limit])
        assert page.total == len(expected) == tx.count(THINGS, query)
        assert list(tx.scan(THINGS, query)) == expected
        for index in ("colour", "tag", "owner"):
            assert tx.tally(THINGS, index, query) == naive.tally(index, query)

    return step


def get_step(key: str) -> Step:
    def step(tx: Transaction, naive: NaiveSpace) -> None:
        row = naive.rows.get(key)
        assert tx.get(THINGS, key) == (row and row.record)
        assert tx.version(THINGS, key) == (row.version if row else 0)

    return step


def number_step(stream: str) -> Step:
    def step(tx: Transaction, naive: NaiveSpace) -> None:
        assert tx.next(stream) == naive.streams[stream]
        naive.streams[stream] += 1

    return step


def fact_step(name: str, value: Any) -> Step:
    def step(tx: Transaction, naive: NaiveSpace) -> None:
        tx.set_fact(name, value)
        naive.facts[name] = value
        assert tx.fact(name) == value
        assert tx.facts("") == {name: value for name, value in naive.facts.items() if value is not None}

    return step


STEPS = st.one_of(
    things(KEYS).map(put_step),
    KEYS.map(remove_step),
    QUERIES.map(ask_step),
    KEYS.map(get_step),
    st.sampled_from("ab").map(number_step),
    st.tuples(st.sampled_from("xy"), st.none() | st.integers(0, 3)).map(lambda pair: fact_step(*pair)),
)


class _Broken(Exception):
    pass


class AgainstNaive(RuleBasedStateMachine):
    """Steps in transactions that hold or fail, over one engine."""

    engine: Callable[[str], Store] = staticmethod(memory)

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.store = type(self).engine(f"{self.folder.name}/store.sqlite")
        self.space = self.store.open("workspace", nothing)
        self.naive = NaiveSpace()
        self.bulks = 0

    @rule(steps=st.lists(STEPS, max_size=12))
    def holds(self, steps: list[Step]) -> None:
        self.naive = self.space.transact(lambda tx: self._run(tx, steps))

    @rule(steps=st.lists(STEPS, max_size=12))
    def fails(self, steps: list[Step]) -> None:
        before = self.space.dump()

        def work(tx: Transaction) -> None:
            self._run(tx, steps)
            raise _Broken

        try:
            self.space.transact(work)
        except _Broken:
            assert self.space.dump() == before
        else:
            raise AssertionError("a failure was swallowed")

    @rule(length=st.integers(1, 90), created=st.integers(0, 300), step=st.integers(-1, 2))
    def comes_in_bulk(self, length: int, created: int, step: int) -> None:
        """Many records, each with an owner of its own, in order, against it, or at one instant."""
        self.bulks += 1
        steps = [
            put_step(
                Thing(
                    key=f"bulk{self.bulks}-{number}",
                    created=max(0, created + number * step),
                    owner=f"bulk{number}",
                    colour=Colour.RED,
                    must=None,
                )
            )
            for number in range(length)
        ]
        self.holds(steps)

    @rule(query=QUERIES)
    def is_asked(self, query: Query) -> None:
        self.space.transact(lambda tx: ask_step(query)(tx, self.naive))

    @rule()
    def is_restored(self) -> None:
        dump = self.space.dump()
        self.space = self.store.replace("workspace", nothing, dump)
        assert self.space.dump() == dump

    @invariant()
    def holds_as_many(self) -> None:
        count = self.space.transact(lambda tx: tx.count(THINGS, Query()))
        assert count == len(self.naive.rows)

    def teardown(self) -> None:
        getattr(self.store, "end", lambda: None)()
        self.folder.cleanup()

    def _run(self, tx: Transaction, steps: list[Step]) -> NaiveSpace:
        naive = self.naive.copy()
        for step in steps:
            step(tx, naive)
        return naive


class RetriedAgainstNaive(AgainstNaive):
    engine = staticmethod(retrying)


class ReopenedAgainstNaive(AgainstNaive):
    engine = staticmethod(reopening)


TestMemory = AgainstNaive.TestCase
TestMemory.settings = settings(max_examples=times(20, soak=400), stateful_step_count=25)
TestRetrying = RetriedAgainstNaive.TestCase
TestRetrying.settings = settings(max_examples=times(10, soak=200), stateful_step_count=20)
TestReopened = ReopenedAgainstNaive.TestCase
TestReopened.settings = settings(max_examples=times(5, soak=100), stateful_step_count=15)
