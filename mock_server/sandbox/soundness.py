"""Validation of snapshots: what each part must hold, so that the code can rely on it.

A damaged one is refused as a whole, with the position of the error; no other code validates what passes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from mock_server.dialects import DIALECTS
from mock_server.domain.delivery import ATTEMPTS, DELIVER, INBOX, TARGET
from mock_server.domain.events import Event
from mock_server.domain.instants import LATEST
from mock_server.domain.outcomes import DisputePlan
from mock_server.domain.paging import Query
from mock_server.domain.report import DELIVER_REPORT, ORGANIZATION
from mock_server.engine import blocklist, connectors, kinds, profiles, related, timeline
from mock_server.engine.payments import due
from mock_server.jsontext import Breathe
from mock_server.sandbox import deciding, identity, kept_answers, scenarios
from mock_server.sandbox.decoding import MOST, bounded, fits, items, members, opened, typed, within
from mock_server.sandbox.timekeeping import KINDS
from mock_server.scenario.deciding import activation, queue_and_scenarios
from mock_server.scenario.loading import uploaded
from mock_server.store import records
from mock_server.store.protocol import Due, DumpRefused, RecordKind
from mock_server.store.records import decode
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue, planning
from mock_server.webhooks.body import object_kind
from mock_server.webhooks.delivery_log import read_argument

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


class _Kept(Struct, frozen=True, array_like=True):
    at: int
    subject: str
    argument: str


class _Line(Struct, frozen=True):
    on_its_way: _Kept
    behind: list[_Kept]


class _Giving(Struct, frozen=True, array_like=True):
    """How far a scenario's records are created."""

    begun_at: int
    seen: Annotated[int, Meta(ge=0)]
    is_cut_off: bool


class _Answer(NamedTuple):
    """A stored answer for repeated calls."""

    status: int
    body: bytes
    headers: list[tuple[str, str]]
    because: str | None


