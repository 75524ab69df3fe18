"""Validation of snapshots: every value must have the type and range that the code relies on.

A damaged one is refused as a whole, with the position of the error; no other code validates what passes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from mock_server.dialects import DIALECTS
from mock_server.domain.delivery import ATTEMPTS, DELIVER, INBOX, TARGET
from mock_server.domain.events import Event
from mock_server.domain.outcomes import DisputePlan
from mock_server.domain.paging import Query
from mock_server.domain.report import DELIVER_REPORT, ORGANIZATION
from mock_server.engine import blocklist, connectors, kinds, profiles, related, timeline
from mock_server.engine.payments import due
from mock_server.jsontext import Breathe
from mock_server.sandbox import deciding, identity, kept_answers, scenarios
from mock_server.sandbox.timekeeping import KINDS
from mock_server.scenario.deciding import activation, queue_and_scenarios
from mock_server.scenario.loading import uploaded
from mock_server.store import values
from mock_server.store.protocol import MACHINE_FAULTS, Due, DumpRefused, RecordKind, Transaction
from mock_server.store.records import decode
from mock_server.webhooks import delivery_queue, planning
from mock_server.webhooks.body import object_kind
from mock_server.webhooks.delivery_log import read_argument

T = TypeVar("T")
LARGEST: Final = 2**53 - 1
LATEST: Final = 221_845_392_000_000
"""9000-01-01: an event that is due years later still has a valid date."""
INSTANTS: Final = ("_at", "_until", "_required_by", "_before")
"""Suffixes of field names for times."""
_KEY: Final = re.compile(r"[^\s/\x00-\x1f]{1,255}")
_EVERYTHING: Final = Query(ascending=True)


class _Own(Struct, frozen=True):
    """A workspace's own scenario."""

    text: str
    form: Literal["yaml", "json"]
    revision: int


class _Target(Struct, frozen=True):
    url: str
    secret: str | None


class _Kept(NamedTuple):
    at: int
    subject: str
    argument: str


class _Line(Struct, frozen=True):
    on_its_way: _Kept
    behind: list[_Kept]


class _Answer(NamedTuple):
    """A stored answer for repeated calls."""

    status: int
    body: bytes
    headers: list[tuple[str, str]]
    because: str | None


FACTS: Final[dict[str, Any]] = {
    blocklist.IN_FORCE: bool,
    blocklist.SWITCHED_OFF: bool,
    profiles.DEFAULT_FACT: str,
    identity.FACT: identity.Identity,
    identity.DIALECT: str,
    activation.ACTIVE: list[activation.Activation],
    activation.QUEUE: list[queue_and_scenarios.Queued],
    deciding.CARRIED: bool,
    scenarios.GIVEN_DUE: list[str],
    TARGET: _Target,
    ORGANIZATION: str,
}
"""The type of each fact of a workspace."""
NAMED_FACTS: Final[dict[str, Any]] = {
    uploaded.TEXTS: _Own,
    connectors.FACT: list[tuple[str, str]],
    activation.NAMED_SINCE: int,
    scenarios.GIVEN: str,
    delivery_queue.PREFIX: _Line,
}
"""The same for facts by the prefix of their names."""
LOGS: Final[dict[str, Any]] = {INBOX: str, ATTEMPTS: tuple[str, str]}
LATER: Final[dict[str, Any]] = {
    **dict.fromkeys(("cut", "left", "idempotency", "connection", "retry_after")), "took_place": True, "headers": {},
    "began_us": 0, "delay_ms": 0, "events": [], "misplaced": [], "left_first": False,
}  # fmt: skip
"""Parts that are missing in lines of the first snapshots; their readers handle that."""
SORTS: Final = frozenset({*timeline.SORTS, DELIVER, DELIVER_REPORT})
PART_OF: Final = {kinds.REFUNDS: "payment_id", kinds.DISPUTES: "payment_id"}
"""The field of a record with the payment that it belongs to."""


