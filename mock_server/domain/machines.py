"""Every state machine in one form, made from the tables that the engine works by: for people, not for the engine.

Statuses that no row leads to are left out: filters take such words, and no record comes to stand in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from mock_server.domain.dispute_transitions import DISPUTE_ASKS, DISPUTE_TRANSITIONS, FIGHTABLE
from mock_server.domain.mandate import MANDATE_TRANSITIONS
from mock_server.domain.payment_method import METHOD_TRANSITIONS
from mock_server.domain.refund import OPEN, REFUND_TRANSITIONS
from mock_server.domain.statuses import DisputeStatus, MandateStatus, MethodStatus, PaymentStatus, RefundStatus
from mock_server.domain.transitions import ASKS, PAYMENT_TRANSITIONS, TERMINAL


class Way(NamedTuple):
    """One change: from where (None: not there yet), what happened, to where, and the event it raises."""

    source: str | None
    what: str
    target: str
    event: str | None
    cites: str


class State(NamedTuple):
    """One status; `final`: nothing more happens by itself. `asks` by the API, `triggers` by the control API alone."""

    name: str
    final: bool
    asks: tuple[str, ...]
    triggers: tuple[str, ...]


class Machine(NamedTuple):
    """The states of one kind of record, named as its routes are, and the ways between them."""

    name: str
    states: tuple[State, ...]
    ways: tuple[Way, ...]


class _Row(Protocol):
    """What the rows of all transition tables have; saved methods raise no events, so theirs has no `event`."""

    @property
    def source(self) -> StrEnum | None: ...
    @property
    def what(self) -> StrEnum: ...
    @property
    def target(self) -> StrEnum: ...
    @property
    def cites(self) -> str: ...


class _Ask(NamedTuple):
    """What may be asked of a record, and in which statuses; `trigger`: only by the control API."""

    name: str
    statuses: Iterable[StrEnum]
    trigger: bool = False


def _payment_asks() -> Iterator[_Ask]:
    for ask in ASKS:
        yield _Ask(ask.name, ask.allowed, "control API" in ask.cites)


def _refund_asks() -> Iterator[_Ask]:
    yield _Ask("update", RefundStatus)
    yield _Ask("settle", _left(REFUND_TRANSITIONS), trigger=True)


def _dispute_asks() -> Iterator[_Ask]:
    for ask in DISPUTE_ASKS:
        stages = "" if ask.stages == FIGHTABLE else f" (stage {', '.join(ask.stages)})"
        yield _Ask(ask.name + stages, ask.statuses)
    yield _Ask("advance", _left(DISPUTE_TRANSITIONS), trigger=True)


def _mandate_asks() -> Iterator[_Ask]:
    yield _Ask("charge", (MandateStatus.ACTIVE,))
    yield _Ask("revoke", (MandateStatus.ACTIVE,))


def _method_asks() -> Iterator[_Ask]:
    yield _Ask("save", (MethodStatus.AWAITING_DATA,))
    yield _Ask("charge", (MethodStatus.ACTIVE,))
    yield _Ask("update", (MethodStatus.ACTIVE,))
    yield _Ask("delete", MethodStatus)


def _left(rows: Sequence[_Row]) -> frozenset[StrEnum]:
    """The statuses that something leads out of."""
    return frozenset(row.source for row in rows if row.source is not None)


def _machine(
    name: str, words: Iterable[StrEnum], rows: Sequence[_Row], final: Iterable[StrEnum], asks: Iterable[_Ask]
) -> Machine:
    reached, ends, asked = {row.target for row in rows}, frozenset(final), tuple(asks)
    states = (State(str(w), w in ends, _named(asked, w, False), _named(asked, w, True)) for w in words if w in reached)
    return Machine(name, tuple(states), tuple(map(_way, rows)))


def _named(asks: Iterable[_Ask], status: StrEnum, trigger: bool) -> tuple[str, ...]:
    return tuple(ask.name for ask in asks if ask.trigger is trigger and status in ask.statuses)


def _way(row: _Row) -> Way:
    source, event = row.source, getattr(row, "event", None)
    return Way(source and str(source), str(row.what), str(row.target), event and str(event), row.cites)


_D: Final = DisputeStatus
_DISPUTE_ENDS: Final = frozenset(_D) - {_D.OPENED, _D.CHALLENGED}
_MANDATE_ENDS: Final = (MandateStatus.INACTIVE, MandateStatus.REVOKED)

MACHINES: Final = (
    _machine("payments", PaymentStatus, PAYMENT_TRANSITIONS, TERMINAL, _payment_asks()),
    _machine("refunds", RefundStatus, REFUND_TRANSITIONS, frozenset(RefundStatus) - OPEN, _refund_asks()),
    _machine("disputes", DisputeStatus, DISPUTE_TRANSITIONS, _DISPUTE_ENDS, _dispute_asks()),
    _machine("mandates", MandateStatus, MANDATE_TRANSITIONS, _MANDATE_ENDS, _mandate_asks()),
    _machine("payment_methods", MethodStatus, METHOD_TRANSITIONS, (), _method_asks()),
)
"""The machines, the payment's first."""

BY_NAME: Final = {machine.name: machine for machine in MACHINES}