PARTS: Final = ("records", "streams", "counters", "facts", "logs", "due", "claims", "rates")
FACTS: Final[dict[str, Any]] = {
    blocklist.IN_FORCE: bool,
    blocklist.SWITCHED_OFF: bool,
    profiles.DEFAULT_FACT: str,
    profiles.SET_UP: bool,
    profiles.NO_DEFAULT: bool,
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
    connectors.FACT: list[connectors.AccountRoute],
    activation.NAMED_SINCE: int,
    scenarios.GIVEN: str,
    scenarios.GIVING: _Giving,
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


def check_dump(dump: Mapping[str, Any], logs: Mapping[str, Any]) -> None:
    """Checks before anything is loaded: everything except the records' fields. Raises DumpRefused."""
    members("the workspace", dump, *PARTS)
    for name, part in members("records", dump["records"]).items():
        if name not in {kind.name for kind in KINDS}:
            raise DumpRefused(f"records: there is no kind {name!r}")
        members(f"records.{name}", part, "next", "rows")
    facts = members("facts", dump["facts"])
    if identity.FACT not in facts:
        raise DumpRefused("facts: identity is missing")
    for name, value in facts.items():
        _fact(name, opened(f"facts.{name}", records.from_json, value))
    for part in ("streams", "counters"):
        for name, number in fits(part, dump[part], dict[str, int]).items():
            within(f"{part}.{name}", number, 0, MOST)
    for name, windows in fits("rates", dump["rates"], dict[str, tuple[int, int, int, int]]).items():
        for number in windows:
            within(f"rates.{name}", number, 0, MOST)
    for name, log in members("logs", dump["logs"]).items():
        _log(f"logs.{name}", log, {**LOGS, **logs}.get(name))
    _claims(members("claims", dump["claims"], "evicted", "held"))
    _due(members("due", dump["due"], "next", "entries"))


def _log(where: str, log: Any, kind: Any) -> None:
    if kind is None:
        raise DumpRefused(f"{where}: there is no such log")
    members(where, log, "last", "dropped", "lines")
    last, dropped = (fits(f"{where}.{name}", log[name], int) for name in ("last", "dropped"))
    lines = items(f"{where}.lines", log["lines"])
    within(f"{where}.dropped", dropped, 0, MOST)
    within(f"{where}.last", last, len(lines), MOST)
    for at, line in enumerate(lines):
        kept = opened(f"{where}.lines[{at}]", records.from_json, line)
        fits(f"{where}.lines[{at}]", {**LATER, **kept} if isinstance(kept, dict) else kept, kind)


def _claims(part: Any) -> None:
    within("claims.evicted", fits("claims.evicted", part["evicted"], int), 0, MOST)
    for at, held in enumerate(items("claims.held", part["held"])):
        where = f"claims.held[{at}]"
        _, _, digest, expires_at, kept = fits(where, held, tuple[str, str, str, int, Any])
        within(where, expires_at, 0, LATEST)
        typed(where, digest, bytes)
        kept = opened(where, records.from_json, kept)
        answer = fits(where, kept, _Answer)
        within(f"{where}, the status", answer.status, 200, 599)
        opened(where, lambda body: kept_answers.check(body), answer.body)


def _due(part: Any) -> None:
    within("due.next", fits("due.next", part["next"], int), 0, MOST)
    seen: set[int] = set()
    for at, given in enumerate(items("due.entries", part["entries"])):
        where = f"due.entries[{at}]"
        entry = Due(*fits(where, given, tuple[int, int, str, str, str]))
        within(f"{where}, the instant", entry.at, 0, LATEST)
        within(f"{where}, the number", entry.sequence, 0, MOST)
        if entry.sequence in seen:
            raise DumpRefused(f"{where}: the number {entry.sequence} is used twice")
        seen.add(entry.sequence)
        if entry.what not in SORTS:
            raise DumpRefused(f"{where}: there is no scheduled event {entry.what!r}")
        opened(f"{where}, the argument", _ARGUMENTS.get(entry.what, str), entry.argument)


_ARGUMENTS: Final[dict[str, Callable[[str], object]]] = {
    DELIVER: read_argument,
    DELIVER_REPORT: lambda argument: int(argument or 0),
    due.DISPUTE: lambda argument: msgspec.json.decode(argument, type=DisputePlan),
}
"""How the argument of a scheduled event is read, if it has one."""


def check_workspace(tx: Transaction, streams: Mapping[str, int], breathe: Breathe) -> None:
    """Checks after loading: every record with the records in it. Raises DumpRefused."""
    drawn = streams.get("event", 0)  # every event must have a smaller number, or its id would be used twice
    for kind in KINDS:
        for record in tx.scan(kind, _EVERYTHING):
            breathe()
            _record(tx, kind, record)
            if kind is kinds.EVENTS:
                within(f"records of event, {record.event_id}, the number", record.number, 0, drawn - 1)


def _fact(name: str, value: object) -> None:
    prefix = next((one for one in NAMED_FACTS if name.startswith(one)), None)
    kind = FACTS.get(name) if prefix is None else NAMED_FACTS[prefix]
    if kind is None:
        raise DumpRefused(f"facts: there is no fact {name!r}")
    made = fits(f"facts.{name}", value, kind)
    if isinstance(made, _Line):
        for kept in (made.on_its_way, *made.behind):
            opened(f"facts.{name}", read_argument, kept.argument)
    if isinstance(made, _Own):
        opened(f"facts.{name}", lambda text: uploaded.check(name[len(uploaded.TEXTS) :], text, made.form), made.text)
    if name == identity.FACT:
        opened(f"facts.{name}", identity.check, made)
    if name == identity.DIALECT and made not in DIALECTS:
        raise DumpRefused(f"facts.{name}: there is no dialect {made!r}")
    if name == activation.QUEUE:
        for queued in made:
            opened(f"facts.{name}", lambda entry: entry.check(), queued)


def _record(tx: Transaction, kind: RecordKind[Any], record: Any) -> None:
    key = kind.key(record)
    if _KEY.fullmatch(key) is None:
        raise DumpRefused(f"records of {kind.name}: {key!r} is not a name")
    where = f"records of {kind.name}, {key}"
    bounded(where, record)
    payment_id = getattr(record, PART_OF[kind]) if kind in PART_OF else None
    if payment_id is not None and tx.version(kinds.PAYMENTS, payment_id) == 0:
        raise DumpRefused(f"{where}: there is no payment {payment_id!r}")
    if isinstance(record, Event):
        about = object_kind(record)
        for name in ("object", "before"):
            kept = getattr(record, name)
            if kept is not None:
                bounded(f"{where}, {name}", opened(f"{where}, {name}", lambda one: decode(about, one), kept))
        for inside in opened(f"{where}, related", lambda one: tuple(related.decoded(one)), record.related):
            bounded(f"{where}, related", inside)
        opened(f"{where}, orders", planning.read_orders, record.orders)
        opened(f"{where}, overrides", lambda text: text and msgspec.json.decode(text), record.overrides)
