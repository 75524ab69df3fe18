"""State machines in one form: (status, what happened) -> (status, event), one row a change.

The second key is what *happened*, never what was asked: so a machine stays a function of two enums. What may be asked
in which status is told beside it, for people.
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
    """One edge: from where (None: not there yet), what happened, to where, and the event it raises."""

    source: S | None
    what: H
    target: S
    event: EventType | None
    cites: str


class MayAsk(NamedTuple):
    """What may be asked of a record, and in which statuses; `trigger`: only by the control API."""

    name: str
    statuses: Iterable[StrEnum]
    trigger: bool = False


class StatusRow(NamedTuple):
    """One status; `final`: nothing more happens by itself. `asks` by the API, `triggers` by the control API alone."""

    name: str
    final: bool
    asks: tuple[str, ...]
    triggers: tuple[str, ...]


Rows = Iterable[tuple[Iterable[S | None], H, S, EventType | None, str]]
"""A table as it is written: a row may start from several statuses."""
NOTHING_SET: Final[Mapping[str, Any]] = MappingProxyType({})


class Machine(Generic[S, H]):
    """The states of one kind of record, named as its routes are, and the ways between them.

    `sets` are fields of the record that follow from what happened.
    """

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
        """The one row for a status and what happened; None where that cannot happen."""
        return self._by_key.get((status, what))

    def first(self, what: H) -> Transition[S, H]:
        """The row by which a record comes to be."""
        return self._by_key[None, what]

    def between(self, status: S, target: S) -> Transition[S, H] | None:
        """The first row that leads from one status to another; None where none does."""
        return next((row for row in self.rows if (row.source, row.target) == (status, target)), None)

    def sources(self, *whats: H) -> tuple[S, ...]:
        """The statuses from which any of these can happen, in the order of the rows."""
        return tuple(row.source for row in self.rows if row.what in whats and row.source is not None)

    def left(self) -> frozenset[S]:
        """The statuses that something leads out of."""
        return frozenset(row.source for row in self.rows if row.source is not None)

    def changes(self, status: S | None, what: H, now: int) -> tuple[dict[str, Any], EventType | None]:
        """What happened as changes of the record, and the event it raises.

        Raises ImpossibleTransition where the table has no such row.
        """
        row = self._by_key.get((status, what))
        if row is None:
            raise ImpossibleTransition(f"{what} cannot happen to one of the {self.name} in {status}")
        return {"status": row.target, "modified_at": now, **self._sets.get(what, NOTHING_SET)}, row.event

    def statuses(self, asks: Iterable[MayAsk]) -> tuple[StatusRow, ...]:
        """The statuses that a row leads to, with what may be asked in each: filters take others, no record has them."""
        reached, asked = {row.target for row in self.rows}, tuple(asks)
        return tuple(
            StatusRow(str(one), one in self.final, _named(asked, one, trigger=False), _named(asked, one, trigger=True))
            for one in self._statuses
            if one in reached
        )


def _named(asks: Iterable[MayAsk], status: StrEnum, *, trigger: bool) -> tuple[str, ...]:
    return tuple(ask.name for ask in asks if ask.trigger is trigger and status in ask.statuses)


class ImpossibleTransition(Exception):
    """The engine tried a change that the table does not have: a defect of ours, never a caller's mistake."""


class Moves(Protocol):
    """A record that goes by a machine."""

    MACHINE: ClassVar[Machine[Any, Any]]

    @property
    def status(self) -> StrEnum: ...


R = TypeVar("R", bound=Moves)


def apply_transition(record: R, what: StrEnum, now: int, **changes: Any) -> tuple[R, EventType | None]:
    """The record after something happened to it, and the event to send; other changes ride along.

    Each sort of event is sent once for a record that keeps which were (`told`, facts §6.2).
    Raises ImpossibleTransition where the table has no such row.
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
