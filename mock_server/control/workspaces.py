"""Workspaces: listing and resetting them, their dialect, and their snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server.clock import Slices
from mock_server.control.answers import answer, answer_of
from mock_server.control.answers.server import DIALECT, GONE, RESET, RESTORED, SNAPSHOT, SNAPSHOTS, VERDICTS, WORKSPACES
from mock_server.control.stages import shows, view
from mock_server.domain.errors import Cause, FieldError, Refusal, wrong_field
from mock_server.domain.paging import Query
from mock_server.engine.kinds import CUSTOMERS, EVENTS, PAYMENTS
from mock_server.http.authenticate import note_label
from mock_server.http.running import JSON, Answer, Call
from mock_server.sandbox import Sandbox, Workspace, clockwork, identity, snapshots
from mock_server.sandbox.evictions import MOST as EVICTIONS
from mock_server.sandbox.identity import DIALECT as FACT_OF_DIALECT
from mock_server.sandbox.timekeeping import is_empty
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

NOTHING: Final = (b"", b"{}", b"null")
MOST_OF_NOTHING: Final = 64
_COUNTED: Final[Mapping[str, RecordKind[Any]]] = {f"{kind.name}s": kind for kind in (PAYMENTS, CUSTOMERS, EVENTS)}


shows("control.workspaces", lambda call: answer(WORKSPACES, data=[told for _, told, _ in all_of(call.sandbox)]))
shows("control.snapshots", lambda call: answer(SNAPSHOTS, data=snapshots.kept(call.sandbox.server)))


@view("control.verdicts")
def verdicts(call: Call) -> Answer:
    from mock_server.verdict.evidence import of_workspace
    from mock_server.verdict.reporting import as_json
    from mock_server.verdict.rules import judge

    rows, evictions = [*all_of(call.sandbox)], call.sandbox.evictions
    found = [
        {"workspace": told["label"] or told["name"], **as_json(verdict)}
        for _, told, workspace in rows
        if workspace is not None and (verdict := judge(of_workspace(workspace))).is_judged
    ]
    gone = {*evictions.last(EVICTIONS)} - {*map(evictions.find, call.sandbox.store.names())}  # some came back
    in_file = sum(workspace is None for *_, workspace in rows)
    return answer(VERDICTS, data=found, not_in_memory=len(gone) + in_file)


@view("control.reset")
def reset(call: Call, **begins: str) -> Answer:
    """Replace the key's workspace by a new one with this seed and name; without a key, end all workspaces."""
    if call.opened is not None:
        return _new(call, call.sandbox.reset_in(call.opened.space.name, **begins))
    if call.key is None:
        if begins:
            raise Refusal.of_fields([FieldError(name, "is for one workspace: send its key") for name in begins])
        return answer(RESET, reset=call.sandbox.reset_all())
    return _new(call, call.sandbox.reset(call.key, **begins))


def _new(call: Call, workspace: Workspace) -> Answer:
    note_label(call, workspace)
    return answer(RESET, reset=1, workspace=values_of(call.sandbox, workspace))


@view("control.end")
def end(call: Call) -> Answer:
    assert call.key is not None, "the row needs one"
    return answer(GONE, ended=call.sandbox.end_in(call.sandbox.keyring.space_of(call.key)))


def all_of(sandbox: Sandbox) -> Iterator[tuple[str, dict[str, Any], Workspace | None]]:
    """Each workspace's name, values, and itself if in memory: to load the others would read the whole file."""
    for space_name in sandbox.store.names():
        try:
            resting = _resting(sandbox, space_name)
        except (TypeError, ValueError, LookupError):  # what its rows hold cannot be read, as a call with its key says
            continue
        if resting is not None:
            yield space_name, resting, None
        elif (space := sandbox.store.space(space_name)) is not None:
            workspace = sandbox.view(space_name, space)
            yield space_name, values_of(sandbox, workspace), workspace


