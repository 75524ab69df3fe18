"""The state machine of a dispute, and stages that only go forward.

A status is final within its stage; a later stage opens the dispute anew (facts §3.7).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from mock_server.domain.events import EventType
from mock_server.domain.machine import Machine, Rows
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


_H, _E, _F37 = DisputeTrigger, EventType, "facts §3.7"
_OPEN: Final = (S.OPENED, S.CHALLENGED)

_ROWS: Final[Rows[S, DisputeTrigger]] = (
    ((None,), _H.OPENED, S.OPENED, _E.DISPUTE_OPENED, _F37),
    (_OPEN, _H.CHALLENGED, S.CHALLENGED, _E.DISPUTE_CHALLENGED, _F37),
    (_OPEN, _H.ACCEPTED, S.ACCEPTED, _E.DISPUTE_ACCEPTED, _F37),
    (_OPEN, _H.CANCELLED, S.CANCELLED, _E.DISPUTE_CANCELLED, _F37),
    (_OPEN, _H.EXPIRED, S.EXPIRED, _E.DISPUTE_EXPIRED, _F37),
    (_OPEN, _H.WON, S.WON, _E.DISPUTE_WON, _F37),
    (_OPEN, _H.LOST, S.LOST, _E.DISPUTE_LOST, _F37),
    (tuple(S), _H.ESCALATED, S.OPENED, _E.DISPUTE_OPENED, _F37),
)


DISPUTE_MACHINE: Final = Machine("disputes", S, _ROWS, final=frozenset(S) - frozenset(_OPEN))

STAGES: Final = tuple(DisputeStage)
"""The stages in their order."""

FIGHTABLE: Final = frozenset(STAGES) - {DisputeStage.DISPUTE_REVERSAL}
"""The stages in which a merchant can still say something (facts §3.7)."""


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
