"""Scenarios and the one-shot queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mock_server.control.answers import answer, answer_of
from mock_server.control.answers import scenarios as shapes
from mock_server.control.stages import shows, view
from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal, unknown
from mock_server.http.asked import whole
from mock_server.http.binding import show
from mock_server.http.running import Answer, Call
from mock_server.sandbox import scenarios
from mock_server.scenario.deciding import activation, queue_and_scenarios
from mock_server.scenario.deciding.activation import QUEUE
from mock_server.scenario.loading import uploaded
from mock_server.scenario.model.mistakes import ScenarioErrors

if TYPE_CHECKING:
    from mock_server.scenario.loading.library import LibraryEntry
    from mock_server.scenario.model.scenario import Scenario
    from mock_server.store.transaction import Transaction


@view("control.scenarios")
def list_scenarios(call: Call) -> Answer:
    from mock_server.scenario.loading.library import LibraryEntry

    workspace = call.workspace
    active = {row.name: row for row in workspace.space.transact(activation.activations)}
    names = workspace.space.transact(uploaded.names)
    listed = [LibraryEntry(name, None, "workspace") for name in names]
    listed += [entry for entry in call.sandbox.library.entries() if entry.name not in names]
    return answer(
        shapes.SCENARIOS, active=list(active), scenarios=[_Shown(row, active.get(row.name)) for row in listed]
    )


@view("control.scenario_schema")
def show_schema(call: Call) -> Answer:
    from mock_server.scenario.schema.top import json_schema

    return show(json_schema())


shows(
    "control.scenario",
    lambda call, name: answer_of(shapes.SCENARIO, _shown(call, scenarios.find(call.workspace, name))),
)


@view("control.put_scenario")
def put_scenario(call: Call, name: str) -> Answer:
    form = "json" if "json" in call.environ.get("CONTENT_TYPE", "") else "yaml"
    try:
        text = call.raw.decode()
    except UnicodeDecodeError:
        raise Refusal(Cause.JSON_MALFORMED, reason="the body is not UTF-8", line=1, column=1) from None
    try:
        loaded = uploaded.read(call.workspace.space, call.sandbox.library, name, text, form)
    except ScenarioErrors as broken:
        raise broken_scenario(name, broken) from None
    fact, keep = uploaded.TEXTS + name, uploaded.keep
    call.workspace.space.transact(lambda tx: scenarios.within_room(tx, fact, "scenario", keep, name, text, form))
    return answer_of(shapes.PUT_SCENARIO, _shown(call, loaded.scenario, loaded.warnings))


def broken_scenario(name: str, broken: ScenarioErrors) -> Refusal:
    """The refusal of a scenario, or of an entry of the queue, which has no name, with every mistake's place."""
    fields = tuple(
        FieldError(f"{one.line}:{one.column}" if one.line else one.way or "body", one.message, Cause.SCENARIO_BROKEN)
        for one in broken.mistakes
    )
    return Refusal(Cause.SCENARIO_BROKEN, fields=fields, name=f"scenario {name}" if name else "entry of the queue")


@view("control.drop_scenario")
def drop_scenario(call: Call, name: str) -> Answer:
    def drop(tx: Transaction) -> None:
        if not uploaded.remove(tx, name):
            raise unknown(ObjectKind.SCENARIO, name, ("name", "is not one that was uploaded to this workspace"))
        activation.deactivate(tx, name)

    call.workspace.space.transact(drop)
    return answer(shapes.DROPPED_SCENARIO, name=name)


@view("control.activate_scenario")
def activate_scenario(call: Call, name: str) -> Answer:
    return answer(shapes.ACTIVATED, name=name, activated_at=scenarios.turn_on(call.workspace, name).at)


@view("control.deactivate_scenario")
def deactivate_scenario(call: Call, name: str) -> Answer:
    scenarios.find(call.workspace, name)
    was_active = call.workspace.space.transact(lambda tx: activation.deactivate(tx, name))
    return answer(shapes.DEACTIVATED, name=name, was_active=was_active)


shows("control.check_scenario", lambda call, name: answer(shapes.CHECKED, expect=scenarios.check(call.workspace, name)))


class _Shown(NamedTuple):
    """A scenario as it was written or is listed, its activation, and its counters by their own names since then."""

    scenario: Scenario | LibraryEntry
    active: activation.Activation | None
    counters: Mapping[str, int] = {}
    warnings: Sequence[str] = ()


def _shown(call: Call, scenario: Scenario, warnings: Iterable[object] = ()) -> _Shown:
    space, prefix = call.workspace.space, f"scenario/{scenario.name}/"
    active = next((row for row in space.transact(activation.activations) if row.name == scenario.name), None)
    run = "" if active is None else f"{prefix}{scenario.stamp}/{active.run}/"
    counters = space.transact(lambda tx: tx.counters(run)) if run else {}
    own = {name.removeprefix(prefix): count for name, count in counters.items()}
    return _Shown(scenario, active, own, [str(warning) for warning in warnings])


@view("control.next")
def queue(call: Call) -> Answer:
    """The queue, first in first out."""
    return answer(shapes.QUEUE, next=call.workspace.space.transact(queue_and_scenarios.queued))


@view("control.put_next")
def put_next(call: Call) -> Answer:
    from mock_server.scenario.loading.load import load_next

    try:
        entry = load_next(call.body if call.body is not None else {})
    except ScenarioErrors as broken:
        raise broken_scenario("", broken) from None

    def put(tx: Transaction) -> object:
        scenarios.within_room(tx, QUEUE, "entry", queue_and_scenarios.enqueue, *entry)
        return queue_and_scenarios.queued(tx)

    return answer(shapes.QUEUE, next=call.workspace.space.transact(put))


@view("control.drop_next")
@view("control.drop_next_one")
def drop_next(call: Call, number: str | None = None) -> Answer:
    """Empty the queue, or remove one entry."""
    at = None if number is None else whole(number)
    return answer(shapes.EMPTIED, dropped=call.workspace.space.transact(lambda tx: queue_and_scenarios.clear(tx, at)))