def _resting(sandbox: Sandbox, space_name: str) -> dict[str, Any] | None:
    facts = (identity.FACT, clockwork.FACT, FACT_OF_DIALECT)
    found = sandbox.lasting and sandbox.lasting.glance(space_name, facts, [*_COUNTED.values()])
    if not found:
        return None
    (own, time, dialect), counts = found
    clock, counted = clockwork.read(time), dict(zip(_COUNTED, counts, strict=True))
    return _values(sandbox, space_name, identity.Identity(**own), clock, sandbox.speaking(dialect).name, **counted)


def values_of(sandbox: Sandbox, workspace: Workspace) -> dict[str, Any]:
    """The values of a workspace, by the names of rows."""
    counts = workspace.space.transact(lambda tx: {name: tx.count(kind, Query()) for name, kind in _COUNTED.items()})
    place, dialect = workspace.space.name, workspace.dialect.name
    return _values(sandbox, place, workspace.identity, workspace.clock, dialect, **counts)


def _values(
    sandbox: Sandbox, place: str, own: identity.Identity, clock: clockwork.Clockwork, dialect: str, **counts: int
) -> dict[str, Any]:
    return {
        "name": own.name,
        "merchant_id": own.merchant_id,
        "seed": own.seed,
        "created": own.created_at,
        "now": clock.now(sandbox.clock.now_ms()),
        "frozen": clock.frozen_at is not None,
        "dialect": dialect,
        **counts,
        "label": sandbox.label_of(place),
    }


@view("control.dialect")
def get_dialect(call: Call) -> Answer:
    own = call.workspace.space.fact(FACT_OF_DIALECT)
    return answer(DIALECT, dialect=call.workspace.dialect.name, set_by="server" if own is None else "workspace")


@view("control.set_dialect")
def set_dialect(call: Call, dialect: str) -> Answer:
    spoken = call.workspace.dialect.name

    def choose(tx: Transaction) -> None:
        if dialect != spoken and not is_empty(tx):
            raise Refusal(Cause.DIALECT_FIXED, dialect=spoken)
        tx.set_fact(FACT_OF_DIALECT, dialect)

    call.workspace.space.transact(choose)
    call.workspace.speak(dialect)
    return get_dialect(call)


@view("control.take_snapshot")
def take(call: Call, name: str, *, journal: bool = False) -> Answer:
    """Save the key's workspace, or the snapshot in the body, which was taken elsewhere."""
    if snapshots.NAME.fullmatch(name) is None:
        raise wrong_field("name", "must have 1 to 64 letters, digits, . _ and -")
    if len(call.raw) > MOST_OF_NOTHING or call.raw.strip() not in NOTHING:
        return _put(call, name, call.raw, snapshots.read(call.raw, Slices()).get("made_by"))
    if call.key is None:
        raise Refusal(Cause.KEY_MISSING)
    text = snapshots.take(call.opened or call.sandbox.workspace(call.key), with_journal=journal)
    limit = call.sandbox.settings.max_snapshot
    if len(text) > limit:
        raise Refusal(Cause.SNAPSHOT_TOO_LARGE, size=len(text), limit=limit)
    return _put(call, name, text)


def _put(call: Call, name: str, text: bytes, made_by: object = snapshots.MADE_BY) -> Answer:
    snapshot = snapshots.keep(call.sandbox.server, name, text, made_by)
    call.sandbox.shelf.ring()
    return answer_of(SNAPSHOT, snapshot)


shows("control.snapshot", lambda call, name: Answer(200, snapshots.find(call.sandbox.server, name).document, (JSON,)))


@view("control.drop_snapshot")
def drop(call: Call, name: str) -> Answer:
    dropped = snapshots.drop(call.sandbox.server, name)
    call.sandbox.shelf.ring()
    return answer_of(SNAPSHOT, dropped)


@view("control.restore_snapshot")
def restore(call: Call, name: str) -> Answer:
    text = snapshots.find(call.sandbox.server, name).document
    assert call.key is not None
    # The dashboard's own calls have a workspace, and a key without a text.
    space_name = call.opened.space.name if call.opened else call.sandbox.keyring.space_of(call.key)
    workspace = call.sandbox.restore_in(space_name, text)
    return answer(RESTORED, restored=name, workspace=values_of(call.sandbox, workspace))
