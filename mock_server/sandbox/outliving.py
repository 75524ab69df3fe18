"""Persistent workspaces: what the store must know about a space, what a restart ends. Imported only for `data`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mock_server.clock import Clock, Slices, SystemClock
from mock_server.domain.api_keys import Opens
from mock_server.domain.errors import Refusal
from mock_server.engine import accounts, kinds
from mock_server.lasting.batches import DataLost
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.store import READING_S, LastingStore
from mock_server.sandbox import clockwork, evictions, identity, snapshots, workspaces
from mock_server.sandbox.scenarios import GIVEN_DUE, due_again
from mock_server.sandbox.timekeeping import KINDS
from mock_server.settings import Settings
from mock_server.settings.table import DATABASE
from mock_server.store.memory import SERVER
from mock_server.store.protocol import NEVER, DumpRefused, StateDamaged, StateRefused, faults_of
from mock_server.store.records import convert
from mock_server.store.space import Space
from mock_server.store.state import SpaceState
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue

if TYPE_CHECKING:
    from mock_server.lasting.postgres import PostgresRows


SERVERS_FACTS: Final[Mapping[str, Any]] = {
    accounts.FACTS: Opens,
    workspaces.LABELS: str,
    workspaces.MERCHANTS: list[str],
    evictions.FACTS: evictions.Eviction,
    evictions.ORDER: list[str],
    snapshots.FACTS: snapshots.Snapshot,
}
"""The types of the server's own facts, by the prefixes of their names."""
MISSING: Final = (
    "a database needs the extra payment-sandbox[postgresql] (%s); in a checkout, run pip install '.[postgresql]'"
)


def open_store(
    settings: Settings, clock: Clock, on_rest: Callable[[str], object], options: Mapping[str, Any]
) -> LastingStore:
    """The store for the file or database of the setting; `on_rest` gets the names of spaces that are unloaded.

    Raises StateRefused if it cannot be used.
    """
    data = str(settings.data)
    known: dict[str, Any] = {
        "due": due,
        "put_right": lambda space: put_right(space, clock.now_ms()),
        "may_rest": may_rest,
        "on_rest": on_rest,
        **options,
    }
    file = _database(data) if data.startswith(DATABASE) else DataFile(data, settings.data_sync)
    try:
        if isinstance(file, DataFile):
            return LastingStore(file, KINDS, clock, **known)
        from mock_server.lasting.facts import SharedSpace
        from mock_server.lasting.postgres import Lease
        from mock_server.lasting.replicas import ReplicaStore

        def shared(state: SpaceState) -> SharedSpace:
            return SharedSpace(str(settings.data), state, clock, (kinds.ACCOUNTS,), account_beside)

        lease = Lease(file, settings.advertise, clock)
        return ReplicaStore(file, lease, KINDS, clock, shared, merchant_of=merchant_of, **known)
    except BaseException as wrong:
        file.close()
        if isinstance(wrong, DataLost | DumpRefused):
            raise StateDamaged(str(wrong)) from wrong
        raise


def _database(url: str) -> PostgresRows:
    try:
        from mock_server.lasting.postgres import PostgresRows
    except ImportError as missing:  # of psycopg, or of PostgreSQL's own library
        raise StateRefused(MISSING % missing) from missing
    return PostgresRows(url)


def account_beside(opens: Mapping[str, Any]) -> tuple[str, str] | None:
    """The account of a merchant with an issued key: the answer to a new payment contains its publishable key."""
    merchant_id = identity.merchant_at(opens["place"])
    return None if merchant_id is None else (kinds.ACCOUNTS.name, merchant_id)


def merchant_of(space: Space) -> str:
    """The merchant of a workspace, by which pages and ephemeral keys find it."""
    return identity.Identity(**space.fact(identity.FACT)).merchant_id


def due(space: Space) -> int:
    """The real time of the next scheduled event of a space, or of what was being sent; 0 if a frozen clock shows it."""
    at = min(space.due_at(), delivery_queue.earliest(space.state.facts))
    clock = clockwork.read(space.fact(clockwork.FACT))
    if at == NEVER or clock.frozen_at is None:
        return at if at == NEVER else clock.real(at)
    return 0 if clock.advancing or at <= clock.frozen_at else NEVER


def may_rest(space: Space) -> bool:
    """Whether a space has nothing in progress that would be lost when it is unloaded."""
    return not (space.fact(GIVEN_DUE) or space.transact(lambda tx: tx.facts(delivery_queue.PREFIX)))


def put_right(space: Space, real_now: int) -> None:
    """Ends what was in progress when a space was last saved: an advance, deliveries, given records."""
    check_space(space)

    def work(tx: Transaction) -> None:
        clock = clockwork.read(tx.fact(clockwork.FACT))
        if clock.advancing:
            tx.set_fact(clockwork.FACT, clock.after_advance(clock.now(real_now), real_now).as_fact())
        delivery_queue.recover(tx)
        due_again(tx)

    space.transact(work)


def check_space(space: Space) -> None:
    """Checks a space that was just loaded. Raises DumpRefused for what no server wrote."""
    if space.name == SERVER:
        for name, value in space.state.facts.items():
            with faults_of(f"facts.{name}"):
                kind = next(kind for prefix, kind in SERVERS_FACTS.items() if name.startswith(prefix))
                made = kind(**value) if isinstance(value, dict) else value  # refuses what it does not know
                convert(msgspec.to_builtins(made, builtin_types=(bytes,)), kind)
        return
    from mock_server.sandbox import soundness

    with faults_of("what it holds"):
        soundness.check_stored(space.state, Slices(READING_S))


def check(path: str) -> tuple[int, list[str]]:
    """The number of workspaces in a file, and what is damaged. Raises StateRefused if no server could use it."""
    if "://" in path:
        use = "for a PostgreSQL database, use pg_amcheck" if path.startswith(DATABASE) else "this address is no path"
        raise StateRefused(f"only files can be checked: {use}")
    try:
        with closing(DataFile(path, begins=False)) as file:
            found = [f"{path} is damaged: {text}" for text in file.check()]
            store = LastingStore(file, KINDS, SystemClock(), put_right=check_space, max_spaces=1)
            names = list(store.names())
            for name in names:
                try:
                    store.space(name)
                except Refusal as broken:
                    found.append(str(broken.values["reason"]))
    except (DataLost, DumpRefused, StateDamaged) as damaged:
        return 0, [str(damaged)]
    return len(names), found
