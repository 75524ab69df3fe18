"""Snapshots: a workspace as one document, kept by name in the server's own space (decisions "Reset and snapshots").

`{"format": 2, "made_by": …, "workspace": …}`: every record, number, fact, log, claim and scheduled event. It contains
the workspace's time instead of its clock, so that equal workspaces give equal documents at any time. The
journal is included only on request.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from mock_server import __version__, jsontext
from mock_server.clock import Slices
from mock_server.domain.errors import Cause, ObjectKind, Refusal, unknown
from mock_server.domain.instants import LATEST
from mock_server.guesses import hint
from mock_server.sandbox import clockwork, scenarios
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import Workspace
from mock_server.scenario.loading.uploaded import TEXTS
from mock_server.scenario.schema.long_work import long_work
from mock_server.settings.durations import LONGEST_MS
from mock_server.store.memory import Store
from mock_server.store.protocol import JOURNAL, MACHINE_FAULTS, DumpRefused
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue

FORMAT: Final = 2
"""Format 1 said `world` where this one says `workspace`, in the document and in the texts of scenarios."""
MADE_BY: Final = f"payment-sandbox {__version__}"
FACTS: Final = "snapshot:"
SORT: Final = "snapshots"
"""The kind of data for the byte limit."""
NAME: Final = re.compile(r"(?!\.+\Z)[A-Za-z0-9_.-]{1,64}", re.ASCII)
_PER_WORLD: Final = re.compile(r"(\bper[\"']?: *[\"']?)world\b")
LONG: Final = frozenset({"rows", "lines", "held", "entries"})
"""The names of a document's arrays that may be very long."""


class Snapshot(Struct, frozen=True):
    """A snapshot: its format and version, and its JSON text."""

    format: int
    made_by: str
    document: bytes
    name: str = ""


# documents


def take(workspace: Workspace, *, with_journal: bool = False) -> bytes:
    """The text of a workspace's present state. Refused as `advance_running`."""
    breathe = Slices()

    def written(item: object) -> jsontext.Raw:
        breathe()
        return jsontext.Raw(jsontext.dump(item))

    workspace.catch_up()
    space, journal = workspace.space, dict[str, Any]()
    if with_journal:  # as a log of the dump, with the answers' texts
        journal["journal"] = space.dump_log(JOURNAL, lambda entry: whole(entry, workspace.dialect))
    dump = space.dump(written)
    clock = clockwork.read(dump["facts"].pop(clockwork.FACT, None))
    if clock.advancing:
        raise Refusal(Cause.ADVANCE_RUNNING)
    time = {"now": clock.now(workspace.host.clock.now_ms()), "frozen": clock.frozen_at is not None}
    return jsontext.dump({"format": FORMAT, "made_by": MADE_BY, "workspace": {**time, **dump, **journal}})


def read(text: bytes, breathe: jsontext.Breathe) -> dict[str, Any]:
    """The document of a text. Refused as `snapshot_broken`, `snapshot_format_unknown`."""
    try:
        with long_work(len(text)):
            document = jsontext.parse_piecewise(text, LONG, breathe)
    except jsontext.JsonMistake as mistake:
        raise broken(str(mistake)) from None
    if isinstance(document, dict) and document.get("format") == 1 and "world" in document:
        document = _of_first_format(document)
    if not isinstance(document, dict) or "format" not in document or not isinstance(document.get("workspace"), dict):
        raise broken("it has no format and no workspace")
    if document["format"] != FORMAT or isinstance(document["format"], bool):
        made_by = document.get("made_by") or "unknown"  # as texts, which a message cuts
        raise Refusal(Cause.SNAPSHOT_FORMAT_UNKNOWN, format=str(document["format"]), made_by=str(made_by))
    workspace = document["workspace"]
    for name, kind, word in (("now", int, "an integer"), ("frozen", bool, "true or false")):
        if type(workspace.get(name)) is not kind:
            raise broken(f"its workspace has no clock: {name} is missing, or is not {word}")
    if not 0 <= workspace["now"] <= LATEST + LONGEST_MS:  # a clock that runs goes on from there
        raise broken("its workspace's time is out of range")
    return document


def _of_first_format(document: dict[str, Any]) -> dict[str, Any]:
    world = document.pop("world")
    facts = world.get("facts") if isinstance(world, dict) else None
    for name, fact in facts.items() if isinstance(facts, dict) else ():
        if name.startswith(TEXTS) and isinstance(fact, dict) and isinstance(fact.get("text"), str):
            fact["text"] = _PER_WORLD.sub(r"\1workspace", fact["text"])
    return {**document, "format": FORMAT, "workspace": world}


