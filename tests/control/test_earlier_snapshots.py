"""Snapshots of earlier versions: what has later fields is restored without them too, and everything can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final, get_args

import pytest
from msgspec import Struct, structs

from mock_server.sandbox import soundness
from mock_server.sandbox.timekeeping import KINDS
from mock_server.sandbox.workspace import LINES
from tests.clocks import ManualClock
from tests.control import full_workspace, reading_all
from tests.counts import times
from tests.wire import KEY, wire

FIELDS: Final = times(6, soak=1_000)
"""The number of fields of records that are left off, one at a time."""
KEPT: Final = (*soundness.FACTS.values(), *soundness.NAMED_FACTS.values(), *soundness.LOGS.values(), *LINES.values())


@pytest.fixture(scope="module")
def sound() -> Any:
    return full_workspace.document()


def types(kind: Any) -> Iterator[type]:
    """A type with those in it, as far as they can be instances of classes."""
    if isinstance(kind, type):
        yield kind
        hints = [field.type for field in structs.fields(kind)] if issubclass(kind, Struct) else ()
    else:
        hints = ()
    for inner in (*get_args(kind), *hints):
        yield from types(inner)


def nameless() -> Iterator[tuple[type, int, int]]:
    """Each type that is stored without names and has later fields: with how many fields, and how few it can have."""
    for kind in dict.fromkeys(found for kept in (*KEPT, soundness._Answer) for found in types(kept)):
        if hasattr(kind, "_field_defaults"):
            yield kind, len(kind._fields), len(kind._fields) - len(kind._field_defaults)  # type: ignore[attr-defined]  # a NamedTuple
        elif issubclass(kind, Struct) and kind.__struct_config__.array_like:
            needed = sum(field.required for field in structs.fields(kind))
            yield kind, len(kind.__struct_fields__), needed


SHORTER: Final = {f"{kind.__name__}[:{left}]": (kind, left)
                  for kind, whole, least in nameless() for left in range(least, whole)}  # fmt: skip
PLACES: Final[dict[str, Any]] = {
    "_Answer": lambda workspace: [(held, 4) for held in workspace["claims"]["held"]],
    "AccountRoute": lambda workspace: [
        (rows, at) for name, rows in workspace["facts"].items() if name.startswith("connector_routes:")
        for at in range(len(rows))
    ],
    "_Kept": lambda workspace: [
        (line, "on_its_way") for name, line in workspace["facts"].items() if name.startswith("deliver.line.")
    ],
}  # fmt: skip
"""Where a snapshot holds values of each type."""


@pytest.mark.parametrize("shorter", SHORTER)
def test_a_stored_list_may_end_where_an_earlier_version_ended_it(sound: Any, shorter: str) -> None:
    kind, left = SHORTER[shorter]
    document = json.loads(json.dumps(sound))
    places = PLACES[kind.__name__](document["workspace"])
    assert places, "the full workspace holds one"
    for rows, at in places:
        rows[at] = rows[at][:left]
    assert restored(document) == []


def later() -> list[tuple[str, str]]:
    """Every field of a kind of records that has a default, or that one without names in it has."""
    return [(kind.name, field.name) for kind in KINDS for field in structs.fields(kind.type) if not field.required]


@pytest.mark.parametrize(("kind", "name"), Random("later").sample(later(), min(FIELDS, len(later()))))
def test_a_record_may_lack_what_has_a_default(sound: Any, kind: str, name: str) -> None:
    document = json.loads(json.dumps(sound))
    for row in document["workspace"]["records"].get(kind, {"rows": ()})["rows"]:
        row[2].pop(name, None)
    assert restored(document) == []


def restored(document: Any) -> list[str]:
    """What cannot be read in a restored workspace, or why it cannot be restored."""
    api = wire(clock=ManualClock())
    assert api.put("/_sandbox/snapshots/damaged", document).status == 200
    reply = api.post("/_sandbox/snapshots/damaged/restore")
    return [str(reply)] if reply.status != 200 else reading_all.broken(api, KEY, share=10)
