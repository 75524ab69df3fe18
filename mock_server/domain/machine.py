"""State machines in one form: (status, what happened) -> (status, event), one row a change.

The second key is what *happened*, never what was requested: so a machine is a function of two enums. What may be
requested in which status is listed beside it, for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, NamedTuple, Protocol, TypeVar

from msgspec import structs

from mock_server.domain.events import EventType

S = TypeVar("S", bound=StrEnum)
H = TypeVar("H", bound=StrEnum)


class Transition(NamedTuple, Generic[S, H]):
    """One edge: the status before (None: a new record), what happened, the status after, and the event it raises."""

    source: S | None
    what: H
    target: S
    event: EventType | None
    cites: str


class MayAsk(NamedTuple):
    """What may be requested of a record, in which statuses; `trigger`: only by the control API."""

    name: str
    statuses: Iterable[StrEnum]
    trigger: bool = False


class StatusRow(NamedTuple):
    """One status; `final`: nothing more happens by itself. `asks` by the API, `triggers` only by the control API."""

    name: str
    final: bool
    asks: tuple[str, ...]
    triggers: tuple[str, ...]


Rows = Iterable[tuple[Iterable[S | None], H, S, EventType | None, str]]
"""A table of transitions: a row may start from several statuses."""
NOTHING_SET: Final[Mapping[str, Any]] = MappingProxyType({})


class Machine(Generic[S, H]):
    """The states of a kind of record and their transitions; `sets` are fields of the record that follow from these."""

    def __init__(
        self,
        name: str,
        statuses: type[S],
        rows: Rows[S, H],
        *,
        final: Iterable[S] = (),
        sets: Mapping[H, Mapping[str, Any]] = NOTHING_SET,  # type: ignore[assignment]  # empty: of any trigger
    ) -> None:
        self.name: Final = name
        self.rows: Final = tuple(
            Transition(source, what, target, event, cites)
            for sources, what, target, event, cites in rows
            for source in sources
        )
        self.final: Final = frozenset(final)
        self._statuses = statuses
        self._sets = sets
        self._by_key = {(row.source, row.what): row for row in self.rows}

    def after(self, status: S | None, what: H) -> Transition[S, H] | None:
        """The row for a status and what happened; None if that cannot happen."""
        return self._by_key.get((status, what))

    def first(self, what: H) -> Transition[S, H]:
        """The row that creates a record."""
        return self._by_key[None, what]

    def between(self, status: S, target: S) -> Transition[S, H] | None:
        """The first row that leads from one status to another; None if there is none."""
        return next((row for row in self.rows if (row.source, row.target) == (status, target)), None)

    def sources(self, *whats: H) -> tuple[S, ...]:
        """The statuses from which any of these can happen, or anything if none is named, in the order of the rows."""
        return tuple(row.source for row in self.rows if row.source is not None and (not whats or row.what in whats))

    def changes(self, status: S | None, what: H, now: int) -> tuple[dict[str, Any], EventType | None]:
        """The changes of the record, and the event. Raises ImpossibleTransition if the table has no such row."""
        row = self._by_key.get((status, what))
        if row is None:
            raise ImpossibleTransition(f"{what} cannot happen to one of the {self.name} in {status}")
        return {"status": row.target, "modified_at": now, **self._sets.get(what, NOTHING_SET)}, row.event

    def statuses(self, asks: Iterable[MayAsk]) -> tuple[StatusRow, ...]:
        """The statuses that a row leads to, with what may be requested in each; no record has another one."""
        reached, asked = {row.target for row in self.rows}, tuple(asks)
        return tuple(
            StatusRow(str(one), one in self.final, _named(asked, one, trigger=False), _named(asked, one, trigger=True))
            for one in self._statuses
            if one in reached
        )


def _named(asks: Iterable[MayAsk], status: StrEnum, *, trigger: bool) -> tuple[str, ...]:
    return tuple(ask.name for ask in asks if ask.trigger is trigger and status in ask.statuses)


class ImpossibleTransition(Exception):
    """The engine tried a change that the table does not have: a bug, never a caller's mistake."""


class Moves(Protocol):
    """A record with a machine."""

    MACHINE: ClassVar[Machine[Any, Any]]

    @property
    def status(self) -> StrEnum: ...


R = TypeVar("R", bound=Moves)


def apply_transition(record: R, what: StrEnum, now: int, **changes: Any) -> tuple[R, EventType | None]:
    """The record after something happened to it, with other changes, and the event to send.

    A record that stores which events were sent (`told`) sends each type once (facts §6.2). Raises ImpossibleTransition
    if the table has no such row.
    """
    moved, event = record.MACHINE.changes(record.status, what, now)
    if event is not None:
        told = getattr(record, "told", None)
        if told is not None:
            if event in told:
                event = None
            else:
                moved["told"] = (*told, event)
    moved.update(changes)
    return structs.replace(record, **moved), event  # type: ignore[type-var]  # every record is a Struct