def broken(reason: str) -> Refusal:
    """The refusal of a document that is not a snapshot."""
    return Refusal(Cause.SNAPSHOT_BROKEN, reason=reason)


class Restoring:
    """A document that is being restored: what the store loads, and the preparation of the space."""

    def __init__(self, text: bytes, real_now: int, breathe: jsontext.Breathe | None = None) -> None:
        self._breathe = breathe or Slices()
        workspace = dict(read(text, self._breathe)["workspace"])
        self._now, self._frozen = workspace.pop("now"), workspace.pop("frozen")
        self._real_now = real_now
        # Without its journal, the number 1 stands for all its calls. Invalid logs are left to the check.
        journal = workspace.pop("journal", {"last": 1, "dropped": 0, "lines": []})
        if isinstance(workspace.get("logs"), dict):
            workspace["logs"] = {**workspace["logs"], JOURNAL: journal}
        self.dump: dict[str, Any] = workspace

    def first(self, tx: Transaction) -> None:
        """Checks the records too, so that errors show now and not in a later call, and starts the clock."""
        from mock_server.sandbox import soundness

        soundness.check_workspace(tx, self.dump["streams"], self._breathe)
        clock = clockwork.Clockwork()
        clock = clock.frozen(self._now) if self._frozen else clock.running_from(self._now, self._real_now)
        tx.set_fact(clockwork.FACT, clock.as_fact())
        delivery_queue.recover(tx)
        scenarios.due_again(tx)


def restore(store: Store, space_name: str, text: bytes, real_now: int) -> Space:
    """Replaces the present workspace with a document's. Refused as in `read`; then nothing changes."""
    from mock_server.sandbox import soundness

    restoring = Restoring(text, real_now)
    try:
        soundness.check_dump(restoring.dump)
        return store.replace(space_name, restoring.first, restoring.dump)
    except DumpRefused as wrong:
        raise broken(str(wrong)) from None
    except MemoryError:
        # Its data is freed with this error's frames, so that there is memory to log and to answer.
        restoring.dump.clear()
    except Exception as wrong:  # whatever a damaged document breaks is the document's fault
        if isinstance(wrong, MACHINE_FAULTS) or (isinstance(wrong, Refusal) and wrong.cause is Cause.NOT_SAVED):
            raise
        logging.getLogger("mock_server.sandbox").info("a snapshot could not be read: %s", type(wrong).__name__)
        raise broken(f"reading it failed with {type(wrong).__name__}") from None
    raise MemoryError("not enough memory for the snapshot")


# by name, in the server's own space


def keep(server: Space, name: str, text: bytes, made_by: object = MADE_BY) -> Snapshot:
    """Stores a document's text under a name, and replaces an existing one. Refused as `no_room`."""
    fact = {"format": FORMAT, "made_by": str(made_by), "document": text}

    def put(tx: Transaction) -> None:
        before = tx.fact(FACTS + name)
        if tx.room(SORT) + (len(before["document"]) if before else 0) < len(text):
            raise Refusal(Cause.NO_ROOM, what="snapshot", setting="snapshots_bytes")
        tx.set_fact(FACTS + name, fact)

    server.transact(put)
    return _read(FACTS + name, fact)


def kept(server: Space) -> list[Snapshot]:
    """Every snapshot, by name."""
    return [_read(name, fact) for name, fact in sorted(server.transact(lambda tx: tx.facts(FACTS)).items())]


def find(server: Space, name: str) -> Snapshot:
    """The snapshot with that name. Refused as `object_unknown`."""
    fact = server.fact(FACTS + name)
    if fact is None:
        names = (fact.removeprefix(FACTS) for fact in server.transact(lambda tx: tx.facts(FACTS)))
        raise unknown(ObjectKind.SNAPSHOT, name, ("name", f"is not the name of a snapshot{hint(name, names)}"))
    return _read(FACTS + name, fact)


def drop(server: Space, name: str) -> Snapshot:
    """Deletes a snapshot and returns it. Refused as `object_unknown`."""
    gone = find(server, name)
    server.transact(lambda tx: tx.set_fact(FACTS + name, None))
    return gone


def _read(fact_name: str, fact: Mapping[str, Any]) -> Snapshot:
    return Snapshot(**fact, name=fact_name.removeprefix(FACTS))