def fits(what: str, value: object, kind: Any) -> Any:
    """The value with its type, with every number in its range. Raises DumpRefused."""
    made = _typed(what, value, kind)
    _bounded(what, made)
    return made


def _typed(what: str, value: object, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as wrong:
        raise DumpRefused(f"{what}: {wrong}") from None


def check_dump(dump: Mapping[str, Any], logs: Mapping[str, Any]) -> None:
    """Checks before anything is loaded: names, counters, logs, claims, scheduled events. Raises DumpRefused."""
    unknown = sorted(_typed("records", dump["records"], dict[str, Any]).keys() - {kind.name for kind in KINDS})
    if unknown:
        raise DumpRefused(f"records: there is no kind {unknown[0]!r}")
    for part in ("streams", "counters"):
        for name, number in fits(part, dump[part], dict[str, int]).items():
            _within(f"{part}.{name}", number, 0, LARGEST)
    for name, windows in fits("rates", dump["rates"], dict[str, tuple[int, int, int, int]]).items():
        for number in windows:
            _within(f"rates.{name}", number, 0, LARGEST)
    for name, log in _typed("logs", dump["logs"], dict[str, Any]).items():
        _log(f"logs.{name}", log, {**LOGS, **logs}.get(name))
    _claims(dump["claims"])
    _due(dump["due"])


def _log(where: str, log: Any, kind: Any) -> None:
    if kind is None:
        raise DumpRefused(f"{where}: there is no such log")
    last, dropped = (fits(f"{where}.{name}", log.get(name), int) for name in ("last", "dropped"))
    items = _items(f"{where}.lines", log.get("lines"))
    _within(f"{where}.dropped", dropped, 0, LARGEST)
    _within(f"{where}.last", last, len(items), LARGEST)
    for at, line in enumerate(items):
        kept = _opened(f"{where}.lines[{at}]", values.from_json, line)
        kept = {**LATER, **kept} if isinstance(kept, dict) else kept
        _whole(f"{where}.lines[{at}]", kept, fits(f"{where}.lines[{at}]", kept, kind))


def _claims(part: Any) -> None:
    _within("claims.evicted", fits("claims.evicted", part["evicted"], int), 0, LARGEST)
    for at, held in enumerate(_items("claims.held", part["held"])):
        where = f"claims.held[{at}]"
        _, _, digest, expires_at, kept = fits(where, held, tuple[str, str, str, int, Any])
        _within(where, expires_at, 0, LATEST)
        fits(where, digest, bytes)
        kept = _opened(where, values.from_json, kept)
        answer = fits(where, kept, _Answer)
        _whole(where, kept, answer)
        _within(f"{where}, the status", answer.status, 200, 599)
        _opened(where, lambda body: kept_answers.check(body), answer.body)


def _due(part: Any) -> None:
    _within("due.next", fits("due.next", part["next"], int), 0, LARGEST)
    seen: set[int] = set()
    for at, given in enumerate(_items("due.entries", part["entries"])):
        where = f"due.entries[{at}]"
        entry = Due(*fits(where, given, tuple[int, int, str, str, str]))
        _within(f"{where}, the instant", entry.at, 0, LATEST)
        _within(f"{where}, the number", entry.sequence, 0, LARGEST)
        if entry.sequence in seen:
            raise DumpRefused(f"{where}: the number {entry.sequence} is used twice")
        seen.add(entry.sequence)
        if entry.what not in SORTS:
            raise DumpRefused(f"{where}: there is no scheduled event {entry.what!r}")
        _opened(f"{where}, the argument", _ARGUMENTS.get(entry.what, str), entry.argument)


_ARGUMENTS: Final[dict[str, Callable[[str], object]]] = {
    DELIVER: read_argument,
    DELIVER_REPORT: lambda argument: int(argument or 0),
    due.DISPUTE: lambda argument: msgspec.json.decode(argument, type=DisputePlan),
}
"""How the argument of a scheduled event is read, if it has one."""


def check_workspace(tx: Transaction, streams: Mapping[str, int], breathe: Breathe) -> None:
    """Checks after loading: facts, and every record with the records in it. Raises DumpRefused."""
    drawn = streams.get("event", 0)  # every event must have a smaller number, or its id would be used twice
    for name, value in tx.facts("").items():
        _fact(name, value)
    for kind in KINDS:
        for record in tx.scan(kind, _EVERYTHING):
            breathe()
            _record(tx, kind, record)
            if kind is kinds.EVENTS:
                _within(f"records of event, {record.event_id}, the number", record.number, 0, drawn - 1)


def _fact(name: str, value: object) -> None:
    prefix = next((one for one in NAMED_FACTS if name.startswith(one)), None)
    kind = FACTS.get(name) if prefix is None else NAMED_FACTS[prefix]
    if kind is None:
        raise DumpRefused(f"facts: there is no fact {name!r}")
    made = fits(f"facts.{name}", value, kind)
    if isinstance(made, _Own):
        _opened(f"facts.{name}", lambda text: uploaded.check(name[len(uploaded.TEXTS) :], text, made.form), made.text)
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
    payment_id = getattr(record, PART_OF[kind]) if kind in PART_OF else None
    if payment_id is not None and tx.version(kinds.PAYMENTS, payment_id) == 0:
        raise DumpRefused(f"{where}: there is no payment {payment_id!r}")
    if isinstance(record, Event):
        about = object_kind(record)
        for name in ("object", "before"):
            kept = getattr(record, name)
            if kept is not None:
                _bounded(f"{where}, {name}", _opened(f"{where}, {name}", lambda one: decode(about, one), kept))
        for inside in _opened(f"{where}, related", lambda one: tuple(related.decoded(one)), record.related):
            _bounded(f"{where}, related", inside)
        _opened(f"{where}, orders", planning.read_orders, record.orders)
        _opened(f"{where}, overrides", lambda text: text and msgspec.json.decode(text), record.overrides)


# values


def _items(where: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise DumpRefused(f"{where}: Expected `array`, got `{type(value).__name__}`")
    return value


def _opened(where: str, read: Callable[[Any], T], value: Any) -> T:
    """Reads a value. Any error is the value's fault."""
    try:
        return read(value)
    except MACHINE_FAULTS:
        raise
    except Exception as wrong:
        raise DumpRefused(f"{where}: {type(wrong).__name__} {wrong}") from None


def _within(where: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise DumpRefused(f"{where}: {number} is not between {least} and {most}")


def _whole(where: str, kept: Any, made: object) -> None:
    """Checks that a line has every part, because lines are read without defaults."""
    if isinstance(made, msgspec.Struct):
        for name in made.__struct_fields__:
            if name not in kept:
                raise DumpRefused(f"{where}: {name} is missing")
            _whole(where, kept[name], getattr(made, name))
    elif isinstance(made, tuple | list):
        for old, inner in zip(kept, made, strict=True):
            _whole(where, old, inner)
    elif isinstance(made, bytes) and not isinstance(kept, bytes):
        raise DumpRefused(f"{where}: expected bytes, but found a string")


def _bounded(where: str, value: object) -> None:
    """Checks that every integer in a value is in the range of JSON, and every time in that of dates."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            inner = getattr(value, name)
            if isinstance(inner, int):
                latest = LATEST if f"_{name}".endswith(INSTANTS) else LARGEST
                _within(f"{where}, {name}", inner, 0 if latest == LATEST else -LARGEST, latest)
            elif inner is not None and type(inner) is not str:
                _bounded(f"{where}, {name}", inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            _bounded(where, inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            _bounded(where, inner)
    elif isinstance(value, int):
        _within(where, value, -LARGEST, LARGEST)
