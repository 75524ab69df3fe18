"""A space as one JSON-like document, and back: dump, load, dump gives the same bytes.

A dump copies tables of bytes with the lock held; writing the document needs no lock. Names are sorted, so
that equal spaces give equal documents. The journal is omitted, and so are claims of calls in progress:
in a restored space nobody could finish them.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

from msgspec.structs import astuple

from mock_server.store import records
from mock_server.store.logs import Block, Log, entry, opened
from mock_server.store.protocol import JOURNAL, Claim, Due, LogEntry, faults_of
from mock_server.store.records import Codec, Kept, codec_of
from mock_server.store.state import SpaceState

MOST_RECORDS: Final = 1 << 32
"""Positions of records are in bitmaps of 32 bits."""
Each = Callable[[list[Any]], Any]


def itself(item: list[Any]) -> Any:
    """The item as it is."""
    return item


class SpaceDump:
    """The contents of a space at one moment; created with its lock held."""

    __slots__ = ("claims", "counters", "due", "facts", "logs", "next_due", "rates", "records", "streams", "unlearned")

    def __init__(self, state: SpaceState) -> None:
        self.records = {
            name: (codec_of(table.kind.type), table.next_number, list(table.rows.values()))
            for name, table in state.tables.items()
            if table.next_number
        }
        self.unlearned = state.unlearned.copy()
        self.streams = state.streams.copy()
        self.counters = state.counters.copy()
        self.facts = state.facts.copy()
        self.logs = {
            name: (log.last, log.dropped, log.lines.copy())
            for name, log in state.logs.items()
            if log.last and name != JOURNAL
        }
        self.next_due = state.due.next_sequence
        self.due = state.due.all()
        self.claims = state.claims.copy()
        self.rates = state.rates.windows.copy()

    def document(self, each: Each = itself) -> dict[str, Any]:
        """The document; `each` converts a record or a claim, of which there may be many."""
        held = [each(_claim(*held)) for held in self.claims.answered()]
        return {
            "records": _sorted(self.unlearned | {name: _rows(*rows, each) for name, rows in self.records.items()}),
            "streams": _sorted(self.streams),
            "counters": _sorted(self.counters),
            "facts": _sorted({name: records.to_json(value) for name, value in self.facts.items()}),
            "logs": _sorted({name: of_log(*log) for name, log in self.logs.items()}),
            "due": {"next": self.next_due, "entries": list(map(list, map(astuple, self.due)))},
            "claims": {"evicted": self.claims.evicted, "held": held},
            "rates": _sorted({name: list(windows) for name, windows in self.rates.items()}),
        }


def of_log(
    last: int, dropped: int, lines: Mapping[int, Kept | Block], whole: Callable[[LogEntry], Any] = attrgetter("value")
) -> dict[str, Any]:
    """A log, with its lines as JSON, in order."""
    values = [records.to_json(whole(entry(*line))) for line in opened((at, lines[at]) for at in sorted(lines))]
    return {"last": last, "dropped": dropped, "lines": values}


def load(state: SpaceState, document: Mapping[str, Any]) -> None:
    """Loads a document into an empty space; DumpRefused names the part that is not valid."""
    for part, read in _PARTS.items():
        with faults_of(part):
            read(state, document[part])


def _sorted(members: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(members.items()))


def _rows(codec: Codec[Any], next_number: int, kept: list[Kept], each: Each) -> dict[str, Any]:
    """Rows in the order of their numbers: [number, version, fields]."""
    rows = []
    for sealed in sorted(kept, key=lambda one: records.stamp(one)[1]):
        version, number, _ = records.stamp(sealed)
        rows.append(each([number, version, records.plain(codec.record(sealed))]))
    return {"next": next_number, "rows": rows}


def _claim(key: str, claim: Claim) -> list[Any]:
    digest = base64.b64encode(claim.digest).decode("ascii")
    return [key, claim.owner, digest, claim.expires_at, records.to_json(claim.answer)]


def _load_records(state: SpaceState, part: Mapping[str, Any]) -> None:
    for name, known in part.items():
        if not isinstance(known["rows"], list) or not isinstance(known["next"], int):
            raise TypeError(f"{name} has no rows")
        if not 0 <= known["next"] < MOST_RECORDS:
            raise TypeError(f"{name} cannot have had {known['next']} records")
        state.unlearned[name] = known


def _load_numbers(numbers: dict[str, int], part: Mapping[str, Any]) -> None:
    numbers.update((name, int(number)) for name, number in part.items())


def _load_facts(state: SpaceState, part: Mapping[str, Any]) -> None:
    for name, value in part.items():
        state.set_fact(name, records.from_json(value))


def _load_logs(state: SpaceState, part: Mapping[str, Any]) -> None:
    for name, document in part.items():
        log: Log = state.log(name)
        lines: list[Kept] = [records.pack(records.from_json(line)) for line in document["lines"]]
        log.load(int(document["last"]), int(document["dropped"]), lines)


def _load_due(state: SpaceState, part: Mapping[str, Any]) -> None:
    for at, sequence, what, subject, argument in part["entries"]:
        state.due.put(Due(int(at), int(sequence), str(what), str(subject), str(argument)))
    state.due.next_sequence = max(state.due.next_sequence, int(part["next"]))


def _load_claims(state: SpaceState, part: Mapping[str, Any]) -> None:
    for key, owner, digest, expires_at, answer in part["held"]:
        claim = Claim(owner, base64.b64decode(digest, validate=True), int(expires_at), records.from_json(answer))
        state.claims.load(key, claim)
    state.claims.evicted = int(part["evicted"])


def _load_rates(state: SpaceState, part: Mapping[str, Any]) -> None:
    for name, (last, count, before, count_before) in part.items():
        state.rates.windows[name] = (int(last), int(count), int(before), int(count_before))


_PARTS: dict[str, Callable[[SpaceState, Mapping[str, Any]], None]] = {
    "records": _load_records,
    "streams": lambda state, part: _load_numbers(state.streams, part),
    "counters": lambda state, part: _load_numbers(state.counters, part),
    "facts": _load_facts,
    "logs": _load_logs,
    "due": _load_due,
    "claims": _load_claims,
    "rates": _load_rates,
}
