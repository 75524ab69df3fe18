"""Validation of snapshots: what each part must hold, so that the code can rely on it.

A damaged one is refused as a whole, with the position of the error; no other code validates what passes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from enum import Enum
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from mock_server import jsontext
from mock_server.dialects import DIALECTS
from mock_server.domain import money
from mock_server.domain.events import ATTEMPTS, DELIVER, INBOX, TARGET, Event
from mock_server.domain.instants import Instant
from mock_server.domain.methods import ALL_METHODS, CATEGORY_ALIASES
from mock_server.domain.outcomes import Reason
from mock_server.domain.paging import Query
from mock_server.domain.report import DELIVER_REPORT, ORGANIZATION
from mock_server.engine import blocklist, connectors, disputes, kinds, profiles, related, timeline
from mock_server.engine.payments import due
from mock_server.jsontext import Breathe
from mock_server.sandbox import clockwork, deciding, identity, kept_answers, scenarios
from mock_server.sandbox.timekeeping import KINDS
from mock_server.sandbox.workspace import LINES
from mock_server.scenario.conditions.paths import json_fields
from mock_server.scenario.deciding import activation, queue_and_scenarios
from mock_server.scenario.loading import uploaded
from mock_server.store import logs, records
from mock_server.store.dumps import SpaceDump
from mock_server.store.protocol import JOURNAL, Due, DumpRefused, RecordKind, faults_of
from mock_server.store.records import convert, decode
from mock_server.store.state import SpaceState
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue, planning
from mock_server.webhooks.body import object_kind
from mock_server.webhooks.delivery_log import read_argument

T = TypeVar("T")
LARGEST: Final = 2**53 - 1
_MOST: Final = 2**47
"""What still can be counted on from: the due queue has 48 bits for a number."""


def _fits(where: str, value: object, kind: Any) -> Any:
    """The value with its type: no name is unknown or missing, every number in its range. Raises DumpRefused."""
    made = _opened(where, partial(convert, kind=kind), value)
    _same(where, value, made)
    _bounded(where, made)
    return made


def _members(where: str, value: object, *names: str) -> dict[str, Any]:
    """An object with exactly these names, or with any if there are none; its members are checked by themselves."""
    if not isinstance(value, dict):
        raise DumpRefused(f"{where}: Expected `object`, got `{type(value).__name__}`")
    if names:
        _named(where, value.keys(), names)
    return value


def _items(where: str, value: object) -> list[Any]:
    """A list that may be long, whose items are checked one by one. Raises DumpRefused."""
    if not isinstance(value, list):
        raise DumpRefused(f"{where}: Expected `array`, got `{type(value).__name__}`")
    return value


def _opened(where: str, read: Callable[[Any], T], value: Any) -> T:
    """Reads a value. Any error is the value's fault."""
    with faults_of(where):
        return read(value)


def _within(where: str, number: int, least: int, most: int) -> None:
    """Raises DumpRefused for a number out of range."""
    if not least <= number <= most:
        raise DumpRefused(f"{where}: {number} is not between {least} and {most}")


