"""The server's own facts in a database that replicas share: each sees what the others wrote, and loses none of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event
from typing import Any, Final

import psycopg
import pytest

from mock_server.domain.api_keys import IssuedKey
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.faults import ComeAgain
from mock_server.domain.paging import Query
from mock_server.engine.kinds import API_KEYS
from mock_server.lasting.facts import TABLES, SharedSpace
from mock_server.store.memory import Store
from mock_server.store.transaction import Transaction
from tests.clocks import ManualClock
from tests.lasting.clusters import Cluster

OPENS: Final = {"place": "m_shop", "expires_at": None, "revoked": False}


class TwoSpaces:
    """Two replicas' own spaces over one database, under one clock."""

    def __init__(self, url: str) -> None:
        with psycopg.connect(url) as connection:
            for statement in TABLES:
                connection.execute(statement.encode())
        self.clock = ManualClock()
        self.a, self.b = (
            SharedSpace(url, Store()._state(), self.clock, (API_KEYS,), beside=_key_beside) for _ in range(2)
        )


def _key_beside(fact: dict[str, Any]) -> tuple[str, str] | None:
    return (API_KEYS.name, fact["place"])


def key(number: int, merchant_id: str = "shop", **changed: Any) -> IssuedKey:
    """A key as the registry keeps it."""
    values = {"name": f"key {number}", "prefix": "snd_", "digest": f"d{number}", "created_at": 1_000 + number}
    return IssuedKey(key_id=f"key_{number}", merchant_id=merchant_id, **{**values, **changed})


def put(tx: Transaction, record: IssuedKey) -> None:
    tx.put(API_KEYS, record)


def open_with(tx: Transaction, name: str) -> None:
    tx.set_fact(name, OPENS)


@pytest.fixture
def replicas(cluster: Cluster) -> Iterator[TwoSpaces]:
    made = TwoSpaces(cluster.database())
    yield made
    made.a.end()
    made.b.end()


def test_what_one_writes_the_other_reads(replicas: TwoSpaces) -> None:
    a, b = replicas.a, replicas.b
    for number in range(3):
        a.transact(partial(put, record=key(number)))
    a.transact(lambda tx: tx.put(API_KEYS, key(9, "another")))
    of_shop = Query(filters={"merchant_id": ("shop",)}, limit=2)
    page = b.transact(lambda tx: tx.find(API_KEYS, of_shop))
    assert [one.key_id for one in page.items] == ["key_2", "key_1"]
    assert (page.total, page.has_more) == (3, True)
    assert b.transact(lambda tx: tx.remove(API_KEYS, "key_1"))
    assert a.transact(lambda tx: [one.key_id for one in tx.scan(API_KEYS, of_shop)]) == ["key_2", "key_0"]
    assert a.get(API_KEYS, "key_1") is None
    assert a.get(API_KEYS, "key_9") == key(9, "another")


def test_a_work_that_fails_leaves_nothing(replicas: TwoSpaces) -> None:
    def fail(tx: Transaction) -> None:
        tx.put(API_KEYS, key(1))
        tx.set_fact("issued:d1", OPENS)
        tx.next("merchant")
        raise Refusal(Cause.NO_ROOM)

    with pytest.raises(Refusal):
        replicas.a.transact(fail)
    assert replicas.b.transact(lambda tx: (tx.version(API_KEYS, "key_1"), tx.fact("issued:d1"))) == (0, None)
    assert replicas.b.transact(lambda tx: tx.next("merchant")) == 0


def test_no_number_is_given_twice(replicas: TwoSpaces) -> None:
    def count(space: SharedSpace) -> list[int]:
        return [space.transact(lambda tx: tx.next("merchant")) for _ in range(40)]

    with ThreadPoolExecutor() as pool:
        given = [number for found in pool.map(count, [replicas.a, replicas.b] * 2) for number in found]
    assert sorted(given) == list(range(160))


