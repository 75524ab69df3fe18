"""The state machine of a dispute: (status, what happened) -> (status, event), and stages that only go forward.

A status is final within its stage; a later stage opens the dispute anew (facts §3.7).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from mock_server.domain.events import EventType
from mock_server.domain.statuses import DisputeStage
from mock_server.domain.statuses import DisputeStatus as S


class DisputeTrigger(StrEnum):
    """What happened to a dispute."""

    OPENED = "opened"
    CHALLENGED = "challenged"
    ACCEPTED = "accepted"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    WON = "won"
    LOST = "lost"
    ESCALATED = "escalated"


class DisputeTransition(NamedTuple):
    """One edge: from where (None: not there yet), what happened, to where, and the event it raises."""

    source: S | None
    what: DisputeTrigger
    target: S
    event: EventType
    cites: str


_H, _E, _F37 = DisputeTrigger, EventType, "facts §3.7"
_OPEN: Final = (S.OPENED, S.CHALLENGED)

_TABLE: Final[tuple[tuple[tuple[S | None, ...], DisputeTrigger, S, EventType, str], ...]] = (
    ((None,), _H.OPENED, S.OPENED, _E.DISPUTE_OPENED, _F37),
    (_OPEN, _H.CHALLENGED, S.CHALLENGED, _E.DISPUTE_CHALLENGED, _F37),
    (_OPEN, _H.ACCEPTED, S.ACCEPTED, _E.DISPUTE_ACCEPTED, _F37),
    (_OPEN, _H.CANCELLED, S.CANCELLED, _E.DISPUTE_CANCELLED, _F37),
    (_OPEN, _H.EXPIRED, S.EXPIRED, _E.DISPUTE_EXPIRED, _F37),
    (_OPEN, _H.WON, S.WON, _E.DISPUTE_WON, _F37),
    (_OPEN, _H.LOST, S.LOST, _E.DISPUTE_LOST, _F37),
    (tuple(S), _H.ESCALATED, S.OPENED, _E.DISPUTE_OPENED, _F37),
)


def _rows() -> Iterator[DisputeTransition]:
    """Spreads the rows that start from several statuses."""
    for sources, what, target, event, cites in _TABLE:
        for source in sources:
            yield DisputeTransition(source, what, target, event, cites)


DISPUTE_TRANSITIONS: Final = tuple(_rows())
"""Every change a dispute can go through."""

_BY_KEY: Final = {(row.source, row.what): row for row in DISPUTE_TRANSITIONS}

STAGES: Final = tuple(DisputeStage)
"""The stages in their order."""

FIGHTABLE: Final = frozenset(STAGES) - {DisputeStage.DISPUTE_REVERSAL}
"""The stages in which a merchant can still say something (facts §3.7)."""


def after(status: S | None, what: DisputeTrigger) -> DisputeTransition | None:
    """The one row for a status and what happened; None where that cannot happen."""
    return _BY_KEY.get((status, what))


def sources_of(what: DisputeTrigger) -> tuple[S, ...]:
    """The statuses in which this can happen."""
    return tuple(row.source for row in DISPUTE_TRANSITIONS if row.what is what and row.source is not None)


def stages_after(stage: DisputeStage) -> tuple[DisputeStage, ...]:
    """The stages that may follow one."""
    return STAGES[STAGES.index(stage) + 1 :]


class DisputeAsk(NamedTuple):
    """What a merchant may ask of a dispute, in which stages and statuses."""

    name: str
    action: str
    stages: frozenset[DisputeStage]
    statuses: frozenset[S]
    cites: str


_BOTH: Final = frozenset(_OPEN)
_FILES: Final = frozenset({DisputeStage.DISPUTE})
_UNANSWERED: Final = frozenset({S.OPENED})

DISPUTE_ASKS: Final = (
    DisputeAsk("accept", "accept", FIGHTABLE, _BOTH, _F37),
    DisputeAsk("submit_evidence", "submit evidence for", FIGHTABLE, _BOTH, _F37),
    DisputeAsk("attach_evidence", "attach evidence to", _FILES, _UNANSWERED, _F37),
    DisputeAsk("delete_evidence", "delete evidence of", _FILES, _UNANSWERED, _F37),
)

_ASK_BY_NAME: Final = {row.name: row for row in DISPUTE_ASKS}


def ask(name: str) -> DisputeAsk:
    """The row of one thing to ask; KeyError for a name that no row has."""
    return _ASK_BY_NAME[name]