def _named(where: str, found: Set[str], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in found:
            raise DumpRefused(f"{where}: {name} is missing")
    for name in sorted(found - set(names)):
        raise DumpRefused(f"{where}: there is no field {name!r}")


def _same(where: str, kept: Any, made: object) -> None:
    """Checks that a value is what it was read as; what an earlier version did not have, and has a default, may lack."""
    if isinstance(made, msgspec.Struct):
        names = made.__struct_fields__
        inside = kept if isinstance(kept, Mapping) else dict(zip(names := names[: len(kept)], kept, strict=True))
        if isinstance(made, Reason):  # the journal shows and exports it as it is stored
            _members(where, inside, *names)
            _members(where, made.inputs.get("then", {}))
        _named(where, inside.keys() | set(names), names)
        for name, member in inside.items():
            _same(where, member, getattr(made, name))
    elif isinstance(made, tuple | list):
        for old, inner in zip(kept, made[: len(kept)], strict=True):
            _same(where, old, inner)
    elif isinstance(made, Mapping):
        for name, inner in made.items():
            _same(where, kept[name], inner)
    elif type(kept) is not type(made) and not isinstance(made, Enum | float):
        raise DumpRefused(f"{where}: expected {type(made).__name__}, but found {type(kept).__name__}")


def _bounded(where: str, value: object) -> None:
    """Checks every integer for the range of JSON, and reads every JSON text."""
    if isinstance(value, msgspec.Struct):
        texts = json_fields(type(value))
        for name in value.__struct_fields__:
            inner = getattr(value, name)
            if inner is None or (type(inner) is str and name not in texts):
                if inner is not None and name in WORDS and not WORDS[name](inner):
                    raise DumpRefused(f"{where}: there is no {name} {inner!r}")
                continue
            if name not in texts:
                _bounded(f"{where}, {name}", inner)
                continue
            for text in inner.values() if isinstance(inner, Mapping) else (inner,):
                _opened(f"{where}, {name}", _TEXTS.get(name, _object), text)
    elif isinstance(value, Mapping | tuple | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            _bounded(where, inner)
    elif isinstance(value, int):
        _within(where, value, -LARGEST, LARGEST)


def _any(text: str) -> object:
    return jsontext.parse(text.encode(), jsontext.LARGEST_WRITTEN)


def _object(text: str) -> None:
    if not isinstance(found := _any(text), dict):
        raise TypeError(f"an object is expected, not {type(found).__name__}")


_pairs: Final = msgspec.json.Decoder(list[tuple[str, str]]).decode
_TEXTS: Final[dict[str, Callable[[str], object]]] = {"echo": _any, "headers": _pairs, "response_headers": _pairs}
"""What is in the JSON text of a field; in all others it is an object."""


WORDS: Final[Mapping[str, Callable[[str], object]]] = {
    "currency": money.currency,
    "payment_method": {*CATEGORY_ALIASES, *(row.category for row in ALL_METHODS)}.__contains__,
}
"""Whether a record's field may have a word, of the fields for which code has tables."""
_KEY: Final = re.compile(r"[^\s/\x00-\x1f]{1,255}")


class _Own(Struct, frozen=True):
    """A workspace's own scenario."""

    text: str
    form: Literal["yaml", "json"]
    revision: int


class _Target(Struct, frozen=True):
    url: str | None
    secret: str | None


class _Kept(Struct, frozen=True, array_like=True):
    at: Instant
    subject: str
    argument: str
    sequence: Annotated[int, Meta(ge=0, le=_MOST)] | None = None
    what: Literal["deliver", "deliver_report"] = "deliver"


class _Line(Struct, frozen=True):
    on_its_way: _Kept
    behind: list[_Kept]


class _Giving(Struct, frozen=True, array_like=True):
    """How far a scenario's records are created."""

    begun_at: Instant
    seen: Annotated[int, Meta(ge=0)]
    is_cut_off: bool


class _Answer(NamedTuple):
    """A stored answer for repeated calls."""

    status: int
    body: bytes
    headers: list[tuple[str, str]]
    because: str | None
    payment_id: str | None = None


PARTS: Final = ("records", "streams", "counters", "facts", "logs", "due", "claims", "rates")
FACTS: Final[dict[str, Any]] = {
    blocklist.IN_FORCE: bool,
    blocklist.SWITCHED_OFF: bool,
    profiles.DEFAULT_FACT: str,
    profiles.SET_UP: bool,
    profiles.NO_DEFAULT: bool,
    profiles.MERCHANT_NAME: str,
    identity.FACT: identity.Identity,
    identity.DIALECT: str,
    activation.ACTIVE: list[activation.Activation],
    activation.QUEUE: list[queue_and_scenarios.Queued],
    deciding.CARRIED: bool,
    scenarios.GIVEN_DUE: list[str],
    TARGET: _Target,
    ORGANIZATION: str,
}
NAMED_FACTS: Final[dict[str, Any]] = {
    uploaded.TEXTS: _Own,
    connectors.FACT: list[connectors.AccountRoute],
    activation.NAMED_SINCE: int,
    scenarios.GIVEN: str,
    scenarios.GIVING: _Giving,
    delivery_queue.PREFIX: _Line,
}
"""The same for facts by the prefix of their names."""
LOGS: Final[dict[str, Any]] = {INBOX: str, ATTEMPTS: tuple[str, str]}
PARTS_OF_A_PAYMENT: Final = (kinds.REFUNDS, kinds.DISPUTES)


def check_dump(dump: Mapping[str, Any]) -> None:
    """Checks before anything is loaded: everything except the records' fields. Raises DumpRefused."""
    _members("the workspace", dump, *PARTS)
    for name, part in _members("records", dump["records"]).items():
        if name not in {kind.name for kind in KINDS}:
            raise DumpRefused(f"records: there is no kind {name!r}")
        _members(f"records.{name}", part, "next", "rows")
    facts = _members("facts", dump["facts"])
    if identity.FACT not in facts:
        raise DumpRefused("facts: identity is missing")
    for name, value in facts.items():
        _fact(name, _opened(f"facts.{name}", records.from_json, value))
    for part in ("streams", "counters"):
        for name, number in _fits(part, dump[part], dict[str, int]).items():
            _within(f"{part}.{name}", number, 0, _MOST)
    for name, windows in _fits("rates", dump["rates"], dict[str, tuple[int, int, int, int]]).items():
        for number in windows:
            _within(f"rates.{name}", number, 0, _MOST)
    for name, log in _members("logs", dump["logs"]).items():
        _log(f"logs.{name}", log, {**LOGS, **LINES}.get(name))
    _claims(_members("claims", dump["claims"], "evicted", "held"))
    _due(_members("due", dump["due"], "next", "entries"))


def _log(where: str, log: Any, kind: Any) -> None:
    if kind is None:
        raise DumpRefused(f"{where}: there is no such log")
    _members(where, log, "last", "dropped", "lines")
    last, dropped = (_fits(f"{where}.{name}", log[name], int) for name in ("last", "dropped"))
    lines = _items(f"{where}.lines", log["lines"])
    _within(f"{where}.dropped", dropped, 0, _MOST)
    _within(f"{where}.last", last, len(lines), _MOST)
    for at, entry in enumerate(lines):
        value = _opened(f"{where}.lines[{at}]", records.from_json, entry)
        _fits(f"{where}.lines[{at}]", {**kept_answers.LATER, **value} if isinstance(value, dict) else value, kind)


def _claims(part: Any) -> None:
    _within("claims.evicted", _fits("claims.evicted", part["evicted"], int), 0, _MOST)
    for at, held in enumerate(_items("claims.held", part["held"])):
        where = f"claims.held[{at}]"
        _, _, digest, _, kept = _fits(where, held, tuple[str, str, str, Instant, Any])
        _opened(where, partial(msgspec.convert, type=bytes), digest)
        answer = _fits(where, _opened(where, records.from_json, kept), _Answer)
        _within(f"{where}, the status", answer.status, 200, 599)
        _opened(where, kept_answers.check, answer.body)


def _due(part: Any) -> None:
    _within("due.next", _fits("due.next", part["next"], int), 0, _MOST)
    seen: set[int] = set()
    for at, given in enumerate(_items("due.entries", part["entries"])):
        where = f"due.entries[{at}]"
        entry = Due(*_fits(where, given, tuple[Instant, int, str, str, str]))
        _within(f"{where}, the number", entry.sequence, 0, _MOST)
        if entry.sequence in seen:
            raise DumpRefused(f"{where}: the number {entry.sequence} is used twice")
        seen.add(entry.sequence)
        if entry.what not in ARGUMENTS:
            raise DumpRefused(f"{where}: there is no scheduled event {entry.what!r}")
        _opened(f"{where}, the argument", ARGUMENTS[entry.what], entry.argument)


ARGUMENTS: Final[dict[str, Callable[[str], object]]] = {
    **dict.fromkeys(timeline.SORTS, partial(msgspec.convert, type=Literal[""])),
    DELIVER: read_argument,
    DELIVER_REPORT: read_argument,
    due.DISPUTE: timeline.read_plan,
    **dict.fromkeys((due.SETTLE, disputes.SETTLES), lambda said: said and timeline.read_settles(said)),
}
"""The kinds of scheduled events, and how the argument of each is read; it is empty if they have none."""


def check_stored(state: SpaceState, breathe: Breathe) -> None:
    """Checks a workspace of a file, whose records the store has read, and of its journal only the types."""
    dump = SpaceDump(state)
    dump.records.clear()
    _fits("facts.clock", dump.facts.pop(clockwork.FACT, clockwork.Clockwork().as_fact()), clockwork.Clockwork)
    check_dump(dump.document())
    for number, kept in logs.opened(state.log(JOURNAL).lines.items()):
        line = logs.entry(number, kept)
        read = partial(convert, kind=LINES[JOURNAL])
        _opened(f"logs.{JOURNAL}[{number}]", read, {**kept_answers.LATER, **line.value})
        kept_answers.check(line.beside or b"")
        breathe()
    for key, stored in state.table(kinds.EVENTS).rows.items():
        for _ in _within_event(f"records of event, {key}", records.codec_of(Event).record(stored)):
            breathe()


def check_workspace(tx: Transaction, streams: Mapping[str, int], breathe: Breathe) -> None:
    """Checks after loading: every record with the records in it. Raises DumpRefused."""
    drawn = streams.get("event", 0)  # every event must have a smaller number, or its id would be used twice
    for kind in KINDS:
        for record in tx.scan(kind, Query(ascending=True)):
            breathe()
            _record(tx, kind, record)
            if kind is kinds.EVENTS:
                _within(f"records of event, {record.event_id}, the number", record.number, 0, drawn - 1)


def _fact(name: str, value: object) -> None:
    prefix = next((known for known in NAMED_FACTS if name.startswith(known)), None)
    kind = FACTS.get(name) if prefix is None else NAMED_FACTS[prefix]
    if kind is None:
        raise DumpRefused(f"facts: there is no fact {name!r}")
    made = _fits(f"facts.{name}", value, kind)
    if isinstance(made, _Line):
        for delivery in (made.on_its_way, *made.behind):
            _opened(f"facts.{name}", read_argument, delivery.argument)
    if isinstance(made, _Own):
        own = name.removeprefix(uploaded.TEXTS)
        _opened(f"facts.{name}", lambda text: uploaded.loaded_once(own, text, made.form, 0), made.text)
    if name == identity.FACT:
        _opened(f"facts.{name}", identity.check, made)
    if name == identity.DIALECT and made not in DIALECTS:
        raise DumpRefused(f"facts.{name}: there is no dialect {made!r}")
    if name == activation.QUEUE:
        for queued in made:
            _opened(f"facts.{name}", lambda entry: entry.check(), queued)


def _record(tx: Transaction, kind: RecordKind[Any], record: Any) -> None:
    key = kind.key(record)
    if _KEY.fullmatch(key) is None:
        raise DumpRefused(f"records of {kind.name}: {key!r} is not a name")
    where = f"records of {kind.name}, {key}"
    _bounded(where, record)
    if kind in PARTS_OF_A_PAYMENT and not tx.has(kinds.PAYMENTS, record.payment_id):
        raise DumpRefused(f"{where}: there is no payment {record.payment_id!r}")
    if isinstance(record, Event):
        for place, inside in _within_event(where, record):
            _bounded(place, inside)


def _within_event(where: str, event: Event) -> Iterator[tuple[str, object]]:
    """The records in an event, with their places; reads its texts too."""
    about = object_kind(event)
    for name in ("object", "before"):
        sealed = getattr(event, name)
        if sealed is not None:
            yield f"{where}, {name}", _opened(f"{where}, {name}", lambda stored: decode(about, stored), sealed)
    for inside in _opened(f"{where}, related", lambda stored: tuple(related.decoded(stored)), event.related):
        yield f"{where}, related", inside
    _opened(f"{where}, orders", planning.read_orders, event.orders)
    _opened(f"{where}, overrides", lambda text: text and msgspec.json.decode(text), event.overrides)