def test_what_two_change_at_once_is_changed_twice(replicas: TwoSpaces) -> None:
    """Each reads what it changes: whoever comes second reads again."""

    def grow(tx: Transaction) -> None:
        tx.set_fact("snapshot:sum", (tx.fact("snapshot:sum") or 0) + 1)

    with ThreadPoolExecutor() as pool:
        wait([pool.submit(space.transact, grow) for space in [replicas.a, replicas.b] * 20])
    assert replicas.a.fact("snapshot:sum") == 40


def test_a_copy_is_used_for_a_second(replicas: TwoSpaces) -> None:
    a, b, clock = replicas.a, replicas.b, replicas.clock
    a.transact(lambda tx: tx.set_fact("issued:d1", OPENS))
    assert b.fact("issued:d1") == OPENS
    a.transact(lambda tx: tx.set_fact("issued:d1", {**OPENS, "revoked": True}))
    assert a.fact("issued:d1")["revoked"], "who wrote it knows it at once"
    clock.advance(1_000)
    assert not b.fact("issued:d1")["revoked"]
    clock.advance(1)
    assert b.fact("issued:d1")["revoked"]


def test_nobody_waits_on_the_loop(replicas: TwoSpaces) -> None:
    a, b, clock = replicas.a, replicas.b, replicas.clock
    a.transact(lambda tx: tx.set_fact("issued:d1", {**OPENS, "place": "key_1"}))
    a.transact(lambda tx: tx.put(API_KEYS, key(1)))
    b.copies.may_wait = lambda: False

    def asked() -> Any:
        read = Event()
        with pytest.raises(ComeAgain) as later:
            b.fact("issued:d1")
        later.value.ready.add_done_callback(lambda _: read.set())
        read.wait()
        return b.fact("issued:d1")

    assert asked()["place"] == "key_1"
    assert b.get(API_KEYS, "key_1", late=True) == key(1), "it came with the key's fact"
    a.transact(lambda tx: tx.set_fact("issued:d1", None))
    clock.advance(1_001)
    while (found := _or_again(b)) is not None:
        assert found["place"] == "key_1"
        clock.advance(1_001)


def _or_again(space: SharedSpace) -> Any:
    """What there is of a key that is read again by itself as long as it is in use; anything while it is read."""
    try:
        return space.fact("issued:d1")
    except ComeAgain:
        return {"place": "key_1"}


def test_names_that_no_text_of_the_database_can_hold(replicas: TwoSpaces) -> None:
    for name in ("issued:\0", "issued:\ud800", "issued:%", "merchant:\0"):
        if name.startswith("issued:"):
            replicas.a.transact(partial(open_with, name=name))
            assert replicas.b.fact(name) == OPENS
    assert replicas.a.get(API_KEYS, "\0") is None
    assert replicas.b.transact(lambda tx: sorted(tx.facts("issued:"))) == ["issued:\0", "issued:%", "issued:\ud800"]
    assert not replicas.b.transact(lambda tx: tx.facts("issued;"))


def test_a_database_that_is_gone_is_said_and_comes_back(cluster: Cluster, replicas: TwoSpaces) -> None:
    replicas.a.transact(lambda tx: tx.set_fact("issued:d1", OPENS))
    assert replicas.b.fact("issued:d1") == OPENS
    cluster.stop(signal.SIGQUIT)
    replicas.clock.advance(1_001)
    for ask in (
        lambda: replicas.a.transact(lambda tx: tx.next("merchant")),
        lambda: replicas.b.fact("issued:d1"),
        lambda: replicas.b.fact("issued:unknown"),
    ):
        with pytest.raises(Refusal) as refused:
            ask()
        assert refused.value.cause is Cause.NOT_SAVED
    cluster.start()
    assert replicas.b.fact("issued:d1") == OPENS
    assert replicas.a.transact(lambda tx: tx.next("merchant")) == 0


def test_a_database_that_hangs_holds_nobody_up_for_long(cluster: Cluster, replicas: TwoSpaces) -> None:
    replicas.a.transact(lambda tx: tx.set_fact("issued:d1", OPENS))
    with cluster.hanging(), pytest.raises(Refusal) as refused:
        replicas.a.transact(lambda tx: tx.next("merchant"))
    assert refused.value.cause is Cause.NOT_SAVED
    assert replicas.a.transact(lambda tx: tx.next("merchant")) in (0, 1)
