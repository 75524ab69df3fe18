"""Scenarios at work: which a workspace can reach, turning them on with what they give, checking what they expect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal
from mock_server.domain.paging import Query
from mock_server.engine import given as giving
from mock_server.engine.context import CallContext, CommandContext
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, PAYMENTS, REFUNDS
from mock_server.scenario.deciding import activation
from mock_server.scenario.deciding.activation import BY_CONTROL, Activation
from mock_server.scenario.loading import uploaded
from mock_server.scenario.model.mistakes import nearest
from mock_server.store.protocol import Kind, Transaction
from mock_server.store.scales import weight_of

if TYPE_CHECKING:
    from mock_server.sandbox.workspace import Workspace
    from mock_server.scenario.expectations import ExpectationResult
    from mock_server.scenario.given.generated_payments import Seed
    from mock_server.scenario.model.scenario import Scenario

T = TypeVar("T")
BATCH = 2_000
"""How many given records one transaction makes: other calls of the workspace are served in between."""
KINDS: dict[str, Kind[Any]] = {
    "payments": PAYMENTS,
    "refunds": REFUNDS,
    "disputes": DISPUTES,
    "customers": CUSTOMERS,
}
Progress = Callable[[int, int], None]
"""Told how many records are made, and how many there will be."""
SORT: Final = "scenarios"
"""What scenarios are weighed as."""
GIVEN: Final = "scenarios.given."
"""The fact that a workspace has got what a scenario gives, by its name: the text's digest."""


def find(workspace: Workspace, name: str) -> Scenario:
    """A scenario that the workspace can reach: its own, else the server's. Refused as `object_unknown`."""
    found = uploaded.finder(workspace.space, workspace.host.library)(name)
    if found is None:
        problem = f"names no scenario{guess(workspace, name)}"
        raise Refusal(
            Cause.OBJECT_UNKNOWN,
            fields=(FieldError("name", problem, Cause.OBJECT_UNKNOWN),),
            kind=ObjectKind.SCENARIO,
            id=name,
        )
    return found


def guess(workspace: Workspace, name: str) -> str:
    """` (did you mean …?)` with the nearest scenario within the workspace's reach, or nothing where none is near."""
    return nearest(name, uploaded.within_reach(workspace.space.transact(uploaded.names), workspace.host.library))


def keep(tx: Transaction, name: str, text: str, form: str) -> None:
    """Keeps a scenario of a workspace's own, whose text was found sound. Refused as `no_room`."""
    before = tx.fact(uploaded.TEXTS + name)
    uploaded.keep(tx, name, text, form)
    if tx.room(SORT) + weight_of(before) < weight_of(tx.fact(uploaded.TEXTS + name)):
        raise Refusal(Cause.NO_ROOM, what="scenario", setting="scenarios_bytes")


def turn_on(workspace: Workspace, name: str, by: str = BY_CONTROL, progress: Progress | None = None) -> Activation:
    """Activates a scenario and makes what it gives, in batches in its own order of time."""
    scenario = find(workspace, name)
    now = workspace.now()
    turned = workspace.space.transact(lambda tx: activation.activate(tx, name, now, by))
    give(workspace, scenario, progress)
    return turned


def give(workspace: Workspace, scenario: Scenario, progress: Progress | None = None) -> int:
    """Makes the records that a scenario gives, once in a workspace; says how many were made now."""
    if scenario.given is None or not workspace.space.transact(lambda tx: _is_first(tx, scenario)):
        return 0
    from mock_server.scenario.given.plan import plan, total

    now, many, made, seen = workspace.now(), total(scenario.given), 0, 0
    for batch in _batches(plan(scenario.given, workspace.randomness, now), BATCH):
        made += _give(workspace, now, batch)
        seen += len(batch)
        if progress is not None:
            progress(seen, many)
    return made


def _is_first(tx: Transaction, scenario: Scenario) -> bool:
    """Whether a workspace has not got these records yet; from now on it has, whoever asks."""
    if tx.fact(GIVEN + scenario.name) == scenario.digest:
        return False
    tx.set_fact(GIVEN + scenario.name, scenario.digest)
    return True


def _give(workspace: Workspace, now: int, batch: list[Seed]) -> int:
    def give_batch(tx: Transaction, desk: CommandContext) -> int:
        return giving.give(tx, desk, batch)

    return workspace.work(lambda: workspace.desk(now, CallContext(operation="given")), give_batch)[0]


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def turn_off(workspace: Workspace, name: str) -> bool:
    """Deactivates a scenario; False if it was not on."""
    return workspace.space.transact(lambda tx: activation.deactivate(tx, name))


def check(workspace: Workspace, name: str) -> tuple[ExpectationResult, ...]:
    """Every expectation of an active scenario, held against the workspace now. Refused as `object_unknown`."""
    from mock_server.scenario.expectations import check as check_all

    scenario = find(workspace, name)

    def look(tx: Transaction) -> tuple[ExpectationResult, ...]:
        active = next((row for row in activation.activations(tx) if row.name == name), None)
        if active is None:
            raise Refusal(Cause.SCENARIO_NOT_ACTIVE, name=name)
        return check_all(scenario, active, _View(tx))

    return workspace.space.transact(look)


class _View:
    """What expectations look at: the counters, and every record of a kind."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def counter(self, name: str) -> int:
        return self._tx.counter(name)

    def add(self, name: str, by: int = 1) -> int:
        return self._tx.add(name, by)

    def records(self, kind: str) -> Iterable[object]:
        return self._tx.scan(KINDS[kind], Query(ascending=True))
